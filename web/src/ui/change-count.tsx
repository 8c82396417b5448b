import type { JSX } from 'preact';
import { formatCount } from '../text/numbers.ts';

export function ChangeCount({
  insertions,
  deletions,
}: {
  readonly insertions: number | null;
  readonly deletions: number | null;
}): JSX.Element {
  if (insertions === null || deletions === null) return <span class="change-count muted">binary</span>;
  if (insertions + deletions === 0) return <span class="change-count muted">no lines changed</span>;
  return (
    <span class="change-count">
      <span class="added">+{formatCount(insertions)}</span>{' '}
      <span class="removed">−{formatCount(deletions)}</span>
    </span>
  );
}
