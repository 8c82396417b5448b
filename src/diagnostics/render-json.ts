import type { Severity } from './codes.ts';
import { type Diagnostic, hasErrors } from './diagnostic.ts';

export interface CheckedFile {
  /** As the user gave it. */
  readonly path: string;
  readonly diagnostics: readonly Diagnostic[];
}

const VALIDATE_SCHEMA_VERSION = 1;

/** The document of `validate --json`. */
export interface ValidateDocument {
  readonly schema_version: number;
  readonly ok: boolean;
  readonly files: readonly {
    readonly path: string;
    readonly ok: boolean;
    readonly diagnostics: readonly JsonDiagnostic[];
  }[];
}

export interface JsonDiagnostic {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly line: number;
  readonly column: number;
  readonly end_line: number;
  readonly end_column: number;
  readonly related: readonly { readonly message: string; readonly line: number; readonly column: number }[];
  readonly notes: readonly string[];
  readonly help: string | null;
}

/** A file with warnings only is `ok`. */
export function renderJson(files: readonly CheckedFile[]): ValidateDocument {
  return {
    schema_version: VALIDATE_SCHEMA_VERSION,
    ok: files.every((file) => !hasErrors(file.diagnostics)),
    files: files.map((file) => ({
      path: file.path,
      ok: !hasErrors(file.diagnostics),
      diagnostics: file.diagnostics.map(toJson),
    })),
  };
}

function toJson(diagnostic: Diagnostic): JsonDiagnostic {
  const { span } = diagnostic;
  return {
    code: diagnostic.code,
    severity: diagnostic.severity,
    message: diagnostic.message,
    line: span.line,
    column: span.column,
    end_line: span.endLine,
    end_column: span.endColumn,
    related: diagnostic.related.map((related) => ({
      message: related.message,
      line: related.span.line,
      column: related.span.column,
    })),
    notes: [...diagnostic.notes],
    help: diagnostic.help,
  };
}
