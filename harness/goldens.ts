import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join, normalize, relative, sep } from 'node:path';
import { isPathInside } from '../src/text/paths.ts';
import { type Attempt, addReference, type Proposal } from './attempt.ts';
import type { GoldenOptions } from './case.ts';
import { diffImages } from './image-diff.ts';
import type { OutFolder } from './out-folder.ts';
import { diffTexts } from './text-diff.ts';
import { countText, normaliseText } from './text-match.ts';

export interface GoldenPlace {
  readonly cwd: string;
  /** The folder of the goldens, relative to `cwd`. */
  readonly folder: string;
  readonly out: OutFolder;
}

type GoldenKind = Proposal['kind'];

export interface Goldens {
  /** Compares a result with its golden. A difference is recorded as a proposal; the golden itself is never written. */
  readonly compare: (
    caseId: string,
    attempt: Attempt,
    name: string,
    content: string | Uint8Array,
    options?: GoldenOptions,
  ) => Promise<void>;
}

export function createGoldens(place: GoldenPlace): Goldens {
  const prefix = prefixOf(place.cwd);
  const results = new Map<string, { readonly caseId: string; readonly bytes: Uint8Array }>();
  return {
    compare: async (caseId, attempt, name, content, options = {}) => {
      const path = goldenPath(place, name);
      // An approval could not write a golden there.
      if (isAbsolute(place.folder) || join(prefix, path).split(sep).includes('..'))
        throw new Error(`the folder of the goldens, ${place.folder}, is outside of the repository`);
      if (typeof content !== 'string' && !(content instanceof Uint8Array))
        throw new Error(`the golden ${path} is compared with text or bytes, and was given ${typeof content}`);
      const after = bytesOf(place, content, options);
      const earlier = results.get(path);
      if (earlier !== undefined && earlier.caseId !== caseId && Buffer.compare(earlier.bytes, after) !== 0)
        throw new Error(
          `the golden ${path} is also that of the case ${earlier.caseId}, which came to another result`,
        );
      results.set(path, { caseId, bytes: after });
      const before = readGolden(place, path);
      if (before !== null && Buffer.compare(before, after) === 0) return;
      const difference = await describeDifference(path, { before, after, kind: kindOf(after), options });
      if (difference !== null) propose(place, attempt, { name, path, prefix, after, difference });
    },
  };
}

interface Found {
  readonly name: string;
  readonly path: string;
  readonly prefix: string;
  readonly after: Uint8Array;
  readonly difference: Difference;
}

function propose(
  { out }: GoldenPlace,
  attempt: Attempt,
  { name, path, prefix, after, difference }: Found,
): void {
  const { file, said, pixels } = difference;
  const proposedPath = out.write('proposed', name, after);
  const diffRef = file === null ? null : out.write('diffs', `${name}.${file.ending}`, file.content);
  attempt.observations.push(`${path} ${said}`);
  for (const reference of [proposedPath, diffRef]) if (reference !== null) addReference(attempt, reference);
  attempt.proposals.push({
    id: name,
    golden_path: join(prefix, path),
    proposed_path: proposedPath,
    kind: kindOf(after),
    ...(diffRef === null ? {} : { diff_ref: diffRef }),
    ...(pixels === undefined ? {} : { pixels }),
  });
}

/** The path from the repository to the start folder of the harness: reports name goldens relative to the repository. */
function prefixOf(cwd: string): string {
  let folder = cwd;
  while (!isRepository(folder)) {
    const parent = dirname(folder);
    if (parent === folder) return '';
    folder = parent;
  }
  return relative(folder, cwd);
}

/** Relative to the start folder of the harness. A golden must be inside the folder of the goldens. */
function goldenPath({ folder }: GoldenPlace, name: string): string {
  const leaves = isAbsolute(name) || name.split(/[\\/]/).includes('..') || name.includes('\0');
  if (leaves || normalize(name) !== name || name === '.' || name.endsWith('/'))
    throw new Error(`the golden ${JSON.stringify(name)} is not a plain path inside ${folder}`);
  return join(folder, name);
}

function readGolden({ cwd, folder }: GoldenPlace, path: string): Uint8Array | null {
  const full = join(cwd, path);
  let real: string;
  try {
    real = realpathSync(full);
  } catch {
    return null;
  }
  if (!isPathInside(realpathSync(join(cwd, folder)), real))
    throw new Error(`the golden ${path} is a link that leads out of ${folder}`);
  return readFileSync(real);
}

function bytesOf(
  place: GoldenPlace,
  content: string | Uint8Array,
  { normalise = [] }: GoldenOptions,
): Uint8Array {
  if (normalise.length === 0) return typeof content === 'string' ? Buffer.from(content) : content;
  const text = typeof content === 'string' ? content : Buffer.from(content).toString('utf8');
  return Buffer.from(normaliseText(text, normalise, { cwd: place.cwd, temp: tmpdir() }));
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function kindOf(bytes: Uint8Array): GoldenKind {
  if (PNG_SIGNATURE.equals(bytes.subarray(0, PNG_SIGNATURE.length))) return 'image';
  if (bytes.includes(0)) return 'binary';
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return 'text';
  } catch {
    return 'binary';
  }
}

interface Pair {
  readonly before: Uint8Array | null;
  readonly after: Uint8Array;
  readonly kind: GoldenKind;
  readonly options: GoldenOptions;
}

interface Difference {
  readonly said: string;
  readonly file: { readonly ending: string; readonly content: string | Uint8Array } | null;
  readonly pixels?: number;
}

/** Null if the bytes differ but the images don't. */
async function describeDifference(path: string, pair: Pair): Promise<Difference | null> {
  const { before, after, kind, options } = pair;
  const sameKind = before === null || kindOf(before) === kind;
  if (kind === 'text' && sameKind) {
    const old = before === null ? null : Buffer.from(before).toString('utf8');
    const diff = diffTexts(old, Buffer.from(after).toString('utf8'), path);
    const counts = `${countText(diff.added, 'line')} added, ${diff.removed} removed`;
    return {
      said: before === null ? `is new: ${countText(diff.added, 'line')}` : `differs: ${counts}`,
      file: { ending: 'diff', content: diff.text },
    };
  }
  if (before === null) return { said: `is new: ${after.length} bytes`, file: null };
  const image = kind === 'image' && sameKind ? await diffImages(before, after, options.tolerance ?? 0) : null;
  if (image === null || image.picture === null)
    return { said: `differs: ${before.length} bytes before, ${after.length} now`, file: null };
  if (image.differing === 0) return null;
  const { sizes } = image;
  const sizeNote = sizes.before === sizes.after ? '' : `; it was ${sizes.before} and is ${sizes.after}`;
  return {
    said: `differs in ${image.differing} of ${image.total} pixels${sizeNote}`,
    file: { ending: 'png', content: image.picture },
    pixels: image.differing,
  };
}

/** A linked worktree has a `.git` file; a `.git` folder without HEAD is not a repository. */
function isRepository(folder: string): boolean {
  const git = join(folder, '.git');
  return existsSync(join(git, 'HEAD')) || (existsSync(git) && statSync(git).isFile());
}
