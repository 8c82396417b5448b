/** Sections of a git configuration that name no program and redirect nothing. */
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

/** Whether two texts of a git configuration differ at most in settings that can't make git run or reach anything. */
export function isHarmlessSetting(before: string, after: string): boolean {
  if (before === after) return true;
  // A value that continues on the next line could hide a header there.
  return !/\\\r?$/m.test(after) && othersIn(before) === othersIn(after);
}

/** Everything outside the harmless sections, with its order. */
function othersIn(text: string): string {
  let section = '';
  return text
    .split('\n')
    .filter((line) => {
      section = sectionAfter(line, section);
      return line.trim() !== '' && !HARMLESS.has(section);
    })
    .join('\n');
}

/** Git accepts several headers in one line; the last one counts. A header that can't be read is never harmless. */
function sectionAfter(line: string, section: string): string {
  let [current, rest] = [section, line];
  for (let header = HEADER.exec(rest); header !== null; header = HEADER.exec(rest)) {
    current = (header[1] ?? '').toLowerCase();
    rest = rest.slice(header[0].length);
  }
  return rest.trimStart().startsWith('[') ? '' : current;
}
