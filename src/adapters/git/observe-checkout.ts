import { fstatSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { OutsideChange } from '../../contracts/surroundings.ts';
import type { Git, GitResult } from './git-command.ts';
import { commitAt } from './run-worktree.ts';

/** A file system may date a change a little earlier than the clock that was read before it. */
const CLOCK_SLACK_MS = 20;
const LOOKS_AT_ONCE = 64;

/** The files of the user's checkout that differ from its HEAD, and how they were when it was looked at. */
export interface CheckoutState {
  readonly lookedAtMs: number;
  readonly head: string | null;
  /** By path; null for one that is not there. */
  readonly stamps: ReadonlyMap<string, Stamp | null>;
}

export interface Checkout {
  readonly root: string;
  /** Runs no filters: a step may have configured one. */
  readonly git: Git;
  /** What stands before its paths when they are told: empty, or the path of a submodule and a slash. */
  readonly prefix: string;
  /** Folders in which conductors work. */
  readonly ours: readonly string[];
  /** Of the files that git ignores, only these are of interest. */
  readonly forbids: (path: string) => boolean;
}

export async function readCheckoutState(checkout: Checkout): Promise<CheckoutState> {
  const lookedAtMs = Date.now() - CLOCK_SLACK_MS;
  const [head, differing, ignored] = await Promise.all([
    commitAt(checkout.git, 'HEAD'),
    differingPaths(checkout),
    forbiddenPaths(checkout),
  ]);
  const outputs = ownOutputs();
  const paths = [...differing, ...ignored];
  const stamps = new Map<string, Stamp | null>();
  for (let at = 0; at < paths.length; at += LOOKS_AT_ONCE) {
    const some = paths.slice(at, at + LOOKS_AT_ONCE);
    const found = await Promise.all(some.map((path) => stampOf(join(checkout.root, path))));
    for (const [index, path] of some.entries()) {
      const stamp = found[index] ?? null;
      if (stamp === null || !outputs.has(stamp.file)) stamps.set(path, stamp);
    }
  }
  return { lookedAtMs, head, stamps };
}

/** What changed in the checkout since. Files that came or went with a commit that was checked out are excused. */
export async function compareCheckout(checkout: Checkout, before: CheckoutState): Promise<OutsideChange[]> {
  const now = await readCheckoutState(checkout);
  const changes: OutsideChange[] = [];
  for (const path of [...new Set([...before.stamps.keys(), ...now.stamps.keys()])].sort()) {
    const known = now.stamps.get(path);
    const stamp = known === undefined ? await stampOf(join(checkout.root, path)) : known;
    const verb = await verbOf(checkout, path, stamp, before);
    if (verb === null) continue;
    const checkedOut = now.head !== before.head && !now.stamps.has(path);
    const excuse = checkedOut ? 'another commit was checked out there' : null;
    changes.push({ place: 'checkout', subject: `${checkout.prefix}${path}`, verb, excuse, putBack: false });
  }
  return changes;
}

async function verbOf(
  checkout: Checkout,
  path: string,
  stamp: Stamp | null,
  before: CheckoutState,
): Promise<OutsideChange['verb'] | null> {
  const old = before.stamps.get(path);
  if (old !== undefined) {
    if (stamp?.text === old?.text) return null;
    return stamp === null ? 'deleted' : old === null ? 'created' : 'changed';
  }
  // It was as in HEAD, or not there. Staging alone makes it differ too, and touches no file.
  if (stamp === null) return (await isInCommit(checkout.git, before.head, path)) ? 'deleted' : null;
  if (stamp.changedAtMs < before.lookedAtMs) return null;
  return (await isInCommit(checkout.git, before.head, path)) ? 'changed' : 'created';
}

async function isInCommit(git: Git, commit: string | null, path: string): Promise<boolean> {
  if (commit === null) return false;
  return (await git(['cat-file', '-e', `${commit}:${path}`], { answers: [1, 128] })).exitCode === 0;
}

/** Submodules are checkouts of their own; git would start another git in each, with a configuration of its own. */
async function differingPaths(checkout: Checkout): Promise<string[]> {
  const argv = ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=all'];
  const listed = await checkout.git([...argv, '--ignore-submodules=dirty']);
  return pathsIn(listed)
    .map((line) => line.slice(3))
    .filter(notOurs(checkout));
}

/** Folders that are ignored as a whole are not looked into: they hold dependencies and build output. */
async function forbiddenPaths(checkout: Checkout): Promise<string[]> {
  const argv = ['ls-files', '-o', '-i', '-z', '--exclude-standard', '--directory'];
  const paths = pathsIn(await checkout.git(argv));
  return paths.filter((path) => !path.endsWith('/') && checkout.forbids(path)).filter(notOurs(checkout));
}

function pathsIn({ stdout }: GitResult): string[] {
  return stdout
    .toString('utf8')
    .split('\0')
    .filter((line) => line !== '');
}

function notOurs({ root, ours }: Checkout): (path: string) => boolean {
  const folders = ours.map((folder) => relative(root, folder));
  return (path) => !folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

/** `conductor run … 2> log` may have its log in the checkout, and writes to it while a step runs. */
function ownOutputs(): ReadonlySet<string> {
  const outputs = [1, 2].flatMap((descriptor) => {
    try {
      const found = fstatSync(descriptor, { bigint: true });
      return found.isFile() ? [fileOf(found)] : [];
    } catch {
      // Whoever started us closed it.
      return [];
    }
  });
  return new Set(outputs);
}

function fileOf({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string {
  return `${dev} ${ino}`;
}

export interface Stamp {
  readonly text: string;
  /** Which file it is, whatever it is called. */
  readonly file: string;
  readonly changedAtMs: number;
}

/** The time of the last change of a file's state is the system's own: no program sets it. */
export async function stampOf(path: string): Promise<Stamp | null> {
  const found = await lstat(path, { bigint: true }).catch(() => null);
  if (found === null) return null;
  const { ino, size, mode, ctimeNs } = found;
  return {
    text: `${ino} ${size} ${mode} ${ctimeNs}`,
    file: fileOf(found),
    changedAtMs: Number(ctimeNs / 1_000_000n),
  };
}
