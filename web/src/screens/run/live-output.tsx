import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { OutputDocument } from '../../../../src/contracts/http/evidence-page.ts';
import type { RunPage } from '../../../../src/contracts/http/run-page.ts';
import { getJson } from '../../api/http.ts';
import { stepPath, withQuery } from '../../api/paths.ts';
import { connection } from '../../api/stream.ts';
import { background } from '../../state/background.ts';
import { useStore } from '../../state/store.ts';

const ASK_MS = 1_000;

/** The last line that the running step printed. A log of output has no events, so the page asks while it is looked at. */
export function LiveOutput({
  repo,
  run,
}: {
  readonly repo: string;
  readonly run: RunPage;
}): JSX.Element | null {
  const { state } = useStore(connection);
  const step = run.steps.find((each) => each.state === 'running')?.key ?? null;
  const [last, setLast] = useState<{ readonly step: string; readonly text: string } | null>(null);
  useEffect(() => {
    if (step === null || state === 'lost') return undefined;
    const path = withQuery(`${stepPath(repo, run.run_id, step)}/output`, { line: 'end', limit: 1 });
    let timer = 0;
    let isOver = false;
    const ask = async (): Promise<void> => {
      // A step that has printed nothing yet has no such document.
      const found =
        document.visibilityState === 'visible' ? await getJson<OutputDocument>(path).catch(() => null) : null;
      if (isOver) return;
      const text = found?.lines
        .at(-1)
        ?.spans.map((span) => span.text)
        .join('');
      if (text !== undefined) setLast({ step, text });
      timer = setTimeout(() => background(ask()), ASK_MS);
    };
    background(ask());
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [repo, run.run_id, step, state]);
  if (last === null || last.step !== step || last.text.trim() === '') return null;
  return (
    <p class="live-output">
      <span class="muted">{last.step}</span> <code>{last.text}</code>
    </p>
  );
}
