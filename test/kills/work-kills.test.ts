import { execFile } from 'node:child_process';
import { cp, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkDatabase } from '../../src/adapters/work-local/database.ts';
import { verifyJournal } from '../../src/adapters/work-local/journal.ts';
import { gitAt, makeRepo } from '../../testing/git-repo.ts';

const LIFE = join(import.meta.dirname, 'work-life.mjs');
const TABLES = ['items', 'links', 'revisions', 'reviews', 'summaries', 'labels', 'seen_keys', 'journal'];
const TIMEOUT_MS = 240_000;

interface World {
  readonly base: string;
  readonly patches: readonly string[];
}

let folder: string;
let world: World;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'conductor-work-kills-')));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Life {
  readonly answer: unknown;
  readonly points: number;
}

async function live(root: string, action: string, killAt: number | null): Promise<Life | 'killed'> {
  const request = JSON.stringify({ root, action, killAt, ...world });
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [LIFE, request]);
    return JSON.parse(stdout) as Life;
  } catch (error) {
    if (error instanceof Error && 'signal' in error && error.signal === 'SIGKILL') return 'killed';
    throw error;
  }
}

/** A life that must come to its end. */
async function liveOn(root: string, action: string): Promise<Life> {
  const life = await live(root, action, null);
  if (life === 'killed') throw new Error(`${action} was killed`);
  return life;
}

/** Everything that is left, but for where it lies. */
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
      status: await gitAt(root, 'status', '--porcelain'),
      head: await gitAt(root, 'rev-parse', '--symbolic-full-name', 'HEAD'),
      worktrees: (await gitAt(root, 'worktree', 'list')).trim().split('\n').length,
    };
  } finally {
    await database.close();
  }
}

/** A repository in which some things have been done already. */
async function template(name: string, before: readonly string[], prepare: readonly string[][]) {
  const repo = await makeRepo({ files: { 'file.txt': 'start\n' } });
  const root = join(folder, `${name} template`);
  try {
    const patches: string[] = [];
    for (const text of ['one\n', 'two\n']) {
      await repo.write('file.txt', text);
      patches.push(await repo.git('diff', '--binary'));
    }
    await repo.git('checkout', '--quiet', '--', '.');
    world = { base: (await repo.git('rev-parse', 'HEAD')).trim(), patches };
    for (const argv of prepare) await repo.git(...argv);
    for (const action of ['prepare', ...before]) await liveOn(repo.root, action);
    await cp(repo.root, root, { recursive: true });
  } finally {
    await repo.cleanup();
  }
  return root;
}

const FIRST = 'make the first revision';

const CASES: Readonly<
  Record<
    string,
    {
      readonly action: string;
      readonly before?: readonly string[];
      readonly prepare?: readonly string[][];
      /** What is done to the repository last. */
      readonly checkout?: string;
      readonly atLeast: number;
    }
  >
> = {
  'a write': { action: 'write', atLeast: 2 },
  'entries of the journal': { action: 'append alone', atLeast: 5 },
  'a first revision': { action: FIRST, atLeast: 8 },
  'a later revision, while the branch is checked out': {
    action: 'make a later revision',
    before: [FIRST],
    checkout: 'conductor/item/1',
    atLeast: 12,
  },
  'the checks of a revision': { action: 'settle', before: [FIRST], atLeast: 6 },
  'a merge into a checkout': { action: 'merge', before: [FIRST], atLeast: 6 },
  'a merge into a branch that is checked out nowhere': {
    action: 'merge',
    before: [FIRST],
    prepare: [['checkout', '--quiet', '-b', 'topic']],
    atLeast: 6,
  },
};

describe('killed at any point and done again under its key, the end is the same for', () => {
  it.each(Object.entries(CASES))(
    '%s',
    async (name, { action, before = [], prepare = [], checkout, atLeast }) => {
      const from = await template(name, before, prepare);
      if (checkout !== undefined) await gitAt(from, 'checkout', '--quiet', checkout);
      const place = join(folder, 'place');
      const fresh = async () => {
        await rm(place, { recursive: true, force: true });
        await cp(from, place, { recursive: true });
        await gitAt(place, 'update-index', '-q', '--refresh');
      };
      await fresh();
      const whole = await liveOn(place, action);
      const end = await stateOf(place);
      expect(whole.points).toBeGreaterThanOrEqual(atLeast);
      for (let at = 1; at <= whole.points; at += 1) {
        await fresh();
        expect(await live(place, action, at), `killed at ${at}`).toBe('killed');
        const again = await liveOn(place, action);
        expect(again.answer, `answer after ${at}`).toEqual(whole.answer);
        expect(await stateOf(place), `end after ${at}`).toEqual(end);
      }
    },
    TIMEOUT_MS,
  );
});
