import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { GitRepo } from '../../testing/git-repo.ts';
import type { RunRecordOnDisk } from './run-record.ts';

const RUN_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const BASE_ROOT = 'refs/conductor/base/';
const SALVAGE_ROOT = 'refs/conductor/salvage/';

/**
 * Checks where runs may leave something: their workspaces outside the user's repository, and inside it only the
 * documented refs, with one commit on the base as the result.
 */
export async function auditWorkspaces(
  repo: GitRepo,
  workspacesDir: string,
  runs: readonly RunRecordOnDisk[],
): Promise<void> {
  const ids = runs.map(({ metadata }) => metadata.run_id).sort();
  expect(listWorkspaces(workspacesDir)).toEqual(ids);
  for (const { metadata } of runs)
    expect(metadata.workspace.worktree_path).toBe(join(workspacesDir, metadata.run_id, 'work'));
  auditStateFolder(workspacesDir);
  const refs = await readOwnRefs(repo);
  expect(namesBelow(refs, BASE_ROOT)).toEqual(ids);
  for (const { metadata } of runs)
    expect(refs.get(`${BASE_ROOT}${metadata.run_id}`)).toBe(metadata.workspace.base_sha);
  for (const run of runs) await auditBranch(repo, refs, run);
  auditOtherRefs(refs, runs);
  expect(await repo.git('fsck', '--no-dangling', '--no-progress')).toBe('');
}

/** The ids of the runs that have a workspace. */
export function listWorkspaces(workspacesDir: string): readonly string[] {
  return namesIn(workspacesDir)
    .filter((name) => RUN_ID.test(name))
    .sort();
}

/** Folders that the repository's runs share. */
const SHARED_NAMES = ['setup', 'baselines'];
const RUN_NAMES = ['work', 'judge', 'store', 'setup', 'displaced', 'origin', 'branch'];
/** Results of setup and baselines, and what a killed process left of one: the next that stores a result removes it. */
const STORED_NAMES = /^(?:[0-9a-f]{64}(?:\.json)?|\.bound-[0-9a-f]{64})$/;
const UNFINISHED_NAMES = /^(?:\.(?:unfinished|lock)-.*|[0-9a-f]{64}\.[0-9a-f]+\.tmp)$/;

/** Only what is documented stays in the folder of workspaces: no half-removed workspace, no lock, no temporary file. */
function auditStateFolder(workspacesDir: string): void {
  const strange = (names: readonly string[], isKnown: (name: string) => boolean) =>
    names.filter((name) => !isKnown(name));
  expect(strange(namesIn(workspacesDir), (name) => SHARED_NAMES.includes(name) || RUN_ID.test(name))).toEqual(
    [],
  );
  for (const name of SHARED_NAMES)
    expect(
      strange(
        namesIn(join(workspacesDir, name)),
        (each) => STORED_NAMES.test(each) || UNFINISHED_NAMES.test(each),
      ),
    ).toEqual([]);
  for (const id of listWorkspaces(workspacesDir)) {
    const folder = join(workspacesDir, id);
    expect(strange(namesIn(folder), (name) => RUN_NAMES.includes(name))).toEqual([]);
    const store = namesIn(join(folder, 'store'));
    expect(store.filter((name) => /\.lock$|\.tmp$/.test(name))).toEqual([]);
    expect(namesIn(join(folder, 'store/scratch'))).toEqual([]);
  }
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

async function readOwnRefs(repo: GitRepo): Promise<ReadonlyMap<string, string>> {
  const listed = await repo.git(
    'for-each-ref',
    '--format=%(refname) %(objectname)',
    'refs/conductor/',
    'refs/heads/conductor/',
  );
  const lines = listed.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => line.split(' ') as [string, string]));
}

function namesBelow(refs: ReadonlyMap<string, string>, root: string): readonly string[] {
  const names = [...refs.keys()].filter((name) => name.startsWith(root));
  return names.map((name) => name.slice(root.length)).sort();
}

