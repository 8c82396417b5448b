import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { LineComment } from '../state/review-draft.ts';
import type { DiffLine } from './diff-rows.ts';
import { type LineTarget, targetOf } from './line-row.tsx';

/** The comments on a line, below it. They are sent with the answer. */
export function CommentEditor({
  lines,
  path,
  editing,
  comments,
  onSave,
  onEdit,
}: {
  readonly lines: readonly (DiffLine | null)[];
  readonly path: string;
  readonly editing: LineTarget | null;
  readonly comments: readonly LineComment[];
  readonly onSave: (text: string) => void;
  readonly onEdit: ((target: LineTarget) => void) | null;
}): JSX.Element | null {
  if (comments.length === 0 && editing === null) return null;
  const targets = lines.flatMap((line) => {
    const target = line === null ? null : targetOf(line, path);
    return target === null ? [] : [target];
  });
  const isHere = (place: LineTarget): boolean =>
    targets.some(({ line, side }) => place.path === path && place.line === line && place.side === side);
  const edited = editing !== null && isHere(editing) ? editing : null;
  const here = comments.filter((comment, index) => isHere(comment) && comments.indexOf(comment) === index);
  if (edited === null && here.length === 0) return null;
  const known = here.find(({ line, side }) => line === edited?.line && side === edited.side);
  return (
    <div class="line-comments">
      {here
        .filter((comment) => comment !== known)
        .map((comment) => (
          <div key={`${comment.side}${comment.line}`} class="line-comment">
            <p class="pre">{comment.text}</p>
            {onEdit === null ? null : (
              <button type="button" class="button-text" onClick={() => onEdit(comment)}>
                Edit
              </button>
            )}
          </div>
        ))}
      {edited === null ? null : (
        <Editor key={edited.line} line={edited.line} text={known?.text ?? ''} onSave={onSave} />
      )}
    </div>
  );
}

function Editor({
  line,
  text,
  onSave,
}: {
  readonly line: number;
  readonly text: string;
  readonly onSave: (text: string) => void;
}): JSX.Element {
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.focus(), []);
  const save = (): void => onSave(area.current?.value ?? '');
  return (
    <form
      class="line-comment"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) save();
        if (event.key === 'Escape') onSave(text);
      }}
    >
      <label>
        <span>{`Comment on line ${line}`}</span>
        <textarea ref={area} rows={3} defaultValue={text} />
      </label>
      <div class="row-end">
        <span class="muted">The next attempt gets it if you reject.</span>
        <button type="button" class="button" onClick={() => onSave(text)}>
          Cancel
        </button>
        <button type="submit" class="button">
          Keep comment
        </button>
      </div>
    </form>
  );
}
