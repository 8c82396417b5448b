/** The maximum length of one file's part, so that a long one doesn't crowd out the others. */
const MAX_SECTION = 4_096;
/** How many omitted files are named. */
const MAX_NAMED = 100;

/** Shortens a patch to a limit: a part of each file while there is room, some files first, then the omitted names. */
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
    const part = truncate(section);
    if (part.length > room) left.push(pathOf(section));
    else shown.push(part);
    room -= Math.min(part.length, room);
  }
  if (left.length === 0) return shown.join('');
  const more = left.length > MAX_NAMED ? ` and ${left.length - MAX_NAMED} more` : '';
  return `${shown.join('')}\n… not shown: ${left.slice(0, MAX_NAMED).join(', ')}${more}\n`;
}

function truncate(section: string): string {
  const hidden = section.length - MAX_SECTION;
  return hidden <= 0
    ? section
    : `${section.slice(0, MAX_SECTION)}\n… ${hidden} characters more of this file\n`;
}

/** The new path of the file, from the first line of its section. */
function pathOf(section: string): string {
  const [line = ''] = section.split('\n', 1);
  return (/ "?b\/(.*?)"?$/.exec(line)?.[1] ?? line).trim();
}
