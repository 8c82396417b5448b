import { readFileSync } from 'node:fs';

/**
 * Command lines of `test/fixtures/command-lines`: one per line, longer ones between `<<<<` and `>>>>`. Headings begin with `##`.
 */
export function readCommandLines(name: string): string[] {
  const url = new URL(`../../../fixtures/command-lines/${name}.txt`, import.meta.url);
  const lines: string[] = [];
  let open: string[] | null = null;
  for (const text of readFileSync(url, 'utf8').split('\n')) {
    if (text === '<<<<') open = [];
    else if (text === '>>>>') {
      lines.push((open ?? []).join('\n'));
      open = null;
    } else if (open !== null) open.push(text);
    else if (text !== '' && !text.startsWith('##')) lines.push(text);
  }
  return lines;
}
