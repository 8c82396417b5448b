/** Parses the paths in a patch. */

interface ReadPath {
  readonly path: string;
  /** The text after it on the line. */
  readonly rest: string;
}

const ESCAPES: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  '"': 34,
  '\\': 92,
};

/** A quoted path, in which git writes bytes as octal numbers. Null if the quotes aren't closed. */
function readQuotedPath(text: string): ReadPath | null {
  const end = /^"(?:[^"\\]|\\.)*"/.exec(text)?.[0].length;
  if (end === undefined) return null;
  const bytes: number[] = [];
  for (const [token] of text.slice(1, end - 1).matchAll(/\\[0-7]{3}|\\.|[^\\]/gsu)) {
    if (/^\\[0-7]{3}$/.test(token)) bytes.push(Number.parseInt(token.slice(1), 8) % 256);
    else if (token.startsWith('\\')) bytes.push(ESCAPES[token.slice(1)] ?? token.charCodeAt(1));
    else bytes.push(...new TextEncoder().encode(token));
  }
  return { path: new TextDecoder().decode(new Uint8Array(bytes)), rest: text.slice(end) };
}

/** The path after `---`, `+++`, `rename from` and similar. A tab ends it if a timestamp follows. */
export function readPath(text: string): string | null {
  if (text.startsWith('"')) return readQuotedPath(text)?.path ?? null;
  const tab = text.indexOf('\t');
  return (tab < 0 ? text : text.slice(0, tab)).replace(/\r$/, '');
}

/** For a file that doesn't exist on one side, some tools write the epoch as its timestamp instead of `/dev/null`. */
const EPOCH = /^(?:1970-01-01|1969-12-31|\w{3} (?:Jan +1|Dec 31) .*19(?:70|69)$)/;

/** The path after `---` or `+++`. */
export function readNamedPath(text: string): string | null {
  const time = text.slice(text.lastIndexOf('\t') + 1);
  return text.includes('\t') && EPOCH.test(time) ? '/dev/null' : readPath(text);
}

/** A path without empty and `.` segments. */
export function normalPath(path: string): string {
  const parts = path.split('/').filter((part, index) => part !== '.' && (part !== '' || index === 0));
  return parts.join('/');
}

/** Both paths of `diff --git`. Without quotes they can only be separated if both names are the same. */
export function readPathPair(text: string): readonly [string, string] | null {
  if (text.startsWith('"')) {
    const first = readQuotedPath(text);
    const second = first === null ? null : readPath(first.rest.replace(/^ /, ''));
    return first === null || second === null ? null : [first.path, second];
  }
  const quoted = text.indexOf(' "');
  if (quoted >= 0) {
    const second = readQuotedPath(text.slice(quoted + 1));
    return second === null ? null : [text.slice(0, quoted), second.path];
  }
  const half = (text.length - 1) / 2;
  const [left, right] = [text.slice(0, half), text.slice(half + 1)];
  const same = text[half] === ' ' && withoutSide(left, right)[0] === withoutSide(left, right)[1];
  if (same) return [left, right];
  const words = text.split(' ');
  const [first, second] = words;
  return words.length === 2 && first !== undefined && second !== undefined ? [first, second] : null;
}

const SIDES: readonly string[] = ['ab', 'ba', 'iw', 'wi', 'ci', 'ic', 'cw', 'wc', 'ow', 'wo', '12'];

/**
 * Removes `a/` and `b/`, but only if both paths have them: a folder may be called `a`. If the `diff --git` line has
 * identical paths, they have no prefixes. Prefixes longer than one letter are removed if nothing else differs.
 */
export function withoutSide(
  left: string,
  right: string,
  header: readonly [string, string] | null = null,
): readonly [string, string] {
  const [isLeftMissing, isRightMissing] = [left === '/dev/null', right === '/dev/null'];
  if ((isLeftMissing && isRightMissing) || (header !== null && header[0] === header[1])) return [left, right];
  const [leftRest, rightRest] = [left.slice(left.indexOf('/')), right.slice(right.indexOf('/'))];
  if (left !== right && leftRest === rightRest && leftRest.startsWith('/'))
    return [leftRest.slice(1), rightRest.slice(1)];
  const sides = `${isLeftMissing ? '' : left[0]}${isRightMissing ? '' : right[0]}`;
  const known = SIDES.some((pair) =>
    sides.length === 2 ? pair === sides : pair[isLeftMissing ? 1 : 0] === sides,
  );
  const slashed = (isLeftMissing || left[1] === '/') && (isRightMissing || right[1] === '/');
  if (!known || !slashed) return [left, right];
  return [isLeftMissing ? left : left.slice(2), isRightMissing ? right : right.slice(2)];
}
