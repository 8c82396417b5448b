/** Characters of one file; a long one must not hide the others. */
const MAX_SECTION = 4_096;
/** Files that did not fit, named one by one. */
const MAX_NAMED = 100;

/** A patch that fits a limit: a part of every file as long as there is room, some files first, then the names of the rest. */
export function excerptPatch(patch: string, limit: number, isFirst: (path: string) => boolean): string {
  const sections = patch.split(/^(?=diff --git )/m).filter((part) => part.trim() !== '');
  const ordered = [
    ...sections.filter((section) => isFirst(pathOf(section))),
    ...sections.filter((section) => !isFirst(pathOf(section))),
  ];
  const shown: string[] = [];
  const left: string[] = [];
  let room = limit;
  for (const section of ordered) {
    const part = cut(section);
    if (part.length > room) left.push(pathOf(section));
    else shown.push(part);
    room -= Math.min(part.length, room);
  }
  if (left.length === 0) return shown.join('');
  const more = left.length > MAX_NAMED ? ` and ${left.length - MAX_NAMED} more` : '';
  return `${shown.join('')}\n… not shown: ${left.slice(0, MAX_NAMED).join(', ')}${more}\n`;
}

function cut(section: string): string {
  const hidden = section.length - MAX_SECTION;
  return hidden <= 0
    ? section
    : `${section.slice(0, MAX_SECTION)}\n… ${hidden} characters more of this file\n`;
}

/** The new name of the file, as the first line of its section has it. */
function pathOf(section: string): string {
  const [line = ''] = section.split('\n', 1);
  return (/ "?b\/(.*?)"?$/.exec(line)?.[1] ?? line).trim();
}
