import { lstat, readdir, readlink, realpath } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import type { FileChange, HiddenChange, Notice } from '../../../contracts/run/workspace-change.ts';
import { isHarmlessSetting } from '../../../policy/files/git-settings.ts';
import type {
  StepTraces,
  StepWatch,
  StepWatcher,
  WatchRequest,
} from '../../../ports/workspace/step-watch.ts';
import { lastIgnored } from '../files/file-tree.ts';
import { RUN_FOLDER } from '../files/harness-link.ts';
import { pathInside, textOfPath } from '../files/paths.ts';
import { removeSpecialFiles } from '../files/special-files.ts';
import { isAncestor } from '../git/commits.ts';
import { kindOf } from '../git/file-kind.ts';
import { agentGit, keepCommit } from '../repository/agent-commits.ts';
import {
  changedControlFiles,
  ensureGitFolder,
  type GitFolderState,
  putControlFile,
  readGitFolder,
  refsIn,
  rewriteGitFolder,
  textOf,
} from '../repository/git-folder.ts';
import {
  openRunRepository,
  type RunRepository,
  type UserRepository,
  userGit,
} from '../repository/run-repository.ts';
import { addStoreRef } from '../repository/store-refs.ts';
import { changedSubmodules } from '../repository/submodules.ts';
import { COMMITS_NAME, salvageRefOf } from '../result/salvage-refs.ts';
import { compareCheckouts, readCheckout } from './user-checkout.ts';

const LINK_MODE = '120000';

/** Symbolic links that a step created or changed, and that lead out of the checkout. */
async function findLinksOut(checkout: string, changes: readonly FileChange[]): Promise<HiddenChange[]> {
  const found: HiddenChange[] = [];
  const top = await realpath(checkout);
  for (const { path, status, newMode } of changes) {
    if (newMode !== LINK_MODE || status === 'D') continue;
    const target = await targetOf(checkout, path);
    if (target === null || target === top || target.startsWith(`${top}${sep}`)) continue;
    const verb = status === 'A' ? 'created' : 'changed';
    found.push({ place: 'link', subject: `${path} -> ${target}`, verb, restored: false });
  }
  return found;
}

/** The target of a link, with the links among its own parent folders resolved; null if it is not a link. */
async function targetOf(checkout: string, link: string): Promise<string | null> {
  const path = join(checkout, link);
  const written = await readlink(path).catch(() => null);
  if (written === null) return null;
  const folder = await realpath(dirname(path)).catch(() => dirname(path));
  return resolve(folder, written);
}

export function createStepWatcher(user: UserRepository): StepWatcher {
  return { watch: (request) => startWatch(user, request) };
}

async function startWatch(user: UserRepository, request: WatchRequest): Promise<StepWatch> {
  const { workspace, forbids, stepId, sandboxed } = request;
  const repository = await openRunRepository(workspace, user.signal);
  const before = await ensureGitFolder(repository);
  const git = userGit(user);
  const [checkout, ignored] = await Promise.all([
    sandboxed ? null : readCheckout(git, user.gitDir),
    readIgnored(repository, forbids),
  ]);
  return {
    settle: async () => {
      if ((await kindOf(workspace.checkoutPath)) !== 'folder') return { changes: [], checkoutGone: true };
      await removeSpecialFiles(workspace.checkoutPath);
      return { changes: await settleGitFolder(repository, before), checkoutGone: false };
    },
    compare: async (changes) => {
      const entry = { runId: workspace.runId, stepId };
      const refs = await compareRefs(repository, before);
      const notices =
        checkout === null
          ? []
          : await compareCheckouts(git, entry, checkout, await readCheckout(git, user.gitDir));
      const submodules = await changedSubmodules(repository);
      return {
        ...refs,
        hidden: await findLinksOut(workspace.checkoutPath, changes),
        ignoredChanges: compareIgnored(ignored, await readIgnored(repository, forbids)),
        notices: [...notices, ...submodules.map(({ path }) => submoduleNotice(path, stepId))],
      };
    },
  };
}

function submoduleNotice(path: string, stepId: string): Notice {
  return {
    kind: 'workspace',
    subject: path,
    old: null,
    new: null,
    message: `step \`${stepId}\` changed files of submodule ${path}; a run's result can't contain them`,
    salvageRef: null,
  };
}

