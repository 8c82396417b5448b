import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { agentStep, config, ENDS, JUDGE, runInline } from './inline-workflow.ts';
import { type Scene, test } from './scene.ts';

const WORK = 'echo 42 > answer.txt';
/** Fails on the first try in a checkout. */
const SECOND_TIME = 'echo said; test -e tried.txt || { touch tried.txt; exit 3; }';

function validateStep(validators: string, more = ''): string {
  return `  - { id: v, opcode: RUN_VALIDATION, run: [${validators}], ${more}routes: { completed: j, error: j, ${ENDS.replaceAll('STOP', 'j')} } }\n`;
}

const script = (id: string, command: string, more = '') =>
  `{ id: ${id}, kind: script, entrypoint: sh, args: [-c, ${JSON.stringify(command)}]${more} }`;

async function runWith(scene: Scene, validators: string, more = '') {
  const ran = await runInline(scene, agentStep('v') + validateStep(validators, more) + JUDGE);
  const record = scene.record(ran.runId);
  const json = (folder: string, role: string) => JSON.parse(record.evidence(folder, role)) as unknown;
  return {
    ...ran,
    record,
    report: json('v', 'validation_report'),
    input: json('j', 'planner_input'),
    tries: record.eventsOf('runner_completed').filter(({ step_id }) => step_id === 'v'),
    decision: record.eventsOf('decision_recorded')[0]?.payload,
    end: record.eventsOf('run_completed')[0]?.payload,
  };
}

