import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { notifiedLines, type Scene, test, until } from './scene.ts';

/** An agent that does what the first line of a file in the person's home says, and takes the line away. */
const LIMITED = `import { readFileSync, writeFileSync } from 'node:fs';
const path = process.env.HOME + '/turns.txt';
const [turn = 'work', ...rest] = readFileSync(path, 'utf8').split('\\n');
writeFileSync(path, rest.join('\\n'));
writeFileSync('work.txt', turn + '\\n');
const say = (result) => writeFileSync(process.env.CONDUCTOR_RESULT, JSON.stringify(result));
if (turn.startsWith('fail ')) {
  const [, kind, seconds] = turn.split(' ');
  const reset_at = seconds === undefined ? null : new Date(Date.now() + Number(seconds) * 1000).toISOString();
  say({ failure: { class: kind, message: 'the provider says no', reset_at }, usage: { input_tokens: 5, output_tokens: 1 } });
  process.exit(1);
}
say({ final: 'done', usage: { input_tokens: 1000, output_tokens: 200 } });
`;

const CONFIG = `agents:
  limited: { kind: command, command: [node, tools/limited.mjs], env: [HOME] }
prices:
  limited: { input_per_mtok: 1000, output_per_mtok: 5000 }
notify: { command: [node, tools/notify.mjs] }
`;

const NOTIFY = `import { appendFileSync, readFileSync } from 'node:fs';
appendFileSync(process.env.HOME + '/notified.ndjson', readFileSync(0));
`;

function workflow(timeout: string, extra = ''): string {
  return `workflow_id: limited
version: 1
description: One agent.
entry_step: write
${extra}steps:
  - id: write
    opcode: RUN_AGENT
    agent: limited
    prompt: do the work
    limits: { timeout: ${timeout}, max_visits: 1 }
    routes: { completed: STOP, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
`;
}

async function prepare(
  openScene: (options: object) => Promise<Scene>,
  turns: readonly string[],
  document = workflow('2m'),
) {
  const scene = await openScene({
    config: CONFIG,
    files: { 'tools/limited.mjs': LIMITED, 'tools/notify.mjs': NOTIFY, 'limited.yaml': document },
  });
  await writeFile(join(scene.home, 'turns.txt'), turns.join('\n'));
  const run = async (...args: readonly string[]) => {
    const result = await scene.conductor('run', 'limited.yaml', ...args);
    return { ...result, runId: result.stdout.split('\n')[0] ?? '' };
  };
  return { scene, run };
}

function statusOf(text: string): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>;
}

test('a result file with an unknown class is ignored, and the run says so', async ({ openScene }) => {
  const { run } = await prepare(openScene, ['fail rate_limit 40']);
  const { stderr, code } = await run();
  expect(code).toBe(1);
  expect(stderr).toContain(
    'the result file is ignored: failure.class: invalid option: expected one of "overloaded"',
  );
});

