import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type GitRepo, gitAt, makeRepo } from '../../testing/git-repo.ts';
import { FILES, listFiles, placesOf, readUserSide, requestFor } from '../integration/workspace/fixture.ts';

const PROGRAM = join(import.meta.dirname, 'workspace-life.mjs');
/** A kill comes before a boundary, in the middle of writing a file, or while git continues without conductor. */
type Variant = 'before' | 'torn' | 'orphan';
const AT_ONCE = 3;
/** With the other tests only every fifteenth kill; `npm run kills` does all. */
const EVERY = process.env.KILLS_TOTAL === undefined ? 15 : 1;
const TIMEOUT_MS = 900_000;

interface Kill {
  readonly at: number;
  readonly variant: Variant;
}

interface Ended {
  /** The kinds of the boundaries that were passed. */
  readonly boundaries: readonly string[];
  readonly results: Record<string, { readonly ok?: boolean } | null>;
}

interface Scene {
  readonly repo: GitRepo;
  readonly work: string;
  readonly judge: string;
  readonly store: (...args: readonly string[]) => Promise<string>;
  /** Null if the process was killed. */
  readonly act: (acts: readonly string[], kill?: Kill) => Promise<Ended | null>;
}

async function openScene(): Promise<Scene> {
  const repo = await makeRepo({ files: FILES });
  const places = await placesOf(repo);
  const request = await requestFor(repo, 'r1');
  const orphanFile = join(dirname(repo.root), 'orphan');
  const folder = join(places.workspacesDir, 'r1');
  return {
    repo,
    work: join(folder, 'work'),
    judge: join(folder, 'judge'),
    store: (...args) => gitAt(folder, '--git-dir=store', ...args),
    act: async (acts, kill) => {
      await rm(orphanFile, { force: true });
      const order = {
        places,
        acts,
        run: request,
        killAt: kill?.at ?? 0,
        variant: kill?.variant ?? null,
        orphanFile,
      };
      const env = { ...process.env, KILLED_PROCESS: JSON.stringify(order) };
      try {
        const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM], { env });
        return JSON.parse(stdout) as Ended;
      } catch (error) {
        if (!(error instanceof Error) || !('signal' in error) || error.signal !== 'SIGKILL') throw error;
        if (existsSync(orphanFile)) await gone(Number(await readFile(orphanFile, 'utf8')));
        return null;
      }
    },
  };
}

async function gone(pid: number): Promise<void> {
  for (;;) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
    if (stat === null || stat.includes(') Z ')) return;
    await delay(5);
  }
}

