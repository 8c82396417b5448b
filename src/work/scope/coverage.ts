import picomatch from 'picomatch/posix.js';
import { compileGlob } from '../../text/glob.ts';
import type { ScopeEntry } from '../bodies/scope-entry.ts';

/** Known facts about the tree that a patch applies to. */
export interface KnownTree {
  /** Null if no such path is known. */
  readonly isFolder: (path: string) => boolean | null;
  /** The paths of the patch itself, which imply folders too. */
  readonly paths: readonly string[];
}

export type Covers = (path: string) => boolean;

/** The first entry that covers a path. */
export function findCoveringEntry(
  entries: readonly ScopeEntry[],
  path: string,
  coverage: (entry: ScopeEntry) => Covers,
): ScopeEntry | null {
  return entries.find((entry) => coverage(entry)(path)) ?? null;
}

/**
 * Resolves each entry once, however many files a patch has. With `strict`, entries always cover everything
 * below them.
 */
export function createCoverage(
  tree: KnownTree,
  strict: boolean,
): (entry: Pick<ScopeEntry, 'path'>) => Covers {
  const known = new Map<string, Covers>();
  return ({ path }) => {
    const covers = known.get(path) ?? resolveCoverage(path, tree, strict);
    known.set(path, covers);
    return covers;
  };
}

/** An entry as a repository path: without quotes, `./`, a root, a line number and trailing slashes. */
export function entryPath(written: string, names: (path: string) => boolean = () => false): string {
  const bare = unquoted(written)
    .replace(/\\(?![[\](){}*?!+@\\])/g, '/')
    .replace(/^(?:\.?\/+)+/, '')
    .replace(/\/{2,}/g, '/')
    .replace(/\/+$/, '');
  if (names(bare)) return bare;
  const whole = bare.replace(/(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)$/, '');
  return whole === '.' ? '' : whole;
}

export function unquoted(written: string): string {
  const trimmed = written.trim();
  const inner = /^(`+|"|'|\*\*)(.+)\1$/s.exec(trimmed)?.[2];
  return inner === undefined ? trimmed : unquoted(inner);
}

function resolveCoverage(written: string, tree: KnownTree, strict: boolean): Covers {
  const path = entryPath(written, (name) => tree.paths.includes(name));
  if (path.split('/').includes('..')) return () => false;
  // A root covers everything; an empty entry covers nothing.
  if (path === '') return () => unquoted(written) !== '';
  const endsAsFolder = /\/[`"'*]*\s*$/.test(written);
  const below = strict || endsAsFolder || tree.isFolder(path) !== false;
  const literally: Covers = (other) => other === path || (below && other.startsWith(`${path}/`));
  if (!picomatch.scan(path).isGlob && !/[[\](){}!]/.test(path)) return literally;
  const isReal = tree.isFolder(path) !== null || tree.paths.some(literally);
  if (isReal) return literally;
  return patternCoverage(path, endsAsFolder, tree);
}

/**
 * Brackets occur in real names, such as `app/[id]/(shop)`: they are a pattern only if no such path exists.
 */
function patternCoverage(path: string, endsAsFolder: boolean, { paths }: KnownTree): Covers {
  const pattern = endsAsFolder ? `${path}/**` : path;
  const escaped = compile(pattern.replace(/[[\]()]/g, '\\$&'));
  return paths.some(escaped) ? escaped : compile(pattern);
}

function compile(pattern: string): Covers {
  return compileGlob(pattern, { dot: true, nonegate: true });
}