describe('a validator with retries', () => {
  test('that passes on a later try is flaky, by name and count, everywhere', async ({ openScene }) => {
    const scene = await openScene({ config: config(WORK, SECOND_TIME) });
    const ran = await runWith(scene, '{ id: probe, kind: builtin, retries: 2 }, tests');
    expect(ran.code).toBe(0);
    expect(ran.report).toMatchObject({
      mechanical_outcome: 'completed',
      exit_codes: { probe: 0 },
      flaky: ['probe'],
      validators: [
        { id: 'probe', outcome: 'completed', attempts: 2, flaky: true, failed_tries: [{ exit_code: 3 }] },
        { id: 'tests', attempts: 1, flaky: false, failed_tries: [] },
      ],
    });
    expect(ran.input).toMatchObject({ evidence: { validation: { flaky: ['probe'] } } });
    expect(ran.decision).toMatchObject({ status: 'success', risk_flags: ['flaky_checks'] });
    expect(ran.tries.map(({ payload }) => [payload.name, payload.exit_code, payload.try])).toEqual([
      ['probe', 3, undefined],
      ['probe', 0, 2],
      ['tests', 0, undefined],
    ]);
    expect(ran.end).toMatchObject({ outcome: 'success' });
    expect(ran.stderr).toMatch(/~ v +completed .* 1 flaky: probe/);
    expect(ran.stderr).toContain('v: probe passed on try 2 only');
    expect((await scene.conductor('show', ran.runId)).stdout).toContain('v: probe passed on try 2 only');
    expect((await scene.conductor('status', ran.runId)).stdout).toMatch(/flaky +1: probe/);
    const shown = JSON.parse((await scene.conductor('show', ran.runId, '--json')).stdout) as unknown;
    expect(shown).toMatchObject({ flaky: [{ step_id: 'v', validator: 'probe', itself: true, tries: 2 }] });
    expect(ran.record.manifest('v').evidence_summary).toBe('1 passed, 1 flaky: probe');
  });

  test('keeps the output of each try', async ({ openScene }) => {
    const scene = await openScene({ config: config(WORK, SECOND_TIME) });
    const { record } = await runWith(scene, '{ id: probe, kind: builtin, retries: 1 }');
    const kept = record
      .eventsOf('artifact_recorded')
      .filter(({ payload }) => payload.role === 'validation_stdout')
      .map(({ payload }) => payload.path);
    expect(kept).toEqual(['artifacts/v/probe.stdout.txt', 'artifacts/v/try@2/probe.stdout.txt']);
    const logged = await scene.conductor('logs', record.status.run_id, 'v');
    expect(logged.stdout).toBe('── v  probe.stdout.txt\nsaid\n── v  try@2/probe.stdout.txt\nsaid\n');
    for (const path of kept) expect(await readFile(join(record.path, String(path)), 'utf8')).toBe('said\n');
  });

  test('that never passes fails after all its tries', async ({ openScene }) => {
    const scene = await openScene({ config: config(WORK, 'exit 1') });
    const ran = await runWith(scene, '{ id: probe, kind: builtin, retries: 2 }');
    expect(ran.tries).toHaveLength(3);
    expect(ran.report).toMatchObject({ mechanical_outcome: 'error', flaky: [], exit_codes: { probe: 1 } });
    expect(ran.decision).toMatchObject({ status: 'partial', blocker_codes: ['validator_failed:probe'] });
    expect(ran.stderr).toContain('probe: the validator exited with code 1 (tried 3 times)');
  });

  test('is retried after a signal and a missing artifact', async ({ openScene }) => {
    const scene = await openScene({ config: config(WORK) });
    const killed = 'test -e a.txt || { touch a.txt; kill -KILL $$; }';
    const forgets = 'test -e b.txt && touch out.txt; touch b.txt';
    const ran = await runWith(
      scene,
      [
        script('killed', killed, ', retries: 1'),
        script('forgets', forgets, ', retries: 1, artifacts: [out.txt]'),
      ].join(', '),
    );
    expect(ran.report).toMatchObject({ flaky: ['killed', 'forgets'], missing_artifacts: [] });
    expect(ran.code).toBe(0);
  });

  test('is not retried after a timeout', async ({ openScene }) => {
    const scene = await openScene({ config: config(WORK, 'sleep 60') });
    const ran = await runWith(scene, '{ id: probe, kind: builtin, retries: 3, timeout: 0.2s }');
    expect(ran.tries.map(({ payload }) => payload.termination)).toEqual(['killed_timeout']);
  });

  test('is retried only while the step has time left', async ({ openScene }) => {
    const scene = await openScene({ config: config(WORK, 'sleep 0.1; exit 1') });
    const ran = await runWith(
      scene,
      '{ id: probe, kind: builtin, retries: 1000, timeout: 1h }',
      'limits: { timeout: 2s }, ',
    );
    // How many there are in that time is for the machine to say; each takes a tenth of a second at least.
    expect(ran.tries.length).toBeLessThanOrEqual(21);
  });

  test('takes them from the configuration unless the step says otherwise', async ({ openScene }) => {
    const configured = config(WORK, SECOND_TIME).replace('  probe: {', '  probe: { retries: 1,');
    const scene = await openScene({ config: configured });
    expect((await runWith(scene, 'probe')).report).toMatchObject({ flaky: ['probe'] });
    expect((await runWith(scene, '{ id: probe, kind: builtin, retries: 0 }')).report).toMatchObject({
      flaky: [],
      mechanical_outcome: 'error',
    });
  });
});

