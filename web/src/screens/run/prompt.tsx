import type { JSX } from 'preact';
import type { PromptDocument } from '../../../../src/contracts/http/evidence-page.ts';
import { useDocument } from '../../api/document-cache.ts';
import { stepPath } from '../../api/paths.ts';
import { formatBytes } from '../../text/numbers.ts';
import { DocumentView } from '../../ui/document-view.tsx';

export function Prompt({
  repo,
  run,
  step,
}: {
  readonly repo: string;
  readonly run: string;
  readonly step: string;
}): JSX.Element {
  const prompt = useDocument<PromptDocument>(`${stepPath(repo, run, step)}/prompt`);
  return (
    <DocumentView of={prompt} what="the prompt" lines={6}>
      {({ text, cut, bytes }) => (
        <>
          <pre class="prompt">{text}</pre>
          {cut ? (
            <p class="muted">The beginning of {formatBytes(bytes)}. The artifact has all of it.</p>
          ) : null}
        </>
      )}
    </DocumentView>
  );
}
