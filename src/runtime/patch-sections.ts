const MAX_LINES = 40;
const MAX_COLUMNS = 400;

/** The beginning of what a patch says of each file, in its order, without the lines that only name files. */
export function patchSections(patch: string): readonly string[] {
  const sections = patch.split(/^(?=diff --git )/m).filter((part) => part.startsWith('diff --git '));
  return sections.map((section) => {
    const lines = section.replace(/\n$/, '').split('\n');
    const from = lines.findIndex((line) => line.startsWith('@@'));
    const shown = from === -1 ? [] : lines.slice(from);
    const hidden = shown.length - MAX_LINES;
    const excerpt = shown.slice(0, MAX_LINES).map(cut);
    return [...excerpt, ...(hidden > 0 ? [`… and ${hidden} more lines`] : [])].join('\n');
  });
}

function cut(line: string): string {
  return line.length > MAX_COLUMNS ? `${line.slice(0, MAX_COLUMNS)}…` : line;
}
