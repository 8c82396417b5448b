import type { Diagnostic } from '../../../diagnostics/diagnostic.ts';
import { renderHuman } from '../../../diagnostics/render-human.ts';
import { countOf } from '../../../text/count-of.ts';
import { displayPath } from '../driving/find-workflow.ts';
import { printDiagnostics, printLines, stderrOf, type Terminal } from './terminal.ts';

export interface RefusedDocument {
  readonly name: string;
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Prints the errors that keep a command from using a document. Warnings are only counted: `validate` shows them.
 * `others` is the number of warnings outside the document that `validate` shows too.
 */
export function printRefusal(
  terminal: Terminal,
  { name, text, diagnostics }: RefusedDocument,
  others = 0,
): void {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const output = stderrOf(terminal);
  printDiagnostics(output, renderHuman(errors, { name, text }, { color: output.paint.enabled }));
  const warnings = diagnostics.length - errors.length + others;
  if (warnings > 0)
    printLines(output, [
      `conductor validate ${displayPath(name)} also shows ${countOf(warnings, 'warning')}`,
    ]);
}
