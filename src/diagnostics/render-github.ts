import { composeMessage, type Diagnostic, type Span } from './diagnostic.ts';
import type { CheckedFile } from './render-json.ts';

/** One workflow command per line, which GitHub shows as file annotations; empty without diagnostics. */
export function renderGithub(files: readonly CheckedFile[]): string {
  return files
    .flatMap((file) => file.diagnostics.map((diagnostic) => `${annotate(file.path, diagnostic)}\n`))
    .join('');
}

function annotate(path: string, diagnostic: Diagnostic): string {
  const properties = [['file', path], ...positionOf(diagnostic.span), ['title', diagnostic.code]];
  const written = properties.map(([key, value]) => `${key}=${escapeProperty(String(value))}`).join(',');
  return `::${diagnostic.severity} ${written}::${escapeData(composeMessage(diagnostic))}`;
}

/** GitHub accepts columns only if the span starts and ends on the same line. */
function positionOf({ line, column, endLine, endColumn }: Span): (readonly [string, number])[] {
  if (line !== endLine)
    return [
      ['line', line],
      ['endLine', endLine],
    ];
  return [
    ['line', line],
    ['col', column],
    ['endLine', endLine],
    ['endColumn', endColumn],
  ];
}

/** Escapes `%` first; otherwise it would escape the other escapes again. */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
