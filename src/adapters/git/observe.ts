import { dirname, join, resolve } from 'node:path';
import type { OutsideChange } from '../../contracts/surroundings.ts';
import type { Observed, StepTraces, Surroundings, Watch, WatchRequest } from '../../ports/surroundings.ts';
import type { RunWorkspace } from '../../ports/workspace.ts';
import { kindOf, readFileHere } from './file-kind.ts';
import { findCheckouts } from './find-checkouts.ts';
import { commonGitDir } from './find-repository.ts';
import { createGit } from './git-command.ts';
import { openJudgedCheckout } from './judged-checkout.ts';
import { type Checkout, type CheckoutState, compareCheckout, readCheckoutState } from './observe-checkout.ts';
import { readGitFilesBefore, settleGitFiles } from './observe-git-files.ts';
import { readHeads, settleHeads } from './observe-heads.ts';
import { compareIgnored, readIgnored } from './observe-ignored.ts';
import {
  compareOutside,
  findLinksOut,
  linksOf,
  linksOutOf,
  type OutsideRequest,
  readOutside,
} from './observe-outside.ts';
import {
  compareRefSurroundings,
  defaultBranchesOf,
  keepStashEntries,
  type RefPlace,
  readRefSurroundings,
  settleOwnRefs,
  traceRefs,
} from './observe-refs.ts';
import { openRunWorktree, type RunWorktree, registerAgain, repairGitFile } from './run-worktree.ts';
import { removeGitPipes, removeSpecialFiles } from './special-files.ts';

/** Who is shut in can make links, but write nothing behind them. */
const SHUT_OUT = ['checkout', 'behind_link', 'record', 'home'];

export interface GitSurroundingsDeps {
  /** The top of the user's checkout. */
  readonly repoRoot: string;
  readonly worktreesDir: string;
  readonly runsDir: string;
  /** Where work items are kept, which change while their runs go on. */
  readonly workDir?: string;
  /** The home folder that steps see; left out, none is looked at. */
  readonly home: string | undefined;
}

/** Looks at the repository, the user's checkout and the files around them, before and after a step. */
export function createGitSurroundings(deps: GitSurroundingsDeps): Surroundings {
  const git = createGit({ cwd: deps.repoRoot });
  let gitDirOnce: Promise<string> | undefined;
  const gitDirOf = (): Promise<string> => {
    gitDirOnce ??= commonGitDir(git);
    return gitDirOnce;
  };
  const open = async (workspace: RunWorkspace): Promise<RunWorktree> =>
    openRunWorktree(workspace, await gitDirOf(), undefined);
  return {
    watch: async (request) => startWatch(deps, await open(request.workspace), request),
    openJudged: async (workspace, request) => {
      const ofRun = createGit({ cwd: deps.repoRoot, runId: workspace.runId });
      return openJudgedCheckout({ git: ofRun, gitDir: await gitDirOf() }, workspace, request);
    },
  };
}

