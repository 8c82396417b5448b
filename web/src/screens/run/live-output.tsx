import type { JSX } from 'preact';
import type { RunPage } from '../../../../src/contracts/http/run-page.ts';
import { lastOutput } from '../../api/stream.ts';
import { useStore } from '../../state/store.ts';

/** The last line that the running step printed. */
export function LiveOutput({ run }: { readonly run: RunPage }): JSX.Element | null {
  const output = useStore(lastOutput);
  const isRunning = run.steps.some(({ state }) => state === 'running');
  if (!isRunning || output === null || output.line === '') return null;
  return (
    <p class="live-output">
      <span class="muted">{output.step}</span> <code>{output.line}</code>
    </p>
  );
}