describe('an agent whose quota is spent until a known time', () => {
  test('parks its run: it waits, and says until when and why', async ({ openScene }) => {
    const { scene, run } = await prepare(openScene, ['fail quota_exhausted 7200', 'work']);
    const parked = await run();
    expect(parked.code).toBe(3);
    expect(parked.stderr).toMatch(/waiting until \d{4}-/);
    const record = scene.record(parked.runId);
    const [waiting] = record.eventsOf('step_waiting');
    const until = waiting?.payload.until ?? '';
    expect(waiting?.payload).toMatchObject({ gate: null, attempt: 1 });
    const [notified] = await notifiedLines(scene.home, 1);
    expect(JSON.parse(notified ?? '')).toMatchObject({
      ...waiting,
      notification: { commands: [expect.stringContaining('resume')] },
    });
    expect(record.eventsOf('runner_completed')[0]?.payload).toMatchObject({
      termination: 'error',
      failure: 'quota_exhausted',
      usage: { input_tokens: 5, output_tokens: 1 },
    });
    expect(statusOf((await scene.conductor('status', parked.runId, '--json')).stdout)).toMatchObject({
      lifecycle_state: 'waiting',
      awaiting: null,
      current_step_id: 'write',
      waiting_until: until,
      blocking_reason: `agent "limited": the provider says no; the run waits until ${until}`,
    });
    expect((await scene.conductor('status', parked.runId)).stdout).toContain(until);
    expect((await scene.conductor('runs')).stdout).toMatch(/parked, due in \d+ [mh]: agent "limited"/);
    expect((await scene.conductor('show', parked.runId)).stdout).toContain('parked');
    expect((await scene.conductor('status', parked.runId, '--watch')).code).toBe(3);
    expect((await scene.conductor('gates')).stdout).not.toContain('write');
    const lines = record.lines.length;
    const early = await scene.conductor('resume', parked.runId);
    expect(early.code).toBe(3);
    expect(early.stderr).toContain(until);
    expect(scene.record(parked.runId).lines).toHaveLength(lines);
    expect((await scene.conductor('cancel', parked.runId)).code).toBe(0);
    expect(scene.record(parked.runId).finalState).toContain('cancelled');
  });

  test('parks every other run on the same account before its agent is started', async ({ openScene }) => {
    const { scene, run } = await prepare(openScene, ['fail quota_exhausted 7200', 'work']);
    const first = await run();
    const second = await run();
    expect([first.code, second.code]).toEqual([3, 3]);
    const { payload } = scene.record(second.runId).eventsOf('step_waiting')[0] ?? {};
    expect(payload).toEqual(scene.record(first.runId).eventsOf('step_waiting')[0]?.payload);
    expect(scene.record(second.runId).eventsOf('runner_started')).toEqual([]);
    expect(await readFile(join(scene.home, 'turns.txt'), 'utf8')).toBe('work');
    const waits = join(scene.home, '.local/state/conductor/waits');
    const [file = '', ...others] = readdirSync(waits);
    expect(others).toEqual([]);
    expect(Object.keys(statusOf(readFileSync(join(waits, file), 'utf8')))).toEqual(['until', 'reason']);
  });

  test('continues at the given time, from the files it started with and without another visit', async ({
    openScene,
  }) => {
    const { scene, run } = await prepare(openScene, ['fail rate_limited 5', 'work'], workflow('4s'));
    const parked = await run();
    expect(parked.code).toBe(3);
    expect(await scene.inCheckout(parked.runId, 'work.txt')).toContain('fail');
    const done = await scene.conductor('resume', parked.runId, '--wait');
    expect(done.code).toBe(7);
    const record = scene.record(parked.runId);
    expect(record.eventsOf('step_started').map(({ payload }) => payload)).toMatchObject([
      { attempt: 1, visit: 1, recovery: false },
      { attempt: 2, visit: 1, recovery: true },
    ]);
    expect(record.eventsOf('salvage_recorded')).toHaveLength(1);
    expect(await scene.inCheckout(parked.runId, 'work.txt')).toBe('work\n');
    expect(record.metadata.usage).toEqual({ input_tokens: 1005, output_tokens: 201, cost_usd: 2.01 });
  });
});

describe('an agent with a limit of unknown length', () => {
  const TERSE = `${CONFIG.replace('env: [HOME]', 'env: [HOME], retries: 0')}limits: { park: 3s }\n`;
  const open = (openScene: (options: object) => Promise<Scene>, turns: readonly string[]) =>
    prepare((options) => openScene({ ...options, config: TERSE }), turns);

  test('is parked, shown by runs, and started again by a process that waits', async ({ openScene }) => {
    const { scene, run } = await open(openScene, ['fail rate_limited', 'work']);
    const parked = await run();
    expect(parked.code).toBe(3);
    expect((await scene.conductor('runs')).stdout).toContain('parked, due ');
    expect((await scene.conductor('resume', parked.runId, '--wait')).code).toBe(7);
    expect(await scene.inCheckout(parked.runId, 'work.txt')).toBe('work\n');
  });

  test('ends its step as an error once it was parked as long as limits.park allows', async ({
    openScene,
  }) => {
    const { scene, run } = await open(openScene, ['fail rate_limited', 'fail rate_limited', 'work']);
    const ended = await run('--wait');
    expect(ended.code).toBe(1);
    const record = scene.record(ended.runId);
    expect(record.eventsOf('step_waiting')).toHaveLength(1);
    expect(record.eventsOf('step_failed')[0]?.payload).toMatchObject({
      outcome: 'error',
      reason: expect.stringContaining('the step was parked for 3s in total; raise limits.park'),
    });
    expect(record.eventsOf('run_started')[0]?.payload.defaults.park_ms).toBe(3_000);
  });

  test('is not parked for a known end after limits.park', async ({ openScene }) => {
    const { scene, run } = await open(openScene, ['fail rate_limited 7200', 'work']);
    const ended = await run();
    expect(ended.code).toBe(1);
    const record = scene.record(ended.runId);
    expect(record.eventsOf('step_waiting')).toEqual([]);
    expect(record.eventsOf('step_failed')[0]?.payload.reason).toContain('a step is parked for at most 3s');
  });
});

