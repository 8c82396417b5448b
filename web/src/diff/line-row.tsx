import type { JSX } from 'preact';
import type { DiffLine } from './diff-rows.ts';
import type { Token } from './tokens.ts';

/** A line of one side of a file. */
export interface LineTarget {
  readonly path: string;
  readonly line: number;
  readonly side: 'old' | 'new';
}

interface Shown {
  readonly path: string;
  readonly url: (line: number) => string;
  /** The line that the URL points at. */
  readonly marked: number | null;
  readonly onComment: ((target: LineTarget) => void) | null;
}

/** The side and number by which a line is named; null for git's own notes. */
export function targetOf(line: DiffLine, path: string): LineTarget | null {
  if (line.kind === 'removed')
    return line.oldNumber === null ? null : { path, line: line.oldNumber, side: 'old' };
  return line.newNumber === null ? null : { path, line: line.newNumber, side: 'new' };
}

const SIGNS = { added: '+', removed: '−', context: ' ', note: ' ' } as const;
const WORDS = { added: 'added', removed: 'removed', context: 'unchanged', note: 'note' } as const;

export function LineRow({ line, ...shown }: Shown & { readonly line: DiffLine }): JSX.Element {
  const target = targetOf(line, shown.path);
  return (
    <div
      class={`line is-${line.kind}${isMarked(target, shown) ? ' is-marked' : ''}`}
      data-row
      tabIndex={-1}
      {...placeOf(target)}
    >
      <Gutter
        line={line}
        number={line.oldNumber}
        target={target}
        shown={shown}
        isOther={line.kind !== 'removed'}
      />
      <Gutter
        line={line}
        number={line.newNumber}
        target={target}
        shown={shown}
        isOther={line.kind === 'removed'}
      />
      <Code line={line} />
    </div>
  );
}

export function PairRow({
  left,
  right,
  ...shown
}: Shown & { readonly left: DiffLine | null; readonly right: DiffLine | null }): JSX.Element {
  const main = right ?? left;
  const target = main === null ? null : targetOf(main, shown.path);
  return (
    <div class="pair" data-row tabIndex={-1} {...placeOf(target)}>
      <Half line={left} side="old" shown={shown} />
      <Half line={right} side="new" shown={shown} />
    </div>
  );
}

function Half({
  line,
  side,
  shown,
}: {
  readonly line: DiffLine | null;
  readonly side: 'old' | 'new';
  readonly shown: Shown;
}): JSX.Element {
  if (line === null) return <div class="line is-blank" />;
  const target = targetOf(line, shown.path);
  return (
    <div class={`line is-${line.kind}${isMarked(target, shown) ? ' is-marked' : ''}`}>
      <Gutter
        line={line}
        number={side === 'old' ? line.oldNumber : line.newNumber}
        target={target}
        shown={shown}
        isOther={false}
      />
      <Code line={line} />
    </div>
  );
}

function isMarked(target: LineTarget | null, { marked }: Shown): boolean {
  return marked !== null && target?.line === marked;
}

/** Lets the key for a comment find the line that has the focus. */
function placeOf(target: LineTarget | null): {
  'data-path'?: string;
  'data-line'?: number;
  'data-side'?: string;
} {
  return target === null
    ? {}
    : { 'data-path': target.path, 'data-line': target.line, 'data-side': target.side };
}

/** The line that has the focus; null if none has. */
export function focusedLine(): LineTarget | null {
  const row = document.activeElement?.closest<HTMLElement>('[data-line]') ?? null;
  const { path, line, side } = row?.dataset ?? {};
  if (path === undefined || line === undefined) return null;
  return { path, line: Number(line), side: side === 'old' ? 'old' : 'new' };
}

/** A line number: in a review it opens a comment, elsewhere it is the address of the line. */
function Gutter({
  line,
  number,
  target,
  shown,
  isOther,
}: {
  readonly line: DiffLine;
  readonly number: number | null;
  readonly target: LineTarget | null;
  readonly shown: Shown;
  /** The number of the side that the line isn't named by; narrow screens leave it out. */
  readonly isOther: boolean;
}): JSX.Element {
  const { onComment } = shown;
  const className = `gutter${isOther ? ' is-other' : ''}`;
  if (number === null || target === null || isOther) return <span class={className}>{number}</span>;
  if (onComment === null)
    return (
      <a
        class={className}
        href={shown.url(target.line)}
        tabIndex={-1}
        aria-label={`Line ${number}, ${WORDS[line.kind]}`}
      >
        {number}
      </a>
    );
  return (
    <button
      type="button"
      class={className}
      tabIndex={-1}
      aria-label={`Comment on line ${number}, ${WORDS[line.kind]}`}
      onClick={() => onComment(target)}
    >
      {number}
    </button>
  );
}

function Code({ line }: { readonly line: DiffLine }): JSX.Element {
  return (
    <>
      <span class="sign" aria-hidden="true">
        {SIGNS[line.kind]}
      </span>
      <code class="code">
        {line.kind === 'added' || line.kind === 'removed' ? (
          <span class="sr-only">{`${WORDS[line.kind]}: `}</span>
        ) : null}
        {line.tokens === null || line.tokens.length === 0 ? line.text || ' ' : line.tokens.map(drawToken)}
      </code>
    </>
  );
}

function drawToken({ text, kind }: Token, index: number): JSX.Element | string {
  return kind === null ? (
    text
  ) : (
    <span key={index} class={`code-${kind}`}>
      {text}
    </span>
  );
}
