import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { harnessReportSchema } from '../../src/contracts/run/harness-report.ts';
import { chromiumHere } from '../integration/chromium-here.ts';
import { sandboxHere } from '../integration/sandbox-here.ts';
import { fixture, type Scene, type SceneOptions, test } from './scene.ts';

const workflow = (validator: string) => `workflow_id: probe
version: 1
description: One validation, and a person for what it proposes.
entry_step: check
steps:
  - id: check
    opcode: RUN_VALIDATION
    run: [${validator}]
    routes: { completed: judge, error: judge, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
  - id: judge
    opcode: EVALUATE
    prompt: planner.evaluate_harness_report.v1
    allowed_next_steps: [ask, STOP]
    routes: { success: ask, partial: ask, blocked: ask, unsafe: STOP, needs_human: ask }
  - id: ask
    opcode: GATE
    gate: requires_approval
    routes: { gate_approved: STOP, gate_rejected: STOP }
`;

async function validate(scene: Scene, validator: string) {
  await scene.repo.write('../probe.yaml', workflow(validator));
  const { stdout, stderr, code } = await scene.conductor('run', '../probe.yaml');
  expect(code, stderr).toBe(3);
  const runId = stdout.split('\n')[0] ?? '';
  return { runId, record: scene.record(runId) };
}

const HARNESS =
  '{ id: h, kind: script, entrypoint: tools/h.mjs, args: [--report, harness_report.json], artifacts: [harness_report.json] }';

const SHOP = `
import { createServer } from 'node:http';
createServer((request, response) => {
  response.setHeader('content-type', 'text/html');
  response.end('<!doctype html><html lang="en"><title>Shop</title><main><h1>Shop</h1><button>Save</button></main>');
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

const KIT = `
const { harness } = await import(process.env.CONDUCTOR_HARNESS);
await harness('shop', (t) => {
  t.cli('says', { command: ['node', '-e', 'console.log(1)'], stdout: '1', golden: 'says.txt' });
  t.web('page', { url: 'http://127.0.0.1:{port}/', serve: ['node', 'tools/shop.mjs'], expect: [{ visible: 'text=Save' }] });
  t.docs('readme', { files: ['README.md'], run: ['sh'] });
});
`;

const FILES = {
  'tools/h.mjs': KIT,
  'tools/shop.mjs': SHOP,
  'README.md': '# Shop\n\n[up](#shop)\n\n```sh\ntrue\n```\n',
};

describe('a validator', () => {
  test('gets its own path and the path of the kit', async ({ openScene }) => {
    const files = { 'tools/env.mjs': 'console.log(JSON.stringify(process.env));\n' };
    const scene = await openScene({ files });
    const { record, runId } = await validate(scene, '{ id: env, kind: script, entrypoint: tools/env.mjs }');
    const env: Record<string, string> = JSON.parse(record.evidence('check', 'validation_stdout'));
    expect(env).toMatchObject({
      CONDUCTOR_RUN_ID: runId,
      CONDUCTOR_STEP_ID: 'check',
      CONDUCTOR_ATTEMPT: '1',
      CONDUCTOR_RUN_DIR: record.path,
    });
    expect([env.CONDUCTOR_BIN, env.CONDUCTOR_HARNESS].map((path) => existsSync(path ?? ''))).toEqual([
      true,
      true,
    ]);
  });

  const places: [string, SceneOptions][] = [
    ['without a sandbox', { sandbox: 'off' }],
    ...(sandboxHere.ok
      ? [['in a sandbox without a network', { sandbox: 'required' }] satisfies [string, SceneOptions]]
      : []),
  ];

  test.for(places)('uses the kit %s', { timeout: 300_000 }, async ([, options], { openScene }) => {
    const scene = await openScene({ ...options, files: FILES });
    const { record } = await validate(scene, HARNESS);
    const report = harnessReportSchema.parse(JSON.parse(record.evidence('check', 'harness_report')));
    expect(report.cases.map(({ id, status, observations }) => [id, status, observations])).toEqual([
      ['says', 'passed', ['goldens/says.txt is new: 1 line']],
      ['page', chromiumHere ? 'passed' : 'skipped', chromiumHere ? [] : [expect.any(String)]],
      ['readme', 'passed', [expect.stringContaining('1 example run')]],
    ]);
    expect(report.proposed_goldens).toMatchObject([{ proposed_path: 'harness/out/shop/proposed/says.txt' }]);
    const references = report.cases.flatMap(({ artifacts }) => artifacts);
    expect(references.filter((reference) => !existsSync(join(record.path, reference)))).toEqual([]);
    expect(references).toContain('harness/out/shop/logs/says.stdout.txt');
    if (chromiumHere) expect(references).toContain('harness/out/shop/screenshots/page.png');
  });
});

/** What an agent that has read the prompt would write: the lines of Python are the prompt's own. */
const WRITER = (python: string) => `
import { writeFileSync } from 'node:fs';
const folder = '.tnh/run/' + process.env.CONDUCTOR_RUN_ID + '/harness/';
if (process.env.CONDUCTOR_STEP_ID === 'synthesize') {
  writeFileSync(folder + 'harness.py', ${JSON.stringify(python)});
  writeFileSync(folder + 'suite.yaml', 'suite_id: answers\\ncases:\\n  - { id: answer, kind: cli, command: [cat, answer.txt], stdout: { equals: "42\\\\n" }, golden: answer.txt }\\n');
} else writeFileSync('answer.txt', '42\\n');
console.log('Done.');
`;

describe('the generative evaluation pattern with the kit', () => {
  test('goes from a failing case through a fix to a golden that waits', { timeout: 300_000 }, async ({
    openScene,
  }) => {
    const prompt = readFileSync(
      new URL('../../prompts/task.synthesize_harness.v1.md', import.meta.url),
      'utf8',
    );
    const python = /```python\n([\s\S]*?)```/.exec(prompt)?.[1] ?? '';
    expect(python).toContain('CONDUCTOR_BIN');
    const scene = await openScene({ files: { 'tools/harness-writer.mjs': WRITER(python) } });
    const text = readFileSync(fixture('pattern-a'), 'utf8');
    await scene.repo.write('../pattern-a.yaml', text.replaceAll('"claude-code"', '"harness-writer"'));
    const { code, stdout, stderr } = await scene.conductor('run', '../pattern-a.yaml');
    expect(code, stderr).toBe(3);
    const record = scene.record(stdout.trim());
    const report = (folder: string) => JSON.parse(record.evidence(folder, 'harness_report'));
    expect(report('execute_harness').cases).toMatchObject([
      { id: 'answer', status: 'failed', repro: 'cat answer.txt' },
    ]);
    expect(report('execute_harness@2').proposed_goldens).toMatchObject([
      {
        golden_path: 'goldens/answer.txt',
        proposed_path: 'harness/out/answers/proposed/answer.txt',
        kind: 'text',
      },
    ]);
    expect(record.eventsOf('decision_recorded').map(({ payload }) => payload.status)).toEqual([
      'partial',
      'needs_human',
    ]);
  });
});
