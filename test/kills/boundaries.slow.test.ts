import { existsSync, statSync } from 'node:fs';
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { readCheckout } from '../../testing/git-repo.ts';
import { type Scene, test } from '../e2e/scene.ts';
import { listWorkspaces } from '../e2e/workspace-audit.ts';
import { type Baseline, endOf, measure, totalOf } from './baseline.ts';
import { GIT_VARIANTS, makeGitTrap } from './git-trap.ts';
import type { Kill } from './kill-plan.ts';
import { KILL_SCENE } from './kill-scene.ts';
import { live, placesFor, TRAP_OPTION } from './life.ts';

const WORKFLOW = fileURLToPath(new URL('boundaries.yaml', import.meta.url));
/** `npm run kills` kills at every boundary; with the other tests some of them are picked. */
const IS_LONG = process.env.KILLS_TOTAL !== undefined;
const PICKED = 3;
const LIMIT_MS = IS_LONG ? 3_600_000 : 240_000;

/** Git locks `packed-refs` to delete a ref, and if it is killed itself, only the user can know that the lock is stale. */
const REMOVAL_VARIANTS = GIT_VARIANTS.filter((variant) => variant !== 'dies too');

/** From creation, setup and baseline over a rollback to the transfer of the result. */
describe('a run that is killed', () => {
  test.for(['git command', 'operation on its files'] as const)(
    'at any %s ends as if it was never killed',
    { timeout: LIMIT_MS },
    async (boundary, { openScene }) => {
      const first = await openScene(KILL_SCENE);
      const whole = await live(first, { power: false, kills: [] }, null, WORKFLOW);
      expect(whole.result, whole.result.stderr).toMatchObject({ code: 0 });
      const baseline = await measure(first, first.record(whole.runId), whole.counts);
      for (const kill of boundary === 'git command' ? gitKills(baseline) : fileKills(baseline)) {
        const scene = await openScene(KILL_SCENE);
        const life = await live(scene, { power: false, kills: [kill] }, baseline, WORKFLOW);
        const label = JSON.stringify([kill, life.hits[0]?.lastEvent]);
        expect(life.result.code, `${label} ${life.result.stderr}`).toBe(0);
        expect(await endOf(scene, scene.record(life.runId)), label).toEqual(baseline.end);
      }
    },
  );
});

function gitKills({ gitCalls }: Baseline): readonly Kill[] {
  return pick(gitCalls).map((index) => ({
    how: 'git',
    at: (index + 0.5) / gitCalls,
    variant: GIT_VARIANTS[index % GIT_VARIANTS.length] ?? 'continues',
    pauseMs: index % 8,
  }));
}

function fileKills({ operations: { any } }: Baseline): readonly Kill[] {
  return pick(any).map((index) => ({
    how: 'write',
    at: (index + 0.5) / any,
    variant: index % 2 === 0 ? 'before' : 'after',
    files: 'any',
  }));
}

/** All indexes, or some of them that are spread evenly. */
function pick(count: number): readonly number[] {
  const wanted = IS_LONG ? count : Math.min(PICKED, count);
  return Array.from({ length: wanted }, (_, index) => Math.floor(((index + 0.5) * count) / wanted));
}

describe('a lock on a ref of a run that a killed git command left', () => {
  const lockRefs = async ({ repo }: Scene, runId: string, branch: string) => {
    const locks = [`refs/conductor/base/${runId}.lock`, `refs/heads/${branch}.lock`];
    for (const lock of locks) await repo.write(join('.git', lock), '');
    return locks.map((lock) => join(repo.root, '.git', lock));
  };

  test('stops neither a resume nor a removal', async ({ openScene }) => {
    const scene = await openScene();
    const { runId } = await scene.run('gate');
    const { branch_name } = scene.record(runId).metadata.workspace;
    const locks = await lockRefs(scene, runId, branch_name);
    expect((await scene.conductor('approve', runId, '--resume')).code).toBe(0);
    expect(locks.filter((lock) => existsSync(lock))).toEqual([]);
    await lockRefs(scene, runId, branch_name);
    expect((await scene.conductor('clean', '--keep-runs', '0')).code).toBe(0);
    expect(locks.filter((lock) => existsSync(lock))).toEqual([]);
  });
});