/** The branch is there if there is a change to show, and then it is one commit on the base that says where it is from. */
async function auditBranch(
  repo: GitRepo,
  refs: ReadonlyMap<string, string>,
  run: RunRecordOnDisk,
): Promise<void> {
  const { workspace, run_id, workflow_id } = run.metadata;
  const at = refs.get(`refs/heads/${workspace.branch_name}`) ?? null;
  const leftAlone = run
    .eventsOf('notice_recorded')
    .some(({ payload }) => payload.kind === 'branch_left_alone');
  if (leftAlone) return;
  const expected = publishedTree(run);
  if (expected === 'unknown') return;
  if (at === null) {
    expect(expected, `${workspace.branch_name} is missing`).toBe('none');
    return;
  }
  const [parents = '', tree, author, ...message] = (
    await repo.git('show', '--no-patch', '--format=%P%n%T%n%an <%ae>%n%B', at)
  ).split('\n');
  const isAtBase = at === workspace.base_sha;
  if (expected === 'none')
    expect(isAtBase, `${workspace.branch_name} has a commit without a change`).toBe(true);
  if (isAtBase) return;
  expect(parents).toBe(workspace.base_sha);
  if (expected !== 'changed') expect(tree).toBe(expected);
  expect(author).toBe('Test User <test@example.invalid>');
  expect(message[0]).toBe(run.metadata.title);
  expect(message).toEqual(
    expect.arrayContaining([`Conductor-Run: ${run_id}`, `Conductor-Workflow: ${workflow_id}`]),
  );
  const completed = run.eventsOf('run_completed')[0];
  if (completed === undefined) return;
  expect(at).toBe(completed.payload.head_sha);
  expect(message).toContain(`Conductor-Outcome: ${completed.payload.outcome}`);
}

/**
 * What the branch of the run must hold: a tree, some change, or nothing. A run that a kill or a wait for a time
 * interrupted may have published at a gate before.
 */
function publishedTree({ eventsOf, status, metadata }: RunRecordOnDisk): string {
  const baseTree = eventsOf('run_started')[0]?.payload.base_tree;
  const head = eventsOf('run_completed')[0]?.payload.head_sha;
  if (head !== undefined && head !== null) return head === metadata.workspace.base_sha ? 'none' : 'changed';
  const asked = eventsOf('gate_requested').at(-1)?.payload.tree;
  if (status.awaiting === null || asked === undefined) return 'unknown';
  return asked === baseTree ? 'none' : asked;
}

/** Besides base and branch only salvages: those that the log names, and what was kept of a removed workspace. */
function auditOtherRefs(refs: ReadonlyMap<string, string>, runs: readonly RunRecordOnDisk[]): void {
  const named = runs.flatMap((run) => [
    ...run.eventsOf('notice_recorded').flatMap(({ payload }) => payload.salvage_ref ?? []),
    ...run.eventsOf('salvage_recorded').map(({ payload }) => payload.ref),
  ]);
  const branches = runs.map(({ metadata }) => `refs/heads/${metadata.workspace.branch_name}`);
  const ids = runs.map(({ metadata }) => metadata.run_id);
  const others = [...refs.keys()].filter(
    (name) => !name.startsWith(BASE_ROOT) && !branches.includes(name) && !named.includes(name),
  );
  expect(others.filter((name) => !isUndone(name) && !isOfRemovedRun(name, ids))).toEqual([]);
}

/** `undo --ref` keeps the value that the ref had. */
function isUndone(name: string): boolean {
  return name.startsWith(SALVAGE_ROOT) && name.includes('.undone/');
}

function isOfRemovedRun(name: string, ids: readonly string[]): boolean {
  const [id = ''] = name.startsWith(SALVAGE_ROOT) ? name.slice(SALVAGE_ROOT.length).split('.') : [];
  return RUN_ID.test(id) && !ids.includes(id);
}
