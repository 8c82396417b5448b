/** Sections of a git configuration that start no program and redirect nothing. */
const HARMLESS = new Set([
  'user',
  'author',
  'committer',
  'advice',
  'color',
  'branch',
  'pull',
  'log',
  'status',
]);

const HEADER = /^\s*\[\s*([A-Za-z0-9-]+)[A-Za-z0-9.-]*(?:\s+"(?:[^"\\]|\\.)*")?\s*\]/;

/** Whether two versions of a git configuration differ only in settings that can't make git run or access anything. */
export function isHarmlessSetting(before: string, after: string): boolean {
  if (before === after) return true;
  // A value that continues on the next line could hide a header there.
  return !/\\\r?$/m.test(after) && removeHarmless(before) === removeHarmless(after);
}

/** Everything outside the harmless sections, in order. */
function removeHarmless(text: string): string {
  let section = '';
  return text
    .split('\n')
    .filter((line) => {
      section = sectionAfter(line, section);
      return line.trim() !== '' && !HARMLESS.has(section);
    })
    .join('\n');
}

/** Git accepts several headers on one line; the last one counts. A header that can't be parsed is never harmless. */
function sectionAfter(line: string, section: string): string {
  let [current, rest] = [section, line];
  for (let header = HEADER.exec(rest); header !== null; header = HEADER.exec(rest)) {
    current = (header[1] ?? '').toLowerCase();
    rest = rest.slice(header[0].length);
  }
  return rest.trimStart().startsWith('[') ? '' : current;
}
