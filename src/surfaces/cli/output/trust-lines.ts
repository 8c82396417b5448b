import { PART_KINDS } from '../../../contracts/config/trust.ts';
import type { ComparedPart } from '../../../trust/compare-parts.ts';
import { type Paint, printable } from './terminal.ts';

/** The parts of a repository that need trust, by kind; a changed part also shows the text that was trusted before. */
export function trustLines(paint: Paint, parts: readonly ComparedPart[]): string {
  const lines = PART_KINDS.flatMap((kind) => {
    const ofKind = parts.filter((part) => part.kind === kind);
    return ofKind.length === 0
      ? []
      : [`  ${paint.bold(kind)}`, ...ofKind.flatMap((part) => partLines(paint, part))];
  });
  return `${lines.join('\n')}\n`;
}

function partLines(paint: Paint, { kind, name, text, state, before }: ComparedPart): string[] {
  const label = name === kind ? '' : `${printable(name)}: `;
  const [first = '', ...more] = text.split('\n').map(printable);
  const head = state === 'changed' ? `    ${paint.green(`+ ${label}${first}`)}` : `    ${label}${first}`;
  const rest = more.map((line) => `      ${line}`);
  if (before === null) return [head, ...rest];
  const old = before.split('\n').map((line) => `    ${paint.red(`- ${label}${printable(line)}`)}`);
  return [...old, head, ...rest];
}
