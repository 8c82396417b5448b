import type { JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { LineComment } from '../state/review-draft.ts';
import type { ChangedFile } from './diff-store.ts';
import { layOutTree, type TreeRow } from './file-tree.ts';

const ROW = 28;
const TOUCH_ROW = 44;
const MARGIN = 10;

/** The changed files as a tree. All rows have one height, so only those in view need to exist. */
export function FileTree({
  files,
  selected,
  comments,
  onOpen,
}: {
  readonly files: readonly ChangedFile[];
  readonly selected: number;
  readonly comments: readonly LineComment[];
  readonly onOpen: (file: number) => void;
}): JSX.Element {
  const rows = useMemo(() => layOutTree(files.map(({ path }) => path)), [files]);
  const [first, setFirst] = useState(0);
  const inner = useRef<HTMLUListElement>(null);
  const height = matchMedia('(pointer: coarse), (width < 600px)').matches ? TOUCH_ROW : ROW;
  const shown = rows.slice(first, first + Math.ceil(innerHeight / height) + 2 * MARGIN);
  useLayoutEffect(() => {
    const list = inner.current;
    if (list === null) return;
    list.style.paddingTop = `${first * height}px`;
    list.style.height = `${rows.length * height}px`;
  }, [first, rows.length, height]);
  return (
    <nav
      class="tree"
      aria-label="Changed files"
      onScroll={(event) => setFirst(Math.max(0, Math.floor(event.currentTarget.scrollTop / height) - MARGIN))}
    >
      <ul ref={inner}>
        {shown.map((row) => (
          <li
            key={row.kind === 'file' ? row.file : `${row.depth}${row.name}`}
            class={`tree-row depth-${Math.min(row.depth, 8)}`}
          >
            <TreeEntry row={row} files={files} selected={selected} comments={comments} onOpen={onOpen} />
          </li>
        ))}
      </ul>
    </nav>
  );
}

function TreeEntry({
  row,
  files,
  selected,
  comments,
  onOpen,
}: {
  readonly row: TreeRow;
  readonly files: readonly ChangedFile[];
  readonly selected: number;
  readonly comments: readonly LineComment[];
  readonly onOpen: (file: number) => void;
}): JSX.Element {
  if (row.kind === 'folder') return <span class="muted tree-name">{row.name}/</span>;
  const file = files[row.file];
  const count = comments.filter(({ path }) => path === file?.path).length;
  return (
    <button
      type="button"
      class="tree-file"
      aria-current={row.file === selected ? 'true' : undefined}
      title={file?.path}
      onClick={() => onOpen(row.file)}
    >
      <span class="tree-name">{row.name}</span>
      <span class={`tree-status is-${file?.status ?? 'M'}`}>{count === 0 ? file?.status : `${count} ✎`}</span>
    </button>
  );
}