async function startWatch(
  deps: GitSurroundingsDeps,
  worktree: RunWorktree,
  request: WatchRequest,
): Promise<Watch> {
  const { workspace, gitDir } = worktree;
  const runDir = dirname(workspace.harnessDir);
  const { runId } = workspace;
  const git = createGit({ cwd: deps.repoRoot, runId });
  const place: RefPlace = { git, gitDir, runId };
  const checkout = {
    root: deps.repoRoot,
    ours: [deps.worktreesDir, deps.runsDir, runDir, ...(deps.workDir === undefined ? [] : [deps.workDir])],
    forbids: request.forbids,
  };
  const outside: OutsideRequest = {
    home: deps.home,
    runsDir: resolve(deps.runsDir),
    runDir,
    evidenceDir: request.evidenceDir,
    linksOut: await linksOutOf(workspace.worktreePath, await linksOf(git, request.before.tree)),
    apart: [gitDir, resolve(deps.worktreesDir), resolve(deps.runsDir), runDir],
  };
  const [gitFiles, heads, refs, user, around, ignored] = await Promise.all([
    readGitFilesBefore(gitDir),
    readHeads(gitDir, worktree.adminDir),
    readRefSurroundings(place),
    watchCheckouts(checkout, runId),
    readOutside(outside),
    readIgnored(worktree, request.forbids),
  ]);
  const compare = async (step: StepTraces): Promise<Observed> => {
    const refChanges = await compareRefSurroundings(place, refs, await readRefSurroundings(place));
    const traced = await traceRefs(place, step, worktree.branchRef);
    const stashed = await keepStashEntries(place, refChanges, step.refsBefore.refs['refs/stash']);
    return {
      ...traced,
      salvaged: [...traced.salvaged, ...stashed],
      ignoredChanges: compareIgnored(ignored, await readIgnored(worktree, request.forbids)),
      outside: excuse(request, [
        ...(await settleOwnRefs(place, refs)),
        ...refChanges,
        ...(await user()),
        ...compareOutside(around, await readOutside(outside)),
        ...(await findLinksOut(workspace.worktreePath, step.changes)),
      ]),
    };
  };
  return {
    defaultBranches: defaultBranchesOf(refs),
    settle: async () => {
      const isGone = (await kindOf(workspace.worktreePath)) !== 'folder';
      await removeSpecialFiles(workspace.worktreePath);
      const first = request.shutIn
        ? []
        : [...(await settleGitPipes(gitDir)), ...(await settleHeads(gitDir, heads))];
      const shared = await settleGitFiles(worktree, gitFiles, excuseFor(request));
      if (isGone) return { ...shared, changes: [...first, ...shared.changes], worktreeGone: true };
      await registerAgain(gitDir, workspace);
      const changes = [...first, ...shared.changes, ...(await settleGitLink(worktree))];
      return { ...shared, changes, worktreeGone: false };
    },
    compare,
  };
}

/** Returns what tells later how they have changed. Filters are asked for again then, as others may be configured. */
async function watchCheckouts(
  top: Omit<Checkout, 'git' | 'prefix'>,
  runId: string,
): Promise<() => Promise<OutsideChange[]>> {
  const before: (CheckoutState & { readonly prefix: string })[] = [];
  for (const checkout of await findCheckouts(top, runId))
    before.push({ ...(await readCheckoutState(checkout)), prefix: checkout.prefix });
  return async () => {
    const changes: OutsideChange[] = [];
    for (const checkout of await findCheckouts(top, runId)) {
      const state = before.find(({ prefix }) => prefix === checkout.prefix);
      if (state !== undefined) changes.push(...(await compareCheckout(checkout, state)));
    }
    return changes;
  };
}

/** Whatever stood in the place of one is gone; what is said of refs and files tells what that was. */
async function settleGitPipes(gitDir: string): Promise<OutsideChange[]> {
  const paths = await removeGitPipes(gitDir);
  return paths.map((path) => ({
    place: 'git_files',
    subject: `.git/${path}`,
    verb: 'created',
    excuse: null,
    putBack: true,
  }));
}

/** The file by which a worktree finds its repository; whoever replaces it makes git look elsewhere. */
async function settleGitLink(worktree: RunWorktree): Promise<OutsideChange[]> {
  const path = join(worktree.workspace.worktreePath, '.git');
  const kind = await kindOf(path);
  const isSound = kind === 'other' && (await readFileHere(path)) === `gitdir: ${worktree.adminDir}\n`;
  if (isSound) return [];
  await repairGitFile(worktree);
  const verb = kind === 'missing' ? 'deleted' : 'changed';
  return [{ place: 'git_files', subject: '.git', verb, excuse: null, putBack: true }];
}

function excuse(request: WatchRequest, changes: readonly OutsideChange[]): OutsideChange[] {
  const reason = excuseFor(request);
  return changes.map((change) =>
    reason === null || !SHUT_OUT.includes(change.place) ? change : { ...change, excuse: reason },
  );
}

function excuseFor({ shutIn }: WatchRequest): string | null {
  return shutIn ? 'the step was shut in, so somebody else did it' : null;
}