describe('cases of a harness report', () => {
  const caseOf = (status: string) => ({
    id: 'login',
    kind: 'unit',
    status,
    repro: 'x',
    observations: [],
    artifacts: [],
  });
  const reportOf = (status: string, summary: object) =>
    JSON.stringify({
      suite_id: 's',
      version: '1.0.0',
      generated_at: '2026-01-01T00:00:00Z',
      cases: [caseOf(status)],
      summary: { passed: 0, failed: 0, flaky: 0, duration_ms: 1, ...summary },
    });

  test('that are flaky are reported by id and counted', async ({ openScene }) => {
    const scene = await openScene({
      config: config(WORK),
      files: { 'flaky.json': reportOf('flaky', { flaky: 1 }) },
    });
    const copy = script(
      'kit',
      'cp flaky.json harness_report.json',
      ', artifacts: [harness_report.json], may_propose_goldens: false',
    );
    const ran = await runWith(scene, copy);
    expect(ran.report).toMatchObject({ flaky: ['login'], validators: [{ id: 'kit', flaky: false }] });
    expect(ran.decision).toMatchObject({ status: 'success', risk_flags: ['flaky_checks'] });
    expect(ran.stderr).toContain('v: kit has 1 flaky case');
    expect((await scene.conductor('status', ran.runId)).stdout).toMatch(/flaky +1: cases of kit/);
  });

  test('that failed on the first try and passed on the second count as one report, the last', async ({
    openScene,
  }) => {
    const scene = await openScene({
      config: config(WORK),
      files: {
        'failed.json': reportOf('failed', { failed: 1 }),
        'passed.json': reportOf('passed', { passed: 1 }),
      },
    });
    const command =
      'if test -e tried.txt; then cp passed.json harness_report.json; else cp failed.json harness_report.json; touch tried.txt; exit 1; fi';
    const ran = await runWith(
      scene,
      script('kit', command, ', retries: 1, artifacts: [harness_report.json], may_propose_goldens: false'),
    );
    expect(ran.report).toMatchObject({ flaky: ['kit', 'login'] });
    expect(ran.input).toMatchObject({ evidence: { harness_report: { cases: [{ status: 'passed' }] } } });
    expect(ran.decision).toMatchObject({ status: 'success', risk_flags: ['flaky_checks'] });
  });

  test('are never passed in a report that conductor converts', async ({ openScene }) => {
    const scene = await openScene({ config: config(WORK) });
    const command =
      'echo 1..2; echo ok 1 logout; test -e tried.txt && echo ok 2 login && exit; touch tried.txt; echo not ok 2 login; exit 1';
    const ran = await runWith(scene, script('tap', command, ', retries: 1, report: "tap:stdout"'));
    expect(ran.report).toMatchObject({ flaky: ['tap', 'login'] });
    expect(ran.input).toMatchObject({
      evidence: {
        harness_report: {
          cases: [
            { id: 'logout', status: 'passed' },
            { id: 'login', status: 'flaky' },
          ],
          summary: { passed: 1, failed: 0, flaky: 1 },
        },
      },
    });
    expect(ran.decision).toMatchObject({ status: 'success', risk_flags: ['flaky_checks'] });
  });
});

describe('several validators in one step', () => {
  /** `waits` ends by itself only if `green` runs beside it. */
  const all = (waits: string) =>
    [
      script('red', 'exit 2'),
      script('stuck', 'sleep 60', ', timeout: 0.5s'),
      script('shot', 'kill -KILL $$'),
      script('waits', 'until test -e green.txt; do sleep 0.05; done; exit 4', `, timeout: ${waits}`),
      script('green', 'touch green.txt'),
    ].join(', ');

  test.for([
    [
      'one after the other',
      'false',
      '0.5s',
      { timeouts: ['stuck', 'waits'], exit_codes: { red: 2, green: 0 } },
    ],
    ['side by side', 'true', '10m', { timeouts: ['stuck'], exit_codes: { red: 2, waits: 4, green: 0 } }],
  ] as const)(
    'all run %s with parallel: %s, and the worst counts',
    async ([, parallel, waits, ends], { openScene }) => {
      const scene = await openScene({ config: config(WORK) });
      const ran = await runWith(scene, all(waits), `parallel: ${parallel}, `);
      expect(ran.report).toMatchObject({
        ...ends,
        mechanical_outcome: 'killed_timeout',
        validators: [
          { id: 'red', outcome: 'error' },
          { id: 'stuck', outcome: 'killed_timeout', exit_code: null },
          { id: 'shot', outcome: 'error', exit_code: null },
          { id: 'waits' },
          { id: 'green', outcome: 'completed' },
        ],
      });
      expect(ran.decision).toMatchObject({ status: 'partial' });
    },
  );
});
