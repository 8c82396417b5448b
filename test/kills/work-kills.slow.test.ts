import { cp, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkDatabase } from '../../src/adapters/work-local/database.ts';
import { verifyJournal } from '../../src/adapters/work-local/journal.ts';
import { gitAt, makeRepo } from '../../testing/git-repo.ts';
import { createHand, type Hand, type HandRequest } from './work-hand.ts';
import { LONG_ONLY, PREPARATIONS, type Scene, scenesOf } from './work-scenes.ts';

const TABLES = ['items', 'links', 'revisions', 'reviews', 'summaries', 'labels', 'seen_keys', 'journal'];
const LONG = process.env.KILLS_TOTAL !== undefined;
const TIMEOUT_MS = LONG ? 1_800_000 : 240_000;
/** Only names are needed here; the patches are made once there is a repository. */
const NOTHING = { base: '', patch: '' };
const NAMES = Object.keys(scenesOf({ first: NOTHING, later: NOTHING })).filter(
  (name) => !PREPARATIONS.has(name) && (LONG || !LONG_ONLY.has(name)),
);

let folder: string;
let scenes: Readonly<Record<string, Scene>>;
let victim: Hand;
let heir: Hand;
const prepared = new Map<string, Promise<string>>();

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'conductor-work-kills-')));
  const repo = await makeRepo({ files: { 'file.txt': 'start\n', 'other.txt': 'other\n' } });
  try {
    const base = (await repo.git('rev-parse', 'HEAD')).trim();
    const patches: string[] = [];
    for (const text of ['one\n', 'two\n']) {
      await repo.write('file.txt', text);
      patches.push(await repo.git('diff', '--binary'));
    }
    await repo.git('checkout', '--quiet', '--', '.');
    const [first = '', later = ''] = patches;
    scenes = scenesOf({ first: { base, patch: first }, later: { base, patch: later } });
    await cp(repo.root, join(folder, 'start'), { recursive: true });
  } finally {
    await repo.cleanup();
  }
  victim = createHand();
  heir = createHand();
});
afterAll(async () => {
  await victim.end();
  await heir.end();
  await rm(folder, { recursive: true, force: true });
});

function sceneOf(name: string): Scene {
  const scene = scenes[name];
  if (scene === undefined) throw new Error(`there is no scene ${name}`);
  return scene;
}

function requestOf(root: string, name: string, killAt: number | null): HandRequest {
  const { runs = {}, steps } = sceneOf(name);
  return { root, name, runs, steps, killAt };
}

/** A folder in the state after a scene; later scenes share it. */
function over(name: string | null): Promise<string> {
  if (name === null) return Promise.resolve(join(folder, 'start'));
  const known = prepared.get(name) ?? play(name);
  prepared.set(name, known);
  return known;
}

async function play(name: string): Promise<string> {
  const root = join(folder, name);
  await copy(await over(sceneOf(name).after), root, name);
  // A connection may live on until its process ends, and what it has open must not change while it is copied.
  const stage = createHand();
  try {
    await stage.ask(requestOf(root, name, null));
  } finally {
    await stage.end();
  }
  return root;
}

let places = 0;

/** The state that a scene starts from, in a new folder. */
async function freshPlace(name: string): Promise<string> {
  for (const end of ['', '.workspaces'])
    await rm(join(folder, `place ${places}${end}`), { recursive: true, force: true });
  places += 1;
  const place = join(folder, `place ${places}`);
  await copy(await over(sceneOf(name).after), place, name);
  return place;
}

async function copy(from: string, to: string, name: string): Promise<void> {
  await cp(from, to, { recursive: true });
  // A copy has other times, by which git would take each file for changed.
  await gitAt(to, 'update-index', '-q', '--refresh');
  const { git } = sceneOf(name);
  if (git !== undefined) await gitAt(to, ...git);
}

/** Everything that is left. The clock is fixed, so the journal must be the same in every entry. */
async function stateOf(root: string) {
  const database = createWorkDatabase(join(root, '.tnh/work/items.db'));
  try {
    const tables = await database.read(({ all }) =>
      Object.fromEntries(TABLES.map((name) => [name, all(`SELECT * FROM ${name} ORDER BY 1, 2`)])),
    );
    await verifyJournal(database);
    return {
      tables,
      refs: await gitAt(root, 'for-each-ref', '--format=%(refname) %(objectname)'),
      status: await gitAt(root, 'status', '--porcelain=v2', '--branch'),
      worktrees: await readdir(join(root, '.git/worktrees')).catch(() => []),
      workspaces: await readdir(`${root}.workspaces`).catch(() => []),
    };
  } finally {
    await database.close();
  }
}

/** The number of entries in the journal: a crash must not lose any of them. */
async function entriesIn(root: string): Promise<number> {
  const database = createWorkDatabase(join(root, '.tnh/work/items.db'));
  try {
    return (await database.read(({ all }) => all('SELECT seq FROM journal')))?.length ?? 0;
  } finally {
    await database.close();
  }
}

/** Recovery completes a command that is in the journal; any other is repeated. */
async function finish(root: string, name: string, before: number): Promise<void> {
  const request = requestOf(root, name, null);
  const begun = (await entriesIn(root)) > before && !request.steps.includes('settle');
  await heir.ask(begun ? { ...request, steps: ['recover'] } : request);
}

/** How a scene ends without a kill. */
async function undisturbed(name: string) {
  const place = await freshPlace(name);
  const before = await entriesIn(place);
  const whole = await heir.ask(requestOf(place, name, null));
  if (whole.kind === 'killed') throw new Error(`${name} was killed`);
  return { before, points: whole.points, end: await stateOf(place) };
}

describe('work items that were killed at any point recover to the same end after', () => {
  it.each(NAMES)(
    '%s',
    async (name) => {
      const { before, points, end } = await undisturbed(name);
      expect(points).toBeGreaterThanOrEqual(6);
      for (let at = 1; at <= points; at += 1) {
        const place = await freshPlace(name);
        expect(await victim.ask(requestOf(place, name, at)), `point ${at}`).toEqual({ kind: 'killed' });
        await finish(place, name, before);
        expect(await stateOf(place), `end after ${at}`).toEqual(end);
      }
    },
    TIMEOUT_MS,
  );
});

describe.runIf(LONG)(
  'work items that were killed at any point, and again at any point of the recovery, end the same after',
  () => {
    it.each(NAMES)(
      '%s',
      async (name) => {
        const { before, points, end } = await undisturbed(name);
        for (let at = 1; at <= points; at += 1)
          for (let then = 1, again = true; again; then += 1) {
            const place = await freshPlace(name);
            await victim.ask(requestOf(place, name, at));
            const recovery = { ...requestOf(place, name, then), steps: ['recover'] as const };
            again = (await victim.ask(recovery)).kind === 'killed';
            await finish(place, name, before);
            expect(await stateOf(place), `end after ${at} and ${then}`).toEqual(end);
          }
      },
      TIMEOUT_MS,
    );
  },
);
