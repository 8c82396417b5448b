import { visibleLength } from './visible-length.ts';

/** Wraps a line at spaces to at most `width` characters. Lines after the first are indented by two more spaces. */
export function wrapLine(line: string, width: number): string[] {
  if (visibleLength(line) <= width) return [line];
  const indent = /^ */.exec(line)?.[0] ?? '';
  const lines: string[] = [];
  let current = indent;
  for (const word of line.slice(indent.length).split(/(?<= )(?! )/)) {
    if (current.trim() !== '' && visibleLength(current) + visibleLength(word.trimEnd()) > width) {
      lines.push(current.trimEnd());
      current = `${indent}  `;
    }
    current += word;
  }
  return [...lines, current.trimEnd()];
}
