import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ArtifactLine, StepPage } from '../../../../src/contracts/http/evidence-page.ts';
import { runPath } from '../../api/paths.ts';
import { formatBytes } from '../../text/numbers.ts';
import { Icon } from '../../ui/icon.tsx';

/** The files of a step. Pictures are shown; everything else is a download. */
export function Artifacts({
  repo,
  run,
  page,
}: {
  readonly repo: string;
  readonly run: string;
  readonly page: StepPage;
}): JSX.Element {
  if (page.evidence.length === 0) return <p class="empty">No artifacts.</p>;
  return (
    <ul class="artifacts">
      {page.evidence.map((artifact) => (
        <Artifact key={artifact.path} artifact={artifact} base={runPath(repo, run)} />
      ))}
    </ul>
  );
}

function Artifact({
  artifact,
  base,
}: {
  readonly artifact: ArtifactLine;
  readonly base: string;
}): JSX.Element {
  const [isShown, setShown] = useState(false);
  const { role, path, media_type, bytes, url, picture } = artifact;
  const href = `${base}/${url.replace(/^\//, '')}`;
  return (
    <li class="artifact">
      <span class="artifact-name">
        <span class="path">{path}</span>
        <span class="facts">
          <span>{role.replaceAll('_', ' ')}</span>
          <span>{media_type}</span>
          <span class="number">{formatBytes(bytes)}</span>
        </span>
      </span>
      {picture ? (
        <button type="button" class="button" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? 'Hide' : 'Show'}
        </button>
      ) : null}
      <a class="button-quiet" href={href} download>
        <Icon name="download" />
        <span class="sr-only">Download {path}</span>
      </a>
      {isShown ? <img class="artifact-picture" src={href} alt={path} loading="lazy" /> : null}
    </li>
  );
}
