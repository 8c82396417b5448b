import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CheckedRepository, openRepository } from '../e2e/checked-repository.ts';
import { sandboxHere } from '../integration/sandbox-here.ts';
import type { HonestScene, HonestTask } from './honest-scene.ts';
import { NODE_PACKAGE } from './node-package.ts';
import { C_WITH_MAKE, CRATE, DOCUMENTS, MONOREPO, SHELL_SCRIPTS } from './other-repositories.ts';
import { PYTEST, UNITTEST } from './python-projects.ts';
import { RED_TYPESCRIPT, TYPESCRIPT } from './typescript-package.ts';

/** `npm run honest` sets these; without them this is the short form. */
const IS_WHOLE = process.env.HONEST_ALL !== undefined;
const ONLY = process.env.HONEST_ONLY ?? null;

const SCENES = [
  NODE_PACKAGE,
  TYPESCRIPT,
  RED_TYPESCRIPT,
  PYTEST,
  UNITTEST,
  C_WITH_MAKE,
  CRATE,
  DOCUMENTS,
  SHELL_SCRIPTS,
  MONOREPO,
];
const MODES = ['off', 'required'] as const;
type Mode = (typeof MODES)[number];

const isChosen = ({ task, short }: HonestTask) =>
  ONLY === null ? IS_WHOLE || short === true : task === ONLY;
const modes = MODES.filter((mode) => mode === 'off' || (IS_WHOLE && sandboxHere.ok));

function findMissing({ missing = null, missingInSandbox = null }: HonestScene, mode: Mode): string | null {
  return missing ?? (mode === 'off' ? null : missingInSandbox);
}

describe('the table of honest tasks', () => {
  const tasks = SCENES.flatMap((scene) => scene.tasks);

  it('has at least sixty of them, each with a title of its own', () => {
    expect(tasks.length).toBeGreaterThanOrEqual(60);
    expect(new Set(tasks.map(({ task }) => task)).size).toBe(tasks.length);
  });

  it('waits for approval only for tests that changed with the behaviour and for paths that need it', () => {
    const reasons = new Set(tasks.flatMap(({ asks = [] }) => asks));
    expect([...reasons].sort()).toEqual(['approval_required', 'fewer_checks', 'judge_changed']);
  });
});

describe.each(modes)('with the sandbox %s', (mode) => {
  for (const scene of SCENES) {
    const tasks = scene.tasks.filter(isChosen);
    const missing = findMissing(scene, mode);
    if (missing !== null)
      process.stderr.write(`a repository ${scene.name} is left out: it needs ${missing}\n`);
    describe.runIf(missing === null && tasks.length > 0)(`in a repository ${scene.name}`, () => {
      let repository: CheckedRepository;
      beforeAll(async () => {
        repository = await openRepository({ ...scene.repository, workflow: 'implement', sandbox: mode });
      });
      afterAll(() => repository.close());

      for (const { task, deed, asks = [], says = '' } of tasks)
        it.concurrent(`${task}: ${asks.length === 0 ? 'success' : asks.join(', ')}`, async () => {
          const { status, blockers, gate, shown, record } = await repository.attempt(task, deed);
          const expected = { status: asks.length === 0 ? 'success' : 'needs_human', blockers: asks };
          expect({ status, blockers }, shown).toEqual(expected);
          expect(record.eventsOf('policy_violation')).toEqual([]);
          expect(gate).toContain(says);
          expect(gate).not.toMatch(/violat|cheat|unsafe|contradict/i);
        });
    });
  }
});
