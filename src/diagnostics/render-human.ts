import { replaceUnsafe } from '../text/outside-text.ts';
import type { Severity } from './codes.ts';
import type { Diagnostic, Span } from './diagnostic.ts';

export interface RenderSource {
  readonly name: string;
  readonly text: string;
}

/** A diagnostic, or a problem of another kind of document with its own codes. */
export type Renderable = Omit<Diagnostic, 'code'> & { readonly code: string };

export interface RenderOptions {
  readonly color: boolean;
}

/** Longer lines are cut around the reported span. */
const EXCERPT_WIDTH = 160;

/** Renders blocks in the style of rustc, separated by blank lines; empty without diagnostics. */
export function renderHuman(
  diagnostics: readonly Renderable[],
  source: RenderSource,
  options: RenderOptions,
): string {
  const lines = shownLines(diagnostics, source.text);
  const paint = createPaint(options.color);
  return diagnostics.map((diagnostic) => renderOne(diagnostic, source.name, lines, paint)).join('\n');
}

/** Frames for errors, then one line for each warning. */
export function renderBrief(
  diagnostics: readonly Renderable[],
  source: RenderSource,
  options: RenderOptions,
): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const warnings = diagnostics.filter(({ severity }) => severity !== 'error');
  const frames = renderHuman(errors, source, options);
  const lines = warnings.map((each) => renderLine(each, source.name, options));
  return `${frames}${frames === '' || lines.length === 0 ? '' : '\n'}${lines.join('')}`;
}

function renderLine(
  { severity, code, span, message }: Renderable,
  name: string,
  { color }: RenderOptions,
): string {
  const head = createPaint(color).severity(severity, `${severity}[${code}]`);
  return `${head}: ${name}:${span.line} ${printable(message)}\n`;
}

/** The lines that diagnostics point at, by number. A file can have millions, and only a few are shown. */
type Lines = ReadonlyMap<number, string>;

function shownLines(diagnostics: readonly Renderable[], text: string): Lines {
  const wanted = diagnostics.flatMap(({ span, related }) => [
    span.line,
    ...related.map((one) => one.span.line),
  ]);
  const lines = new Map<number, string>();
  let number = 1;
  let start = 0;
  for (const line of [...new Set(wanted)].sort((a, b) => a - b)) {
    for (; number < line && start >= 0; number += 1) start = text.indexOf('\n', start) + 1 || -1;
    if (start < 0) break;
    const end = text.indexOf('\n', start);
    lines.set(line, text.slice(start, end < 0 ? text.length : end).replace(/\r$/, ''));
  }
  return lines;
}

function renderOne(diagnostic: Renderable, name: string, lines: Lines, paint: Paint): string {
  const { severity, code, span } = diagnostic;
  const places = [span, ...diagnostic.related.map((related) => related.span)];
  const width = Math.max(...places.map((place) => String(place.line).length));
  const margin = ' '.repeat(width);
  const bar = paint.frame('|');
  const out = [
    `${paint.severity(severity, `${severity}[${code}]`)}${paint.strong(`: ${printable(diagnostic.message)}`)}`,
    `${margin}${paint.frame('-->')} ${name}:${span.line}:${span.column}`,
    `${margin} ${bar}`,
    ...excerpt({ span, text: diagnostic.label, mark: '^', severity }, lines, width, paint),
  ];
  for (const related of diagnostic.related) {
    out.push(
      `${margin} ${paint.frame(':::')} ${name}:${related.span.line}:${related.span.column}`,
      ...excerpt(
        { span: related.span, text: related.message, mark: '-', severity: null },
        lines,
        width,
        paint,
      ),
    );
  }
  const tail = [
    ...diagnostic.notes.map((note) => ['note', note]),
    ...(diagnostic.help === null ? [] : [['help', diagnostic.help]]),
  ];
  if (tail.length > 0) out.push(`${margin} ${bar}`);
  for (const [kind, text] of tail) {
    out.push(`${margin} ${paint.frame('=')} ${paint.strong(`${kind}:`)} ${printable(text ?? '')}`);
  }
  return `${out.join('\n')}\n`;
}

interface Mark {
  readonly span: Span;
  readonly text: string | null;
  readonly mark: '^' | '-';
  readonly severity: Severity | null;
}

function excerpt(mark: Mark, lines: Lines, width: number, paint: Paint): string[] {
  const { span } = mark;
  const full = lines.get(span.line) ?? '';
  const lineEnd = full.length + 1;
  const end = span.endLine === span.line ? Math.min(span.endColumn, lineEnd) : lineEnd;
  const from = span.column > EXCERPT_WIDTH - 40 ? span.column - 40 : 0;
  const shown = full.slice(from, from + EXCERPT_WIDTH);
  const length = Math.max(1, Math.min(end - span.column, EXCERPT_WIDTH));
  const before = full.slice(from, span.column - 1);
  const carets = mark.mark.repeat(columns(full.slice(span.column - 1, span.column - 1 + length)));
  const label = mark.text === null ? '' : ` ${printable(mark.text)}`;
  const painted = paint.severity(mark.severity, `${carets}${label}`);
  const number = String(span.line).padStart(width);
  const bar = paint.frame('|');
  return [
    `${paint.frame(number)} ${bar} ${printable(shown)}`,
    `${' '.repeat(width)} ${bar} ${' '.repeat(before === '' ? 0 : columns(before))}${painted}`,
  ];
}

/** Characters that most terminals show two cells wide, so that carets align with the text. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}]/u;

function columns(text: string): number {
  let count = 0;
  for (const character of printable(text)) count += WIDE.test(character) ? 2 : 1;
  return Math.max(1, count);
}

/** Puts the text on one line without unsafe characters, so that text from a document can't control the terminal. */
function printable(text: string): string {
  return replaceUnsafe(text, () => '\ufffd')
    .replaceAll('\t', ' ')
    .replaceAll('\n', '\ufffd');
}

interface Paint {
  readonly severity: (severity: Severity | null, text: string) => string;
  readonly strong: (text: string) => string;
  readonly frame: (text: string) => string;
}

function createPaint(color: boolean): Paint {
  const wrap = (style: string) => (text: string) => (color ? `\u001b[${style}m${text}\u001b[0m` : text);
  const red = wrap('1;31');
  const yellow = wrap('1;33');
  const blue = wrap('1;34');
  return {
    severity: (severity, text) => {
      if (severity === null) return blue(text);
      return severity === 'error' ? red(text) : yellow(text);
    },
    strong: wrap('1'),
    frame: blue,
  };
}
