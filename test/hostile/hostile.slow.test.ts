import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { gitAt, listFiles } from '../../testing/git-repo.ts';
import { type Scene, test } from '../e2e/scene.ts';
import { sandboxHere } from '../integration/sandbox-here.ts';
import { AGENTS_IN_GIT } from './agents-in-git.ts';
import { AGENTS_IN_WORKSPACE } from './agents-in-workspace.ts';
import { AGENTS_OUTSIDE } from './agents-outside.ts';
import { type Attack, attack, cleanUp, SECRET } from './attack.ts';
import { type HostileAgent, MODES, type Mode } from './hostile-agent.ts';
import { type Cell, pageWithTable, writeTable } from './hostile-table.ts';

/** `npm run hostile` sets these; without them this is the short form. */
const IS_WHOLE = process.env.HOSTILE_ALL !== undefined;
const ONLY = process.env.HOSTILE_ONLY ?? null;
const TABLE = process.env.HOSTILE_TABLE ?? null;
const FLOOD_BYTES = IS_WHOLE ? 500 * 1024 * 1024 : 24 * 1024 * 1024;
/** The part of a stream that is kept, with some room for the message about the rest. */
const TRANSCRIPT_LIMIT_BYTES = 70 * 1024 * 1024;
const LIMIT_MS = 180_000;
const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'internals', 'hostile-agents.md');

const ALL = [...AGENTS_IN_WORKSPACE, ...AGENTS_IN_GIT, ...AGENTS_OUTSIDE];
/** Acts outside the workspace that leave no trace there; only the sandbox prevents them. The page lists them. */
const UNSEEN_WITHOUT_SANDBOX = [
  'drops-older-stash',
  'follows-link',
  'hides-by-home',
  'overwrites-draft',
  'pushes-to-path',
  'reads-parent-environment',
  'unmarked-daemon',
  'writes-far-away',
  'writes-home',
  'writes-users-hook',
];

const chosen = ALL.filter(({ name, short }) => (ONLY === null ? IS_WHOLE || short === true : name === ONLY));
const modes = MODES.filter((mode) => mode === 'off' || sandboxHere.ok);
const cells: Cell[] = [];

afterAll(() => {
  if (TABLE !== null) writeTable(TABLE, ALL, cells);
});

describe('the matrix of hostile agents', () => {
  it('has at least forty of them, each with a name of its own', () => {
    expect(ALL.length).toBeGreaterThanOrEqual(40);
    expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length);
  });

  it('leaves only those unseen that its page lists, and none in a sandbox', () => {
    const unseen = (mode: Mode) =>
      ALL.filter(({ expected }) => expected[mode] === 'not seen').map(({ name }) => name);
    expect(unseen('off').sort()).toEqual(UNSEEN_WITHOUT_SANDBOX);
    expect(unseen('on')).toEqual([]);
  });

  it.skipIf(TABLE !== null)('is on its page as the suite expects it', () => {
    const expected = ALL.flatMap(({ name, expected }) =>
      MODES.map((mode): Cell => ({ agent: name, mode, verdict: expected[mode] })),
    );
    expect(readFileSync(PAGE, 'utf8'), 'npm run hostile -- --table docs/internals/hostile-agents.md').toBe(
      pageWithTable(PAGE, ALL, expected),
    );
  });

  it.skipIf(modes.length === MODES.length)(
    'runs only without a sandbox, because bubblewrap does not work here',
    () => {
      expect(modes).toEqual(['off']);
    },
  );
});

/** In its short form the suite starts an agent in the sandbox only where that makes a difference. */
const isWorthwhile = ({ expected }: HostileAgent, mode: Mode) =>
  IS_WHOLE || ONLY !== null || mode === 'off' || expected.on !== expected.off;

describe.each(modes)('with the sandbox %s, an agent', (mode) => {
  for (const agent of chosen.filter((each) => isWorthwhile(each, mode)))
    test.concurrent(`that ${agent.does} is ${agent.expected[mode]} (${agent.name})`, {
      timeout: LIMIT_MS,
    }, async ({ openScene }) => {
      const happened = await attack(openScene, agent, mode, FLOOD_BYTES);
      cells.push({ agent: agent.name, mode, verdict: happened.verdict });
      try {
        expect({ verdict: happened.verdict, left: happened.left }).toEqual({
          verdict: agent.expected[mode],
          left: agent.leaves?.[mode] ?? [],
        });
        if (happened.record !== null) await expectContained(happened);
      } finally {
        await cleanUp(happened);
      }
    });
});

/** The workspace is the base again to the byte, and no commit is lost. */
async function expectContained({ agent, scene, record, runId, left, before }: Attack): Promise<void> {
  if (record === null) return;
  const transcript = join(record.path, 'artifacts', 'attack', 'transcript.txt');
  const text = readFileSync(transcript, 'latin1');
  expect(text).toContain('tried');
  expect(text).not.toContain(SECRET);
  expect(statSync(transcript).size).toBeLessThan(TRANSCRIPT_LIMIT_BYTES);
  expect(await listFiles(scene.checkout(runId))).toEqual(
    await baseFiles(scene, record.metadata.workspace.base_sha),
  );
  for (const key of left) {
    const old = before.get(key);
    if (!key.startsWith('ref ') || old === undefined) continue;
    expect(await refsTo(scene, old), agent.name).not.toEqual([]);
  }
}

/** Refs that lead to a commit, except those that are removed with the workspace. */
async function refsTo({ repo }: Scene, commit: string): Promise<readonly string[]> {
  const listed = await repo.git('for-each-ref', `--contains=${commit}`, '--format=%(refname)');
  return listed.split('\n').filter((name) => name !== '' && !name.startsWith('refs/conductor/base/'));
}

async function baseFiles(scene: Scene, base: string): Promise<Record<string, string>> {
  const folder = join(scene.repo.root, '..', 'base');
  await gitAt(scene.repo.root, 'clone', '--quiet', '--no-checkout', scene.repo.root, folder);
  await gitAt(folder, 'checkout', '--quiet', '--detach', base);
  return listFiles(folder);
}
