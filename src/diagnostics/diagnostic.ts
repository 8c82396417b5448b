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
    message: clipText(parts.message),
    span: parts.span,
    label: parts.label ?? null,
    related: parts.related ?? [],
    notes: (parts.notes ?? []).map(clipText),
    help: typeof parts.help === 'string' ? clipText(parts.help) : null,
  };
}

/** A quoted name can be as long as a file, so texts are truncated. */
const MAX_TEXT_LENGTH = 4000;

function clipText(text: string): string {
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH - 1)}…` : text;
}

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
