/** One line as several of at most `width` characters, broken at spaces only. Lines after the first are indented two more. */
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
