import type { JSX } from 'preact';
import { useCallback, useEffect, useMemo, useReducer, useState } from 'preact/hooks';
import { useKeys } from '../state/keys.ts';
import { navigate } from '../state/navigation.ts';
import { type ReviewDraft, setComment } from '../state/review-draft.ts';
import type { FilePlace, Route } from '../state/routes.ts';
import { formatRoute } from '../state/routes.ts';
import { createStore, type Store, useStore } from '../state/store.ts';
import { countOf, formatCount } from '../text/numbers.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Failure, Skeleton } from '../ui/document-view.tsx';
import { VirtualRows } from '../ui/virtual-rows.tsx';
import { CommentEditor } from './comment-editor.tsx';
import { type DiffLayout, type DiffRow, keyOfRow, layOutRows, showsLine } from './diff-rows.ts';
import { type ChangedFile, createDiffStore } from './diff-store.ts';
import { FileHeader } from './file-header.tsx';
import { FileTree } from './file-tree-view.tsx';
import { focusedLine, LineRow, type LineTarget, PairRow } from './line-row.tsx';
import '../styles/diff.css';

export interface DiffProps {
  readonly repo: string;
  readonly run: string;
  /** Null for the change of the whole run. */
  readonly step: string | null;
  /** The event after which the change is wanted; null for now. */
  readonly at?: number | null;
  /** The diff is fetched anew when this changes. */
  readonly version: string;
  readonly place: FilePlace;
  readonly placeUrl: (file: string, line: number | null) => Route;
  /** Where comments on lines are kept; null where they can't be made. */
  readonly draft: Store<ReviewDraft> | null;
}

const LINE_HEIGHT = 20;
const NO_DRAFT = createStore<ReviewDraft>({ lines: [], goldens: {} });
const layoutChoice = createStore<DiffLayout>('unified');

/** A diff of any size, under one scroll bar: files below each other, with a tree to find them. */
export function DiffView(props: DiffProps): JSX.Element {
  const { repo, run, step, at = null, version, place, placeUrl, draft } = props;
  const [drawn, redraw] = useReducer<number, undefined>((count) => count + 1, 0);
  const store = useMemo(
    () => createDiffStore({ repo, run, step, at }, () => redraw(undefined)),
    [repo, run, step, at, version],
  );
  const layout = useStore(layoutChoice);
  const comments = useStore(draft ?? NO_DRAFT).lines;
  const [editing, setEditing] = useState<LineTarget | null>(null);
  const [isTreeOpen, setTreeOpen] = useState(false);
  const [inView, setInView] = useState(0);
  useEffect(() => store.needFiles(), [store]);
  const files = store.files();
  const changed = useMemo(() => store.changed(), [store, drawn]);
  const rows = useMemo(() => layOutRows(files, layout), [files, layout]);
  const wanted = changed.findIndex(({ path }) => path === place.file);
  useEffect(() => {
    if (wanted !== -1) store.unfold(wanted);
    else if (place.file !== null) store.needFiles();
  }, [store, wanted, place.file, changed.length]);
  const target = findTarget(rows, wanted, place.line);
  const onRange = useCallback(
    (first: number, last: number, top: number) => {
      const visible = rows.slice(first, last + 1);
      for (const row of visible) if (row.kind === 'gap') store.needLines(row.file, row.from);
      if (last >= rows.length - 1) store.needFiles();
      const head = rows[top];
      const isWantedShown = visible.some((row) => row.file === wanted);
      if (head !== undefined) setInView(isWantedShown ? wanted : head.file);
    },
    [rows, store, wanted],
  );
  const open = (file: number): void => {
    const path = changed[file]?.path;
    setTreeOpen(false);
    if (path !== undefined) navigate(placeUrl(path, null), 'replace');
  };
  useKeys({
    n: () => open(Math.min(changed.length - 1, inView + 1)),
    p: () => open(Math.max(0, inView - 1)),
    c: () => {
      if (draft !== null) setEditing(focusedLine());
    },
    u: () => layoutChoice.set(layout === 'unified' ? 'split' : 'unified'),
  });
  const totals = store.totals();
  const error = store.error();
  if (totals === null)
    return error === null ? (
      <Skeleton what="the diff" lines={8} />
    ) : (
      <Failure error={error} what="the diff" />
    );
  const problem = store.problem();
  if (problem !== null) return <p class="notice">{problem}</p>;
  if (totals.files === 0) return <p class="empty">No file changed.</p>;
  const tree = <FileTree files={changed} selected={inView} onOpen={open} comments={comments} />;
  return (
    <div class={`diff diff-${layout}`}>
      {changed.length > 1 ? <div class="diff-tree">{tree}</div> : null}
      <div class="diff-body">
        <div class="diff-bar">
          {changed.length > 1 ? (
            <button type="button" class="button diff-files" onClick={() => setTreeOpen(true)}>
              {countOf(totals.files, 'file')}
            </button>
          ) : null}
          <span class="muted number diff-total">
            {`${countOf(totals.files, 'file')}, +${formatCount(totals.insertions)} −${formatCount(totals.deletions)}`}
          </span>
          <fieldset class="segments diff-layouts">
            <legend class="sr-only">Layout of the diff</legend>
            {(['unified', 'split'] as const).map((name) => (
              <button
                key={name}
                type="button"
                class="segment"
                aria-pressed={layout === name}
                onClick={() => layoutChoice.set(name)}
              >
                {name === 'unified' ? 'Unified' : 'Side by side'}
              </button>
            ))}
          </fieldset>
        </div>
        {error === null ? null : <Failure error={error} what="all of the diff" />}
        <VirtualRows
          count={rows.length}
          estimate={(index) => estimateRow(rows[index])}
          keyOf={(index) => {
            const row = rows[index];
            return row === undefined ? index : keyOfRow(row, layout);
          }}
          onRange={onRange}
          scrollTo={target.row}
          scrollKey={target.key}
          scrollAlign={place.line === null ? 'start' : 'center'}
          row={(index) => {
            const row = rows[index];
            return row === undefined ? null : (
              <Row
                row={row}
                file={changed[row.file]}
                store={store}
                placeUrl={placeUrl}
                place={place}
                editing={editing}
                comments={comments}
                onComment={draft === null ? null : setEditing}
                onSave={(text) => {
                  if (draft !== null && editing !== null)
                    draft.set(setComment(draft.get(), { ...editing, text }));
                  setEditing(null);
                }}
              />
            );
          }}
        />
      </div>
      {isTreeOpen ? (
        <Dialog label="Changed files" onClose={() => setTreeOpen(false)}>
          {tree}
        </Dialog>
      ) : null}
    </div>
  );
}

