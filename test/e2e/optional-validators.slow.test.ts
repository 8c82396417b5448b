import { describe, expect } from 'vitest';
import { CONFIG, type Scene, test } from './scene.ts';

/** Reports each line of src/*.txt that has "bad" in it, as a linter would. */
const LINT = 'grep -n bad src/*.txt; test $? -eq 1';
const lint = (line: string) => `${CONFIG}  lint: { command: [sh, -c, ${JSON.stringify(line)}] }\n`;

const ENDS = 'error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP';
const BOTH =
  '[tests, { id: lint, kind: builtin, optional: true }, { id: typecheck, kind: builtin, optional: true }]';

function workflow(lines: readonly string[], run = BOTH): string {
  return `workflow_id: checks
version: 1
description: Checks that a repository may have.
entry_step: work
steps:
  - id: work
    opcode: RUN_AGENT
    agent: actor
    prompt: |
${lines.map((line) => `      ${line}\n`).join('')}    routes: { completed: check, ${ENDS} }
  - { id: check, opcode: RUN_VALIDATION, run: ${run}, routes: { completed: judge, error: judge, killed_timeout: judge, killed_idle: judge, killed_policy: STOP } }
  - { id: judge, opcode: EVALUATE, prompt: planner.evaluate_results.v1, allowed_next_steps: [STOP], routes: { success: STOP, partial: STOP, blocked: STOP, unsafe: STOP, needs_human: STOP } }
`;
}

async function start(scene: Scene, lines: readonly string[], run = BOTH) {
  await scene.repo.write('../checks.yaml', workflow(lines, run));
  const { code, stdout, stderr } = await scene.conductor('run', '../checks.yaml');
  return { code, stderr, stdout, record: () => scene.record(stdout.split('\n')[0] ?? '') };
}

const RIGHT = 'write answer.txt 42';
const RED = { 'src/old.txt': 'fine\nbad\n' };

describe('optional validators', { timeout: 60_000 }, () => {
  test('are skipped if the repository has nothing to run for them', async ({ openScene }) => {
    const { code, stderr, record } = await start(await openScene(), [RIGHT]);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(record().evidence('check', 'validation_report')).exit_codes).toEqual({ tests: 0 });
  });

  test('are refused like any other if nothing at all would run', async ({ openScene }) => {
    const { code, stderr } = await start(
      await openScene(),
      [RIGHT],
      '[{ id: lint, kind: builtin, optional: true }]',
    );
    expect(code).toBe(2);
    expect(stderr).toContain('validator "lint" of step "check" can\'t be started');
  });

  test('count where they are green at the base', async ({ openScene }) => {
    const scene = await openScene({ config: lint(LINT), files: { 'src/old.txt': 'fine\n' } });
    const { record } = await start(scene, [RIGHT, 'write src/new.txt bad']);
    expect(record().finalState).toBe('blocked partial partial\n');
    expect(JSON.parse(record().evidence('judge', 'planner_input')).evidence.validation.exit_codes).toEqual({
      tests: 0,
      lint: 1,
    });
  });

  test('do not count if they fail as at the base, and the run says so', async ({ openScene }) => {
    const scene = await openScene({ config: lint(LINT), files: RED });
    const { code, stderr, record } = await start(scene, [RIGHT, 'write src/old.txt fine\\nfine\\nbad']);
    expect(code, stderr).toBe(0);
    const { exit_codes, known_failures } = JSON.parse(record().evidence('check', 'validation_report'));
    expect({ exit_codes, known_failures }).toEqual({ exit_codes: { tests: 0 }, known_failures: ['lint'] });
    expect(stderr).toContain('lint fails as it did at the base and reports nothing new');
  });

  test('count if they fail at the base and report something new', async ({ openScene }) => {
    const scene = await openScene({ config: lint(LINT), files: RED });
    const { record } = await start(scene, [RIGHT, 'write src/new.txt bad']);
    expect(record().finalState).toBe('blocked partial partial\n');
  });

  test("are skipped if they can't run at the base", async ({ openScene }) => {
    const scene = await openScene({ config: lint('no-such-linter .') });
    const { code, stderr, record } = await start(scene, [RIGHT]);
    expect(code, stderr).toBe(0);
    expect(record().eventsOf('baseline_recorded')[0]?.payload.validators).toMatchObject([
      { id: 'tests', ran: true },
      { id: 'lint', ran: false, reason: "can't run here" },
    ]);
  });

  test('a validator without the key is refused as before', async ({ openScene }) => {
    const { code, stderr } = await start(await openScene(), [RIGHT], '[tests, lint]');
    expect(code).toBe(2);
    expect(stderr).toContain('validator "lint" of step "check" can\'t be started');
  });
});
