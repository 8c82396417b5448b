import { describe, expect } from 'vitest';
import { type Scene, test } from './scene.ts';

const ROUTES =
  '{ completed: check, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }';
const WORKFLOW = `workflow_id: reported
version: 1
description: An answer, tests that report, and one more try.
entry_step: implement
steps:
  - id: implement
    opcode: RUN_AGENT
    agent: actor
    prompt: |
      write answer.txt 41
      say Done.
    routes: ${ROUTES}
  - id: check
    opcode: RUN_VALIDATION
    run: [tests, lint]
    routes: { completed: judge, error: judge, killed_timeout: judge, killed_idle: judge, killed_policy: STOP }
  - id: judge
    opcode: EVALUATE
    prompt: planner.evaluate_results.v1
    allowed_next_steps: [fix, STOP]
    routes: { success: STOP, partial: fix, blocked: STOP, unsafe: STOP, needs_human: STOP }
  - id: fix
    opcode: RUN_AGENT
    agent: actor
    prompt: |
      write answer.txt 42
      say Mended.
    routes: ${ROUTES}
`;

const ANSWER_TEST = `import assert from 'node:assert';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
test('there is an answer', () => { readFileSync('answer.txt'); });
test('the answer is right', () => { assert.equal(readFileSync('answer.txt', 'utf8').trim(), '42'); });
`;

const config = (tests: string, lint: string) => `agents:
  actor: { kind: command, command: [node, tools/act.mjs] }
validators:
  tests: ${tests}
  lint: { command: [node, -e, "${lint}"] }
`;

async function run(scene: Scene) {
  await scene.repo.write('../reported.yaml', WORKFLOW);
  const { code, stdout } = await scene.conductor('run', '../reported.yaml');
  const record = scene.record(stdout.split('\n')[0] ?? '');
  return {
    code,
    record,
    decisions: record.eventsOf('decision_recorded').map(({ payload }) => payload),
  };
}

describe('a run whose tests report', () => {
  test('names the failing test to the agent, and the command that runs only this test', async ({
    openScene,
  }) => {
    const tap = '{ command: [node, --test, --test-reporter=tap, answer.test.mjs], report: "tap:stdout" }';
    const scene = await openScene({ config: config(tap, '0'), files: { 'answer.test.mjs': ANSWER_TEST } });
    const { code, record, decisions } = await run(scene);
    expect(decisions[0]).toMatchObject({
      status: 'partial',
      blocker_codes: ['validator_failed:tests', 'case_failed:the answer is right'],
    });
    const { fix_instructions: instructions } = JSON.parse(record.evidence('judge', 'planner_decision'));
    expect(instructions.verification[0]).toEqual({
      command: 'node --test --test-name-pattern="the answer is right" answer.test.mjs',
      expected_signal: 'the case the answer is right passes',
    });
    expect(decisions[1]).toMatchObject({ status: 'success', risk_flags: [] });
    expect([code, record.status.outcome]).toEqual([0, 'success']);
    const report = JSON.parse(record.evidence('check@2', 'harness_report'));
    expect(report).toMatchObject({ suite_id: 'tests', summary: { passed: 2, failed: 0 } });
  });

  test('is not contradicted when another validator fails', async ({ openScene }) => {
    const tap = '{ command: [node, --test, --test-reporter=tap, answer.test.mjs], report: "tap:stdout" }';
    const scene = await openScene({
      config: config(tap, 'process.exit(1)'),
      files: { 'answer.test.mjs': ANSWER_TEST.replace("'42'", "'41'") },
    });
    const { decisions, record } = await run(scene);
    expect(decisions[0]).toMatchObject({
      status: 'partial',
      risk_flags: [],
      blocker_codes: ['validator_failed:lint'],
    });
    expect(JSON.parse(record.evidence('check', 'harness_report')).summary.passed).toBe(2);
    expect(JSON.parse(record.evidence('judge', 'planner_input')).evidence.harness_report).toBeNull();
  });

  test('is not contradicted when its runner fails though no test does', async ({ openScene }) => {
    const strict = `import { writeFileSync } from 'node:fs';
writeFileSync('report.xml', '<testsuites><testsuite name="s"><testcase name="a"/></testsuite></testsuites>');
console.error('coverage is too low');
process.exit(3);
`;
    const scene = await openScene({
      config: config('{ command: [node, strict.mjs], report: "junit:report.xml" }', '0'),
      files: { 'strict.mjs': strict },
    });
    const { decisions, record } = await run(scene);
    expect(decisions[0]).toMatchObject({
      status: 'partial',
      risk_flags: [],
      blocker_codes: ['validator_failed:tests', 'case_failed:exit code 3'],
    });
    expect(record.evidence('judge', 'planner_decision')).toContain('coverage is too low');
  });

  test('is blocked when the report does not come', async ({ openScene }) => {
    const scene = await openScene({
      config: config('{ command: [node, -e, "0"], report: "junit:r/*.xml" }', '0'),
    });
    const { decisions } = await run(scene);
    expect(decisions[0]).toMatchObject({
      status: 'blocked',
      risk_flags: ['missing_artifact'],
      blocker_codes: ['missing_artifact'],
    });
  });

  test('is refused before it starts if the report is outside', async ({ openScene }) => {
    const scene = await openScene({
      config: config('{ command: [node, -e, "0"], report: "junit:../r.xml" }', '0'),
    });
    await scene.repo.write('../reported.yaml', WORKFLOW);
    const { code, stderr } = await scene.conductor('run', '../reported.yaml');
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('`report` leaves its folder through `..` in `../r.xml`'),
    ]);
    expect(scene.runIds()).toEqual([]);
  });
});
