import type { JSX } from 'preact';
import { ChangeCount } from '../ui/change-count.tsx';
import { Icon } from '../ui/icon.tsx';
import type { ChangedFile } from './diff-store.ts';

const STATUS_WORDS = { A: 'added', M: '', D: 'deleted', R: 'renamed' } as const;

export function FileHeader({
  file,
  isFolded,
  url,
  onToggle,
}: {
  readonly file: ChangedFile | undefined;
  readonly isFolded: boolean;
  readonly url: string;
  readonly onToggle: () => void;
}): JSX.Element | null {
  if (file === undefined) return null;
  const notes = [
    STATUS_WORDS[file.status],
    file.generated ? 'generated' : '',
    file.deciding === null ? '' : `decides: ${file.deciding.replaceAll('_', ' ')}`,
  ].filter((note) => note !== '');
  return (
    <div class="file-head">
      <button
        type="button"
        class="button-quiet"
        data-row
        aria-expanded={!isFolded}
        aria-label={`${isFolded ? 'Unfold' : 'Fold'} ${file.path}`}
        onClick={onToggle}
      >
        <Icon name={isFolded ? 'chevron' : 'down'} />
      </button>
      <h3 class="path">
        <a href={url}>
          {file.old_path === null ? null : <span class="muted">{`${file.old_path} → `}</span>}
          {file.path}
        </a>
      </h3>
      {notes.length === 0 ? null : <span class="muted file-notes">{notes.join(', ')}</span>}
      <ChangeCount insertions={file.insertions} deletions={file.deletions} />
    </div>
  );
}
