import { cutText } from '../text/shorten.ts';
import { type Code, DOCUMENT_CODES, type DocumentCode, type Severity } from './codes.ts';

/** Lines and columns count from 1; the end column is exclusive. */
export interface Span {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

export interface RelatedSpan {
  readonly message: string;
  readonly span: Span;
}

/** One problem in a document of the user. It is data and is never thrown. */
export interface Diagnostic {
  readonly code: Code;
  readonly severity: Severity;
  readonly message: string;
  readonly span: Span;
  readonly label: string | null;
  readonly related: readonly RelatedSpan[];
  readonly notes: readonly string[];
  readonly help: string | null;
}

export interface DiagnosticParts {
  readonly message: string;
  readonly span: Span;
  readonly label?: string | null;
  readonly related?: readonly RelatedSpan[];
  readonly notes?: readonly string[];
  readonly help?: string | null;
}

/** A one-line warning for users who did not ask to check this document. */
export interface PlacedWarning {
  /** The file or the environment variable. */
  readonly name: string;
  /** Null for an environment variable. */
  readonly line: number | null;
  readonly code: Code;
  readonly message: string;
  readonly help: string | null;
}

export function createDiagnostic(code: DocumentCode, parts: DiagnosticParts): Diagnostic {
  return diagnosticOf(code, DOCUMENT_CODES[code].severity, parts);
}

/** For a code that a workflow rule declares. */
export function diagnosticOf(code: Code, severity: Severity, parts: DiagnosticParts): Diagnostic {
  return {
    code,
    severity,
    message: cutText(parts.message, MAX_TEXT_LENGTH),
    span: parts.span,
    label: parts.label ?? null,
    related: parts.related ?? [],
    notes: (parts.notes ?? []).map((note) => cutText(note, MAX_TEXT_LENGTH)),
    help: typeof parts.help === 'string' ? cutText(parts.help, MAX_TEXT_LENGTH) : null,
  };
}

/** A quoted name can be as long as a file, so texts are truncated. */
const MAX_TEXT_LENGTH = 4000;

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === 'error');
}

/** Sorts by position, errors before warnings at the same position, and removes duplicates. */
export function arrangeDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const seen = new Set<string>();
  const unique = diagnostics.filter((diagnostic) => {
    const { line, column } = diagnostic.span;
    const key = JSON.stringify([diagnostic.code, line, column, diagnostic.message]);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  return unique.sort(compareDiagnostics);
}

function compareDiagnostics(a: Diagnostic, b: Diagnostic): number {
  return (
    a.span.line - b.span.line ||
    a.span.column - b.span.column ||
    compareText(a.severity, b.severity) ||
    compareText(a.code, b.code) ||
    compareText(a.message, b.message)
  );
}

/** Compares code units, so that the order of a report does not depend on the locale. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Authors fix some problems and check again long before they read this many. */
export const MAX_DIAGNOSTICS = 200;

/** Keeps the first diagnostics in order, preferring errors; a note on the last one says that there are more. */
export function limitDiagnostics(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  if (diagnostics.length <= MAX_DIAGNOSTICS) return diagnostics;
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const room = { error: MAX_DIAGNOSTICS, warning: Math.max(0, MAX_DIAGNOSTICS - errors) };
  const shown = diagnostics.filter(({ severity }) => {
    room[severity] -= 1;
    return room[severity] >= 0;
  });
  return shown.map((diagnostic, index) =>
    index === shown.length - 1 ? { ...diagnostic, notes: [...diagnostic.notes, MORE] } : diagnostic,
  );
}

const MORE = `there are more problems; only ${MAX_DIAGNOSTICS} are shown`;

/** Message, notes and help in one text, for tools that show a single text per diagnostic. */
export function composeMessage({ message, notes, help }: Diagnostic): string {
  const tail = [...notes.map((note) => `note: ${note}`), ...(help === null ? [] : [`help: ${help}`])];
  return [message, ...tail].join('\n');
}