describe('an agent with a transient failure', () => {
  test('is started again from the same files, and each start is on record', async ({ openScene }) => {
    const { scene, run } = await prepare(openScene, ['fail network', 'work']);
    const done = await run();
    expect(done.code).toBe(7);
    expect(done.stderr).toContain('it is started again in');
    const record = scene.record(done.runId);
    expect(record.eventsOf('step_started').filter(({ step_id }) => step_id === 'write')).toHaveLength(1);
    expect(record.eventsOf('runner_started').map(({ payload }) => payload.try)).toEqual([undefined, 2]);
    expect(record.eventsOf('runner_completed').map(({ payload }) => payload)).toMatchObject([
      { termination: 'error', failure: 'network' },
      { termination: 'completed', try: 2 },
    ]);
    expect(await scene.inCheckout(done.runId, 'work.txt')).toBe('work\n');
    const roles = record.manifest('write').artifacts.map(({ role }) => role);
    expect(roles.filter((role) => role === 'runner_transcript')).toHaveLength(1);
    expect(roles).toContain('failed_start_transcript');
    const { stdout } = await scene.conductor('logs', done.runId, '--json');
    const { logs } = JSON.parse(stdout) as { logs: { name: string }[] };
    expect(logs.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['transcript.txt', 'try@2/transcript.txt']),
    );
    expect(record.metadata.usage.input_tokens).toBe(1005);
  });

  test.for([
    ['authentication', 'log in with'],
    ['quota_exhausted', 'add credit'],
  ] as const)(
    'is not started again for %s, and the reason names the fix',
    async ([kind, fix], { openScene }) => {
      const { scene, run } = await prepare(openScene, [`fail ${kind}`, 'work']);
      const failed = await run();
      expect(failed.code).toBe(1);
      expect(failed.stderr).toContain(fix);
      expect(scene.record(failed.runId).eventsOf('runner_started')).toHaveLength(1);
    },
  );
});

/** Claude Code as far as it matters here: it reports its usage, and ends only when it is started again. */
const TALKER = `const usage = { input_tokens: 1000, output_tokens: 1 };
const print = (event) => console.log(JSON.stringify(event));
print({ type: 'assistant', message: { id: 'm', content: [], usage } });
if (process.env.CONDUCTOR_ATTEMPT === '1') setInterval(() => {}, 1000);
else print({ type: 'result', subtype: 'success', is_error: false, result: 'done', usage, permission_denials: [] });
`;

describe('what an agent had used when its run was broken off', () => {
  test.for(['SIGINT', 'SIGKILL'] as const)('counts after %s too', async (signal, { openScene }) => {
    const config = 'agents:\n  limited: { kind: claude-code, command: [node, tools/talk.mjs] }\n';
    const document = workflow('2m', 'defaults: { limits: { token_budget: 1500 } }\n');
    const scene = await openScene({
      config,
      files: { 'tools/talk.mjs': TALKER, 'limited.yaml': document },
    });
    const started = scene.cli.start(['run', 'limited.yaml']);
    const stream = () =>
      join(scene.repo.root, '.tnh/run', scene.runIds()[0] ?? '', 'artifacts/write/stream.ndjson');
    await until(() => existsSync(stream()) && readFileSync(stream(), 'utf8').includes('1000'));
    started.kill(signal);
    await started.done;
    const [runId = ''] = scene.runIds();
    expect((await scene.conductor('resume', runId)).code).toBe(6);
    expect(scene.record(runId).metadata).toMatchObject({
      outcome: 'budget',
      usage: { input_tokens: 2000, output_tokens: 2 },
    });
  });
});

describe('a budget in dollars', () => {
  test('applies to an agent that reports only tokens, by the configured price', async ({ openScene }) => {
    const capped = workflow('2m', 'defaults: { limits: { cost_budget_usd: 1.5 } }\n');
    const { scene, run } = await prepare(openScene, ['work'], capped);
    const done = await run();
    expect(done.code).toBe(6);
    expect(scene.record(done.runId).metadata).toMatchObject({
      outcome: 'budget',
      usage: { input_tokens: 1000, output_tokens: 200, cost_usd: 2 },
    });
    expect((await scene.conductor('show', done.runId)).stdout).toContain(
      '1000 tokens in, 200 out; cost 2 USD',
    );
  });
});