describe('the removal of a run that is killed', () => {
  test('at any boundary loses nothing, and the next removal completes it', {
    timeout: LIMIT_MS,
  }, async ({ openScene }) => {
    const scene = await openScene(KILL_SCENE);
    const { runId } = await live(scene, { power: false, kills: [] }, null, WORKFLOW);
    for (const name of ['unsaved.txt', 'ignored.log'])
      await writeFile(join(scene.checkout(runId), name), 'in no result\n');
    const places = await keepPlaces(scene, runId);
    const folder = join(scene.home, 'kills');
    const gitFolder = await makeGitTrap(join(folder, 'bin'));
    const [operations, gitCalls] = [join(folder, 'removal-operations'), join(folder, 'removal-git')];
    const remove = async (trap: Record<string, string>) => {
      const env = { ...placesFor(scene), NODE_OPTIONS: TRAP_OPTION, ...trap };
      return scene.cli.start(['clean', '--keep-runs', '0'], { env }).done;
    };
    const git = (at: number) => ({
      PATH: `${gitFolder}:${process.env.PATH}`,
      KILLS_GIT_LOG: gitCalls,
      KILLS_GIT_AT: String(at),
      KILLS_GIT_VARIANT: REMOVAL_VARIANTS[at % REMOVAL_VARIANTS.length] ?? 'continues',
      KILLS_GIT_PAUSE: String((at % 8) / 1000),
    });
    expect((await remove({ KILLS_COUNT: operations, ...git(0) })).code).toBe(0);
    const end = await stateOf(scene);
    expect(end).toMatchObject({ runs: [], workspaces: [] });
    expect(end.refs.join('\n')).toContain(`refs/conductor/salvage/${runId}.worktree `);
    const traps = [
      ...pick(totalOf(operations, 'any')).map((index) => ({
        KILLS_AT: String(index + 1),
        KILLS_VARIANT: index % 2 === 0 ? 'before' : 'after',
      })),
      ...pick(statSync(gitCalls).size).map((index) => git(index + 1)),
    ];
    expect(traps.length).toBeGreaterThanOrEqual(2 * PICKED);
    for (const trap of traps) {
      await places.restore();
      await writeFile(gitCalls, '');
      const label = JSON.stringify(trap);
      expect((await remove(trap)).signal, label).toBe('SIGKILL');
      const again = await remove({});
      expect(again.code, `${label} ${again.stderr}`).toBe(0);
      expect(await stateOf(scene), label).toEqual(end);
    }
  });
});

/** Puts the record, the workspace and the refs of a run back, at the same paths. */
async function keepPlaces(scene: Scene, runId: string): Promise<{ readonly restore: () => Promise<void> }> {
  const kept = join(scene.home, 'kept');
  const folders = [join(scene.repo.root, '.tnh/run'), scene.workspacesDir, join(scene.repo.root, '.git')];
  await mkdir(kept);
  const copyOf = (index: number) => join(kept, String(index));
  for (const [index, folder] of folders.entries())
    await cp(folder, copyOf(index), { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  expect(listWorkspaces(scene.workspacesDir)).toEqual([runId]);
  return {
    restore: async () => {
      for (const [index, folder] of folders.entries()) {
        await rm(folder, { recursive: true, force: true });
        await mkdir(dirname(folder), { recursive: true });
        await cp(copyOf(index), folder, {
          recursive: true,
          verbatimSymlinks: true,
          preserveTimestamps: true,
        });
      }
    },
  };
}

/** Everything that a removal leaves. Salvages are compared by their files: each has the time at which it was made. */
async function stateOf({ repo, workspacesDir }: Scene) {
  const refs = await repo.git('for-each-ref', '--format=%(refname) %(tree)');
  return {
    refs: refs.split('\n'),
    runs: listWorkspaces(join(repo.root, '.tnh/run')),
    workspaces: (await readdir(workspacesDir).catch((): string[] => [])).filter((name) =>
      /removed|^[0-9a-f]{8}-/.test(name),
    ),
    checkout: await readCheckout(repo.root),
  };
}
