const MAX_LINES = 40;
const MAX_COLUMNS = 400;

/** The beginning of each file's hunks in a patch, in order, without header lines. */
export function patchSections(patch: string): readonly string[] {
  const sections = patch.split(/^(?=diff --git )/m).filter((part) => part.startsWith('diff --git '));
  return sections.map((section) => {
    const from = section.search(/^@@/m);
    return from === -1 ? '' : excerptOf(section.slice(from));
  });
}

export function excerptOf(text: string): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const hidden = lines.length - MAX_LINES;
  const excerpt = lines.slice(0, MAX_LINES).map(truncate);
  return [...excerpt, ...(hidden > 0 ? [`… and ${hidden} more lines`] : [])].join('\n');
}

function truncate(line: string): string {
  return line.length > MAX_COLUMNS ? `${line.slice(0, MAX_COLUMNS)}…` : line;
}
