import picomatch from 'picomatch/posix.js';
import { compileGlob } from '../../text/glob.ts';
import type { ScopeEntry } from '../scope-entry.ts';

/** What is known of the tree that a patch is for. */
export interface KnownTree {
  /** Null where nothing of that name is known. */
  readonly isFolder: (path: string) => boolean | null;
  /** The paths of the patch itself, which tell of folders too. */
  readonly paths: readonly string[];
}

export type Covers = (path: string) => boolean;

/** The first entry that covers a path. */
export function coveringEntry(
  entries: readonly ScopeEntry[],
  path: string,
  coverage: (entry: ScopeEntry) => Covers,
): ScopeEntry | null {
  return entries.find((entry) => coverage(entry)(path)) ?? null;
}

/** Looks an entry up once, however many files a patch has. `strict` entries cover what is below in any case. */
export function createCoverage(tree: KnownTree, strict: boolean): (entry: ScopeEntry) => Covers {
  const known = new Map<string, Covers>();
  return ({ path }) => {
    const covers = known.get(path) ?? coverageOf(path, tree, strict);
    known.set(path, covers);
    return covers;
  };
}

/** An entry as a path of the repository: without quotes, `./`, a root, a line number and slashes at its end. */
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

function coverageOf(written: string, tree: KnownTree, strict: boolean): Covers {
  const path = entryPath(written, (name) => tree.paths.includes(name));
  if (path.split('/').includes('..')) return () => false;
  // A root covers all; an empty entry names nothing.
  if (path === '') return () => unquoted(written) !== '';
  const endsAsFolder = /\/[`"'*]*\s*$/.test(written);
  const below = strict || endsAsFolder || tree.isFolder(path) !== false;
  const literally: Covers = (other) => other === path || (below && other.startsWith(`${path}/`));
  if (!picomatch.scan(path).isGlob && !/[[\](){}!]/.test(path)) return literally;
  const isReal = tree.isFolder(path) !== null || tree.paths.some(literally);
  if (isReal) return literally;
  return patternCoverage(path, endsAsFolder, tree);
}

/** Brackets stand in real names, such as `app/[id]/(shop)`: they are read as a pattern only where no such name is. */
function patternCoverage(path: string, endsAsFolder: boolean, { paths }: KnownTree): Covers {
  const pattern = endsAsFolder ? `${path}/**` : path;
  const escaped = compile(pattern.replace(/[[\]()]/g, '\\$&'));
  return paths.some(escaped) ? escaped : compile(pattern);
}

function compile(pattern: string): Covers {
  return compileGlob(pattern, { dot: true, nonegate: true });
}