/** The row that the URL points at. While the line isn't fetched yet, it is the row of its file. */
function findTarget(
  rows: readonly DiffRow[],
  file: number,
  line: number | null,
): { readonly row: number | null; readonly key: string } {
  if (file === -1) return { row: null, key: '' };
  const head = rows.findIndex((row) => row.kind === 'file' && row.file === file);
  const found = line === null ? -1 : rows.findIndex((row) => row.file === file && showsLine(row, line));
  return found === -1 ? { row: head, key: `${file}` } : { row: found, key: `${file}:${line}` };
}

function estimateRow(row: DiffRow | undefined): number {
  if (row === undefined) return LINE_HEIGHT;
  switch (row.kind) {
    case 'file':
      return 52;
    case 'folded':
      return 48;
    case 'hunk':
      return 28;
    case 'gap':
      return row.lines * LINE_HEIGHT;
    case 'line':
    case 'pair':
      return LINE_HEIGHT;
  }
}

interface RowProps {
  readonly row: DiffRow;
  readonly file: ChangedFile | undefined;
  readonly store: ReturnType<typeof createDiffStore>;
  readonly place: FilePlace;
  readonly placeUrl: DiffProps['placeUrl'];
  readonly editing: LineTarget | null;
  readonly comments: ReviewDraft['lines'];
  readonly onComment: ((target: LineTarget) => void) | null;
  readonly onSave: (text: string) => void;
}

function Row(props: RowProps): JSX.Element {
  const { row, file, store, place, placeUrl, editing, comments, onComment, onSave } = props;
  switch (row.kind) {
    case 'file':
      return (
        <FileHeader
          file={file}
          isFolded={store.files()[row.file]?.fold !== null}
          url={file === undefined ? '' : formatRoute(placeUrl(file.path, null))}
          onToggle={() => store.toggle(row.file)}
        />
      );
    case 'folded':
      return (
        <p class="diff-folded">
          {row.why}{' '}
          {file?.binary === true || file?.lines === 0 ? null : (
            <button type="button" class="button-text" onClick={() => store.toggle(row.file)}>
              {`Show ${countOf(file?.lines ?? 0, 'line')}`}
            </button>
          )}
        </p>
      );
    case 'hunk':
      return <p class="diff-hunk">{row.heading}</p>;
    case 'gap':
      return <Gap lines={row.lines} />;
    case 'line':
    case 'pair': {
      const path = file?.path ?? '';
      const shown = {
        path,
        url: (line: number) => formatRoute(placeUrl(path, line)),
        marked: place.file === path ? place.line : null,
        onComment,
      };
      const sides = row.kind === 'line' ? [row.line] : [row.left, row.right];
      return (
        <>
          {row.kind === 'line' ? (
            <LineRow line={row.line} {...shown} />
          ) : (
            <PairRow left={row.left} right={row.right} {...shown} />
          )}
          <CommentEditor
            lines={sides}
            path={path}
            editing={editing}
            comments={comments}
            onSave={onSave}
            onEdit={onComment}
          />
        </>
      );
    }
  }
}

/** Holds the place of lines that are being fetched. */
function Gap({ lines }: { readonly lines: number }): JSX.Element {
  return (
    <div
      class="diff-gap"
      ref={(element) => {
        if (element !== null) element.style.height = `${lines * LINE_HEIGHT}px`;
      }}
    >
      Loading {countOf(lines, 'line')}
    </div>
  );
}
