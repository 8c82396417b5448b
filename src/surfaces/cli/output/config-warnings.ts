import type { PlacedWarning } from '../../../diagnostics/diagnostic.ts';
import { displayPath } from '../driving/find-workflow.ts';
import { type Paint, printLines, stderrOf, type Terminal } from './terminal.ts';

/** A warning as one line; `conductor validate` on the configuration shows the details. */
export function configWarningLine(paint: Paint, { name, line, code, message }: PlacedWarning): string {
  const place = line === null ? name : `${displayPath(name)}:${line}`;
  return `${paint.yellow(`warning[${code}]:`)} ${place} ${message}`;
}

export function printConfigWarnings(terminal: Terminal, warnings: readonly PlacedWarning[]): void {
  printLines(
    stderrOf(terminal),
    warnings.map((warning) => configWarningLine(terminal.paint, warning)),
  );
}
