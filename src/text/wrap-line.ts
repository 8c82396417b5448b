/** Wraps a line at spaces to at most `width` characters. Lines after the first are indented by two more spaces. */
export function wrapLine(line: string, width: number): string[] {
  if (line.length <= width) return [line];
  const indent = /^ */.exec(line)?.[0] ?? '';
  const lines: string[] = [];
  let current = indent;
  for (const word of line.slice(indent.length).split(/(?<= )(?! )/)) {
    if (current.trim() !== '' && current.length + word.trimEnd().length > width) {
      lines.push(current.trimEnd());
      current = `${indent}  `;
    }
    current += word;
  }
  return [...lines, current.trimEnd()];
}
