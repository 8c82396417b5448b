import { join } from 'node:path';
import type { OutsideChange } from '../../contracts/surroundings.ts';
import type { RefState } from '../../contracts/workspace-change.ts';
import type { Observed, StepTraces } from '../../ports/surroundings.ts';
import { readFileHere } from './file-kind.ts';
import { type Git, GitError, type GitResult } from './git-command.ts';
import { moveOwnRef } from './own-ref.ts';
import { commitAt } from './run-worktree.ts';
import { keepUnderNewRef, salvageRefOf } from './salvage-refs.ts';

/** What of a repository's refs the refs themselves do not tell. */
export interface RefSurroundings {
  /** Symbolic refs, and what they point at. */
  readonly symbolic: ReadonlyMap<string, string>;
  /** Commits of the stash, newest first. */
  readonly stash: readonly string[];
  /** Snapshots and salvages of the run, with their commits. */
  readonly own: ReadonlyMap<string, string>;
  /** Refs of remotes on this machine, under `<remote> <ref>`. */
  readonly remoteRefs: ReadonlyMap<string, string>;
}

export interface RefPlace {
  readonly git: Git;
  readonly gitDir: string;
  readonly runId: string;
}

export async function readRefSurroundings({ git, gitDir, runId }: RefPlace): Promise<RefSurroundings> {
  const [symbolic, stash, own, remoteRefs] = await Promise.all([
    readSymbolicRefs(git),
    readStash(gitDir),
    readOwnRefs(git, runId),
    readLocalRemotes(git),
  ]);
  return { symbolic, stash, own, remoteRefs };
}

/** Snapshots and salvages that a step moved or deleted are where they were again; new ones are the conductor's. */
export async function settleOwnRefs(place: RefPlace, before: RefSurroundings): Promise<OutsideChange[]> {
  const now = await readOwnRefs(place.git, place.runId);
  const changes: OutsideChange[] = [];
  for (const [ref, commit] of before.own) {
    if (now.get(ref) === commit) continue;
    const putBack = await moveOwnRef(place.git, ref, commit).then(
      () => true,
      (error: unknown) => {
        // Git refuses when the commit itself is gone, which must not keep the deed from being told.
        if (error instanceof GitError) return false;
        throw error;
      },
    );
    const verb = now.has(ref) ? 'changed' : 'deleted';
    changes.push({ place: 'own_ref', subject: ref, verb, excuse: null, putBack });
  }
  return changes;
}

/** The branches that remotes call their default. */
export function defaultBranchesOf({ symbolic }: RefSurroundings): string[] {
  return [...symbolic].flatMap(([name, target]) => {
    const remote = /^refs\/remotes\/(.+)\/HEAD$/.exec(name)?.[1];
    const prefix = `refs/remotes/${remote ?? ''}/`;
    return remote !== undefined && target.startsWith(prefix) ? [target.slice(prefix.length)] : [];
  });
}

export async function compareRefSurroundings(
  { git }: RefPlace,
  before: RefSurroundings,
  after: RefSurroundings,
): Promise<OutsideChange[]> {
  const dropped = before.stash.filter((commit) => !after.stash.includes(commit));
  const pushed: OutsideChange[] = [];
  for (const change of differences('remote_ref', before.remoteRefs, after.remoteRefs)) {
    const value = after.remoteRefs.get(change.subject);
    const known = value === undefined || (await commitAt(git, value)) !== null;
    pushed.push({ ...change, excuse: known ? null : 'its commit is not from this repository' });
  }
  return [
    ...differences('symbolic_ref', before.symbolic, after.symbolic),
    ...dropped.map(
      (subject): OutsideChange => ({
        place: 'stash',
        subject,
        verb: 'deleted',
        excuse: null,
        putBack: false,
      }),
    ),
    ...pushed,
  ];
}

function differences(
  place: OutsideChange['place'],
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): OutsideChange[] {
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((subject): OutsideChange[] => {
    const [old, now] = [before.get(subject), after.get(subject)];
    if (old === now) return [];
    const verb = old === undefined ? 'created' : now === undefined ? 'deleted' : 'changed';
    return [{ place, subject, verb, excuse: null, putBack: false }];
  });
}

async function readOwnRefs(git: Git, runId: string): Promise<ReadonlyMap<string, string>> {
  const places = [`refs/conductor/${runId}/`, `refs/conductor/salvage/${runId}/`];
  return pairsOf(await git(['for-each-ref', '--format=%(refname) %(objectname)', ...places]));
}

async function readSymbolicRefs(git: Git): Promise<ReadonlyMap<string, string>> {
  return pairsOf(await git(['for-each-ref', '--format=%(refname) %(symref)']));
}

