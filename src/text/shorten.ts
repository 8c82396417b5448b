/** At most `max` characters, cut after a word, with `…` in place of the rest. A word that takes most of it is cut. */
export function shorten(text: string, max: number): string {
  const characters = [...text];
  if (characters.length <= max) return text;
  const cut = characters.slice(0, Math.max(0, max - 1)).join('');
  const end = characters[max - 1] === ' ' ? cut.length : cut.lastIndexOf(' ');
  return `${(end > max / 3 ? cut.slice(0, end) : cut).trimEnd()}…`;
}

/** At most `max` characters, with `…` in place of the rest. Cuts anywhere. */
export function cutText(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 1)}…` : text;
}

/** The end of a path, from a separator on, in at most `max` characters; the last name is never cut. */
export function shortenPath(path: string, max: number): string {
  if (path.length <= max) return path;
  const names = path.split('/').filter((name) => name !== '');
  let end = names.pop() ?? '';
  for (let name = names.pop(); name !== undefined && `…/${name}/${end}`.length <= max; name = names.pop())
    end = `${name}/${end}`;
  return `…/${end}`;
}

/** A text in which no path is longer than `max` characters. */
export function shortenPaths(text: string, max: number): string {
  return text.replace(/\S*\/\S+/g, (path) => shortenPath(path, max));
}

export function firstLine(text: string): string {
  return text.trim().split(/\r?\n/, 1)[0] ?? '';
}
