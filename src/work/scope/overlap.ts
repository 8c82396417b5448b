import { matchesGlob } from '../../policy/globs.ts';

/**
 * Whether two items could touch the same file, according to their In Scope lists. In doubt they overlap:
 * waiting only costs time, but two agents in one file lose work.
 */
export function scopesOverlap(left: readonly string[], right: readonly string[]): boolean {
  return findOverlap(left, right) !== null;
}

/**
 * The entry of `left` that overlaps with one of `right`; null if none does. An empty list may touch any file.
 */
export function findOverlap(left: readonly string[], right: readonly string[]): string | null {
  if (left.length === 0 || right.length === 0) return left[0] ?? right[0] ?? '**';
  const others = right.map(readEntry);
  return left.find((text) => others.some((other) => entriesOverlap(readEntry(text), other))) ?? null;
}

interface Entry {
  readonly path: string;
  readonly isGlob: boolean;
  /** The folder that a glob is limited to; for a plain path, the path itself. */
  readonly base: string;
  /** Decided without access to the disk: a last segment without a dot may be a folder. */
  readonly mayBeFolder: boolean;
}

function readEntry(text: string): Entry {
  const path = text
    .trim()
    .replace(/^`(.*)`$/, '$1')
    .replace(/^(?:\.?\/)+/, '')
    .replace(/\/+$/, '');
  const mayBeFolder = /\/`?$/.test(text.trim()) || !path.slice(path.lastIndexOf('/') + 1).includes('.');
  if (path === '' || path === '.') return { path: '**', isGlob: true, base: '', mayBeFolder };
  if (!GLOB.test(path)) return { path, isGlob: false, base: path, mayBeFolder };
  const segments = path.split('/');
  const fixed = segments.slice(
    0,
    segments.findIndex((segment) => GLOB.test(segment)),
  );
  return { path, isGlob: true, base: path.startsWith('!') ? '' : fixed.join('/'), mayBeFolder };
}

const GLOB = /[*?[\]{}()!]/;

function entriesOverlap(left: Entry, right: Entry): boolean {
  // A name such as `[id].ts` is a file as well as a pattern.
  if (left.path === right.path) return true;
  if (left.isGlob && right.isGlob) return globsOverlap(left, right);
  if (left.isGlob) return globOverlapsPath(left, right);
  if (right.isGlob) return globOverlapsPath(right, left);
  return (
    isWithin(left.path, right.path) ||
    isWithin(right.path, left.path) ||
    belongToSameCode(left.path, right.path)
  );
}

/** Two patterns in the same folder overlap, unless each is limited to one extension and these differ. */
function globsOverlap(left: Entry, right: Entry): boolean {
  if (!isWithin(left.base, right.base) && !isWithin(right.base, left.base)) return false;
  const [leftKind, rightKind] = [kindOf(left.path), kindOf(right.path)];
  return leftKind === null || rightKind === null || leftKind === rightKind;
}

function kindOf(path: string): string | null {
  const last = path.slice(path.lastIndexOf('/') + 1);
  return /^\*\.(\w+)$/.exec(last)?.[1] ?? null;
}

function globOverlapsPath(glob: Entry, { path, mayBeFolder }: Entry): boolean {
  if (matchesGlob(glob.path, path)) return true;
  if (isWithin(glob.base, path) && glob.base !== '') return true;
  if (mayBeFolder && isWithin(path, glob.base)) return true;
  return [codeOf(path), ...testsOf(path)].some((beside) => matchesGlob(glob.path, beside));
}

/** Whether `inner` is `outer` or below it. */
function isWithin(inner: string, outer: string): boolean {
  return outer === '' || inner === outer || inner.startsWith(`${outer}/`);
}

const TEST_NAME = /(?:[._-](?:test|spec)(?=\.\w+$))|(?:^test_)/;

/** Tests beside a file are in its scope, so they conflict with an item that owns the file. */
function belongToSameCode(left: string, right: string): boolean {
  if (!isTest(left) && !isTest(right)) return false;
  return withoutExtension(codeOf(left)) === withoutExtension(codeOf(right));
}

function isTest(path: string): boolean {
  return codeOf(path) !== path;
}

/** The file that a test belongs to; any other path unchanged. */
function codeOf(path: string): string {
  const segments = path.split('/');
  const name = (segments.pop() ?? '').replace(TEST_NAME, '');
  if (segments.at(-1) === '__tests__') segments.pop();
  return [...segments, name].join('/');
}

function testsOf(path: string): string[] {
  const cut = path.lastIndexOf('/') + 1;
  const [folder, name] = [path.slice(0, cut), path.slice(cut)];
  const dot = name.lastIndexOf('.');
  if (dot <= 0) return [];
  const [stem, extension] = [name.slice(0, dot), name.slice(dot)];
  const tests = [`${stem}.test${extension}`, `${stem}.spec${extension}`, `${stem}_test${extension}`];
  return [...tests, name].flatMap((test) => [`${folder}${test}`, `${folder}__tests__/${test}`]);
}

function withoutExtension(path: string): string {
  return path.replace(/\.\w+$/, '');
}