function pairsOf({ stdout }: GitResult): ReadonlyMap<string, string> {
  const pairs = stdout
    .toString('utf8')
    .split('\n')
    .flatMap((line): [string, string][] => {
      const [name = '', value = ''] = line.split(' ');
      return value === '' ? [] : [[name, value]];
    });
  return new Map(pairs);
}

/** Entries below the newest are only in the log of the ref. */
async function readStash(gitDir: string): Promise<string[]> {
  const log = (await readFileHere(join(gitDir, 'logs', 'refs', 'stash'))) ?? '';
  return log
    .split('\n')
    .flatMap((line) => line.split(' ', 2)[1] ?? [])
    .reverse();
}

/** Remotes that are folders can be asked without a network. */
async function readLocalRemotes(git: Git): Promise<ReadonlyMap<string, string>> {
  const argv = ['config', '--null', '--get-regexp', String.raw`^remote\..*\.(push)?url$`];
  const listed = (await git(argv, { answers: [1] })).stdout.toString('utf8').split('\0');
  const found = new Map<string, string>();
  for (const entry of listed) {
    const at = entry.indexOf('\n');
    const remote = /^remote\.(.+)\.(?:push)?url$/s.exec(entry.slice(0, at))?.[1];
    const url = entry.slice(at + 1).replace(/^file:\/\//, '');
    if (remote === undefined || !/^\.{0,2}\//.test(url)) continue;
    const refs = await git(['ls-remote', '--quiet', '--refs', '--', url], { answers: [1, 2, 128] });
    for (const line of refs.stdout.toString('utf8').split('\n')) {
      const [value = '', name = ''] = line.split('\t');
      if (name !== '') found.set(`${remote} ${name}`, value);
    }
  }
  return found;
}

/** How refs moved, with their old values kept so that a person can put them back. */
export async function traceRefs(
  place: RefPlace,
  step: StepTraces,
  ownBranchRef: string,
): Promise<Pick<Observed, 'rewritten' | 'pushed' | 'salvaged'>> {
  const rewritten: string[] = [];
  const pushed: string[] = [];
  const salvaged: { ref: string; commit: string }[] = [];
  for (const { name, old, now } of movedRefs(step.refsBefore, step.refsAfter)) {
    if (old !== null && now !== null && !(await isAncestor(place.git, old, now))) rewritten.push(name);
    if (name.startsWith('refs/remotes/') && (await wasPushed(place.gitDir, name))) pushed.push(name);
    if (old !== null && name !== ownBranchRef && !step.excused.includes(name))
      salvaged.push(await keepOldValue(place, name, old, step.entry));
  }
  return { rewritten, pushed, salvaged };
}

/** Entries of the stash that were dropped would be lost with the next clean-up of git. */
export async function keepStashEntries(
  { git, runId }: RefPlace,
  changes: readonly OutsideChange[],
  newest: string | undefined,
): Promise<Observed['salvaged']> {
  const kept: { ref: string; commit: string }[] = [];
  for (const { place, subject } of changes) {
    if (place !== 'stash' || subject === newest) continue;
    const ref = `refs/conductor/${runId}/stash/${subject}`;
    await moveOwnRef(git, ref, subject);
    kept.push({ ref, commit: subject });
  }
  return kept;
}

function movedRefs(before: RefState, after: RefState) {
  const [olds, news] = [new Map(Object.entries(before.refs)), new Map(Object.entries(after.refs))];
  return [...new Set([...olds.keys(), ...news.keys()])]
    .sort()
    .map((name) => ({ name, old: olds.get(name) ?? null, now: news.get(name) ?? null }))
    .filter(({ old, now }) => old !== now);
}

async function isAncestor(git: Git, old: string, now: string): Promise<boolean> {
  return (await git(['merge-base', '--is-ancestor', old, now], { answers: [1, 128] })).exitCode === 0;
}

/** Git writes into the log of a remote-tracking ref how it came to its value. */
async function wasPushed(gitDir: string, name: string): Promise<boolean> {
  const log = (await readFileHere(join(gitDir, 'logs', name))) ?? '';
  return log.trimEnd().split('\n').at(-1)?.endsWith('update by push') === true;
}

/** The first value that a run took from a ref is the one to put back; later ones are kept beside the snapshots. */
async function keepOldValue({ git, runId }: RefPlace, name: string, commit: string, entry: string) {
  const wanted = salvageRefOf(runId, `refs/${name}`);
  const taken = (await git(['show-ref', '--verify', '--quiet', wanted], { answers: [1] })).exitCode === 0;
  const ref = taken ? `refs/conductor/${runId}/moved/${entry}/${name}` : wanted;
  return { ref: await keepUnderNewRef(git, ref, commit), commit };
}