/** Kills an act at each of its boundaries, in a scene of its own each, and checks the result of a second attempt. */
async function killEverywhere(
  before: readonly string[],
  act: string,
  check: (scene: Scene) => Promise<unknown>,
): Promise<void> {
  const acts = [...before, `.${act}`];
  const whole = await withScene((scene) => scene.act(acts));
  const all = whole?.boundaries.flatMap((kind, index) => killsAt(index + 1, kind)) ?? [];
  expect(all.length).toBeGreaterThan(5);
  const kills = all.filter((_, index) => index % EVERY === 0);
  const work = async () => {
    for (let kill = kills.shift(); kill !== undefined; kill = kills.shift()) {
      const { at, variant } = kill;
      await withScene(async (scene) => {
        const side = await readUserSide(scene.repo.root);
        try {
          expect(await scene.act(acts, { at, variant })).toBeNull();
          await check(scene);
          expect(await readUserSide(scene.repo.root)).toEqual(side);
          expect(await scene.repo.git('fsck', '--strict', '--no-dangling')).toBe('');
        } catch (error) {
          throw new Error(`killed at boundary ${at} of ${act}, ${variant}`, { cause: error });
        }
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

function killsAt(at: number, kind: string): Kill[] {
  const before: Kill = { at, variant: 'before' };
  if (kind === 'git') return [before, { at, variant: 'orphan' }];
  return kind === 'writeFile' ? [before, { at, variant: 'torn' }] : [before];
}

async function withScene<T>(work: (scene: Scene) => Promise<T>): Promise<T> {
  const scene = await openScene();
  try {
    return await work(scene);
  } finally {
    await scene.repo.cleanup();
  }
}

async function refsOf({ repo }: Scene): Promise<string[]> {
  const listed = await repo.git(
    'for-each-ref',
    '--format=%(refname)',
    'refs/conductor',
    'refs/heads/conductor',
  );
  return listed.split('\n').filter((line) => line !== '');
}

const BASE = 'refs/conductor/base/r1';
const BRANCH = 'refs/heads/conductor/run/demo/r1';
const SALVAGES = 'refs/conductor/salvage/';

describe('a process that is killed at any boundary', { timeout: TIMEOUT_MS }, () => {
  it("of creating a workspace leaves nothing that resuming can't complete", async () => {
    await killEverywhere([], 'create', async (scene) => {
      await scene.act(['reopen']);
      expect(await listFiles(scene.work)).toEqual(await listFiles(scene.repo.root));
      expect(await gitAt(scene.work, 'status', '--porcelain', '--branch')).toBe('## conductor/run/demo/r1\n');
      expect(await refsOf(scene)).toEqual([BASE]);
    });
  });

  it('of creating a workspace leaves nothing that cleaning does not remove', async () => {
    await killEverywhere([], 'create', async (scene) => {
      const ended = await scene.act(['removeWorkspace', 'removeRefs']);
      expect(ended?.results.removeWorkspace).toMatchObject({ ok: true });
      expect(await refsOf(scene)).toEqual([]);
      expect(existsSync(dirname(scene.work))).toBe(false);
    });
  });

  it.each([
    ['of opening the judge checkout', ['create', 'change', 'snapshot']],
    [
      'of opening it again',
      ['create', 'change', 'snapshot', 'openJudge', 'litter', 'changeMore', 'snapshot'],
    ],
  ])('%s leaves a checkout that the next opening brings to the snapshot', async (_, before) => {
    await killEverywhere(before, 'openJudge', async (scene) => {
      await scene.act(['reopen', 'snapshot', 'openJudge']);
      const { 'debug.log': _ignored, 'src/old.ts': _restored, ...expected } = await listFiles(scene.work);
      const { 'src/old.ts': atBase, ...inJudge } = await listFiles(scene.judge);
      expect(inJudge).toEqual(expected);
      expect(atBase).toBe((await listFiles(scene.repo.root))['src/old.ts']);
      expect(await gitAt(scene.judge, 'status', '--porcelain')).toBe('M  src/old.ts\n');
    });
  });

  it.each([
    ['of the first publishing', ['create', 'change', 'snapshot']],
    ['of publishing again', ['create', 'change', 'snapshot', 'publish', 'changeMore', 'snapshot']],
  ])('%s leaves one commit on the base after the next attempt', async (_, before) => {
    await killEverywhere(before, 'publish', async (scene) => {
      const ended = await scene.act(['reopen', 'snapshot', 'publish']);
      expect(ended?.results.publish).toMatchObject({ ref: BRANCH, leftAlone: null });
      expect(await refsOf(scene)).toEqual([BASE, BRANCH]);
      expect(await scene.repo.git('rev-list', '--count', `main..${BRANCH}`)).toBe('1\n');
      expect(await scene.repo.git('diff', '--name-only', 'main', BRANCH)).toBe(
        'README.md\nnew/file.txt\nsrc/app.ts\nsrc/old.ts\n',
      );
    });
  });

  it('of a restore loses nothing, and the next attempt completes it', async () => {
    await killEverywhere(['create', 'change', 'commit', 'changeMore'], 'restore', async (scene) => {
      await scene.act(['reopen', 'restore']);
      expect(await listFiles(scene.work)).toEqual(await listFiles(scene.repo.root));
      expect(await gitAt(scene.work, 'status', '--porcelain', '--branch')).toBe('## conductor/run/demo/r1\n');
      const salvages = (await scene.store('for-each-ref', '--format=%(refname)', SALVAGES))
        .trim()
        .split('\n');
      const show = (name: string) =>
        Promise.all(salvages.map((ref) => scene.store('show', `${ref}:${name}`).catch(() => '')));
      expect(await show('README.md')).toContain('changed again\n');
      expect(await show('new/file.txt')).toContain('new\n');
      const logged = await scene.store('log', '--format=%s', ...salvages);
      expect(logged.split('\n')).toContain('agent');
      expect(salvages.length).toBeLessThanOrEqual(2);
      expect(await scene.store('fsck', '--strict', '--no-dangling')).toBe('');
    });
  });

  it('of removing a workspace loses and doubles nothing, and the next attempt completes it', async () => {
    const before = ['create', 'change', 'snapshot', 'publish', 'restore', 'change', 'commit', 'changeMore'];
    await killEverywhere(before, 'removeWorkspace', async (scene) => {
      const ended = await scene.act(['removeWorkspace']);
      expect(ended?.results.removeWorkspace).toMatchObject({ ok: true });
      expect(await refsOf(scene)).toEqual([`${SALVAGES}r1.a@1`, `${SALVAGES}r1.worktree`, BRANCH]);
      expect(await scene.repo.git('show', `${SALVAGES}r1.worktree:README.md`)).toBe('changed again\n');
      expect(await scene.repo.git('show', `${SALVAGES}r1.worktree^2:debug.log`)).toBe('ignored\n');
      expect(await scene.repo.git('log', '--format=%s', `${SALVAGES}r1.worktree`)).toContain('\nagent\n');
      expect(existsSync(dirname(scene.work))).toBe(false);
    });
  });

  it('of removing the refs of a run loses nothing', async () => {
    const before = ['create', 'change', 'snapshot', 'publish'];
    await killEverywhere(before, 'removeRefs', async (scene) => {
      await scene.act(['removeRefs']);
      expect(await refsOf(scene)).toEqual([BASE, `${SALVAGES}r1.branch`]);
    });
  });
});