/** Restores the control files of the git folder. Only settings that run nothing and redirect nothing may stay changed. */
async function settleGitFolder(repository: RunRepository, before: GitFolderState): Promise<HiddenChange[]> {
  const now = await readGitFolder(repository);
  if (now === null) {
    const isGone = (await kindOf(repository.gitDir)) === 'missing';
    await rewriteGitFolder(repository);
    for (const [path, file] of before) await putControlFile(repository, path, file);
    return [{ place: 'git_files', subject: '.git', verb: isGone ? 'deleted' : 'changed', restored: true }];
  }
  const changes: HiddenChange[] = [];
  for (const path of changedControlFiles(before, now)) {
    const [old, current] = [before.get(path), now.get(path)];
    if (path === 'config' && isHarmlessSetting(textOf(old), textOf(current))) continue;
    await putControlFile(repository, path, old);
    const verb = old === undefined ? 'created' : current === undefined ? 'deleted' : 'changed';
    changes.push({ place: 'git_files', subject: `.git/${path}`, verb, restored: true });
  }
  return changes;
}

/** Compares the refs of the workspace. Commits that were reachable only from an old ref value are kept in the store. */
async function compareRefs(
  repository: RunRepository,
  before: GitFolderState,
): Promise<Pick<StepTraces, 'refsBefore' | 'refsAfter' | 'rewritten' | 'salvaged'>> {
  const { workspace, storeDir } = repository;
  const git = agentGit(repository);
  const refsBefore = refsIn(before);
  const refsAfter = refsIn((await readGitFolder(repository)) ?? new Map());
  const rewritten: string[] = [];
  const salvaged: { ref: string; commit: string }[] = [];
  for (const [name, old] of Object.entries(refsBefore.refs)) {
    const now = refsAfter.refs[name];
    if (now === old || (now !== undefined && (await isAncestor(git, old, now)))) continue;
    if (now !== undefined) rewritten.push(name);
    const isOfBase = old === workspace.baseSha || (await isAncestor(git, old, workspace.baseSha));
    if (isOfBase || !(await keepCommit(repository, old))) continue;
    salvaged.push(await addStoreRef(storeDir, salvageRefOf(workspace.runId, COMMITS_NAME), old));
  }
  return { refsBefore, refsAfter, rewritten, salvaged };
}

/** Stamps by path of files that git ignores. */
type IgnoredFiles = ReadonlyMap<string, string>;

/** Reads only the ignored files that a policy has a rule about: no snapshot contains them. */
async function readIgnored(
  repository: RunRepository,
  isWatched: (path: string) => boolean,
): Promise<IgnoredFiles> {
  const stamps = new Map<string, string>();
  const waiting = [...(await lastIgnored(repository))];
  for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
    if (entry === `${RUN_FOLDER}/`) continue;
    const path = textOfPath(entry);
    if (entry.endsWith('/')) waiting.push(...(await entriesIn(repository, entry)));
    else if (isWatched(path)) {
      const stamp = await stampOf(pathInside(repository, entry));
      if (stamp !== null) stamps.set(path, stamp);
    }
  }
  return stamps;
}

async function entriesIn(repository: RunRepository, folder: string): Promise<string[]> {
  const options = { withFileTypes: true, encoding: 'latin1' } as const;
  const entries = await readdir(pathInside(repository, folder), options).catch(() => []);
  return entries.map((entry) => `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`);
}

async function stampOf(path: Buffer): Promise<string | null> {
  const found = await lstat(path, { bigint: true }).catch(() => null);
  return found === null ? null : `${found.mode} ${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
}

function compareIgnored(before: IgnoredFiles, after: IgnoredFiles): FileChange[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths.flatMap((path): FileChange[] => {
    const [old, now] = [before.get(path), after.get(path)];
    if (old === now) return [];
    const status = old === undefined ? 'A' : now === undefined ? 'D' : 'M';
    const modes = { oldMode: modeOf(old), newMode: modeOf(now) };
    const counts = { insertions: null, deletions: null };
    return [{ path, oldPath: null, status, ...counts, ...modes, blob: '0'.repeat(40) }];
  });
}

function modeOf(stamp: string | undefined): string {
  return stamp === undefined ? '000000' : Number(stamp.split(' ')[0]).toString(8).padStart(6, '0');
}
