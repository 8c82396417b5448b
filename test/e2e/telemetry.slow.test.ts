import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { RunEvent } from '../../src/contracts/run/event.ts';
import { type ReceivedSpan, withOtlpReceiver } from './otlp-receiver.ts';
import { withReceiver } from './receiver.ts';
import { type Scene, test, until } from './scene.ts';

/** Agents and validators that leave the variable where the test finds it, outside the checkout. */
const CONFIG = `agents:
  actor: { kind: command, command: [node, tools/act.mjs] }
validators:
  tests: { command: [sh, -c, 'echo "$TRACEPARENT"; node tools/check.mjs'] }
`;

const MARKER = 'MARKER-of-a-prompt';

const WORKFLOW = `workflow_id: traced
version: 1
description: One revision helps.
entry_step: implement
steps:
  - id: implement
    opcode: RUN_AGENT
    agent: actor
    prompt: |
      write answer.txt 41
      usage 100 0.25
      environment env.json
      say ${MARKER}
    routes: { completed: check, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
  - id: check
    opcode: RUN_VALIDATION
    run: [tests]
    routes: { completed: judge, error: judge, killed_timeout: judge, killed_idle: judge, killed_policy: STOP }
  - id: judge
    opcode: EVALUATE
    prompt: planner.evaluate_results.v1
    revision: { step: revise, max_attempts: 2 }
    allowed_next_steps: [revise]
    routes: { success: STOP, partial: revise, blocked: STOP, unsafe: STOP, needs_human: STOP }
  - id: revise
    opcode: RUN_AGENT
    agent: actor
    prompt: |
      usage 30 0.5
      write answer.txt 42
      environment env.json
      say Better.
    routes: { completed: check, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
`;

/** Writes the user's own configuration file. */
async function configure({ home }: Pick<Scene, 'home'>, telemetry: string): Promise<void> {
  const folder = join(home, '.config', 'conductor');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'config.yaml'), `telemetry: ${telemetry}\n`);
}

async function startTraced(scene: Scene, env: Readonly<Record<string, string>> = {}) {
  await writeFile(join(scene.repo.root, '..', 'w.yaml'), WORKFLOW);
  const run = await scene.cli.start(['run', '../w.yaml', '--title', 'TITLE-of-the-run'], { env }).done;
  return { ...run, runId: run.stdout.trim() };
}

function nanosOf(timestamp: string): string {
  return `${Date.parse(timestamp)}000000`;
}

const STEP_ENDS: readonly RunEvent['event_type'][] = [
  'step_completed',
  'step_failed',
  'step_blocked',
  'run_completed',
];

/** What the log says about each attempt, read without the code that exports it. */
function attemptsOf(events: readonly RunEvent[]) {
  return events.flatMap((event, index) => {
    if (event.event_type !== 'step_started') return [];
    const rest = events.slice(index + 1);
    const next = rest.findIndex(({ event_type: type }) => type === 'step_started');
    const own = next < 0 ? rest : rest.slice(0, next + 1);
    const end = own.find(({ event_type: type }) => STEP_ENDS.includes(type)) ?? own.at(-1);
    const ended = own.find(
      (each) => each.event_type === 'step_completed' || each.event_type === 'step_failed',
    );
    const decided = own.find((each) => each.event_type === 'decision_recorded');
    const usage = own.find((each) => each.event_type === 'runner_completed')?.payload.usage ?? null;
    return [
      {
        key: `${event.step_id}@${event.payload.attempt}`,
        step: `${event.step_id}#${event.payload.visit}`,
        start: nanosOf(event.timestamp),
        end: nanosOf(end?.timestamp ?? ''),
        outcome: decided?.payload.status ?? ended?.payload.outcome ?? null,
        tokens: usage?.input_tokens,
        cost: usage?.cost_usd,
      },
    ];
  });
}

/** Unset, ok and error. A verdict other than success is a result, and no error. */
const STATUS_CODES: Readonly<Record<string, number>> = { partial: 0, success: 1, completed: 1, error: 2 };

const byName = (spans: readonly ReceivedSpan[], kind: string) =>
  spans.filter(({ name }) => name.startsWith(`${kind} `));

test('the trace of a run matches its log span by span, and agents and validators get their parent', async ({
  openScene,
}) => {
  await withOtlpReceiver(async (receiver) => {
    const scene = await openScene({ config: CONFIG });
    await configure(scene, `{ endpoint: "${receiver.url}", headers_env: OTLP_HEADERS }`);
    const run = await startTraced(scene, { OTLP_HEADERS: 'x-key=s%65cret-key-5' });
    expect(run.code, run.stderr).toBe(0);
    const record = scene.record(run.runId);
    const spans = receiver.spans();
    const traceId = run.runId.replaceAll('-', '');
    expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    for (const { headers } of receiver.received) expect(headers['x-key']).toBe('secret-key-5');

    const [root, ...others] = byName(spans, 'run');
    const [started] = record.eventsOf('run_started');
    const [ended] = record.eventsOf('run_completed');
    expect(others).toEqual([]);
    expect(root).toMatchObject({
      name: 'run traced',
      startTimeUnixNano: nanosOf(started?.timestamp ?? ''),
      endTimeUnixNano: nanosOf(ended?.timestamp ?? ''),
      status: { code: 1 },
      attributes: {
        'conductor.run.id': run.runId,
        'conductor.outcome': 'success',
        'gen_ai.usage.input_tokens': record.metadata.usage.input_tokens,
        'conductor.usage.cost_usd': record.metadata.usage.cost_usd,
      },
    });
    expect(root).not.toHaveProperty('parentSpanId');
    expect(record.metadata.usage).toMatchObject({ input_tokens: 130, cost_usd: 0.75 });

    const logged = attemptsOf(record.events);
    expect(logged.map(({ key }) => key)).toEqual([
      'implement@1',
      'check@1',
      'judge@1',
      'revise@1',
      'check@2',
      'judge@2',
    ]);
    const steps = byName(spans, 'step');
    const exported = byName(spans, 'attempt').map((span) => {
      const parent = steps.find(({ spanId }) => spanId === span.parentSpanId);
      const { attributes } = span;
      expect(parent?.parentSpanId).toBe(root?.spanId);
      expect(span.status.code).toBe(STATUS_CODES[String(attributes['conductor.outcome'])]);
      return {
        key: [attributes['conductor.step.id'], attributes['conductor.attempt']].join('@'),
        step: [parent?.attributes['conductor.step.id'], parent?.attributes['conductor.step.visit']].join('#'),
        start: span.startTimeUnixNano,
        end: span.endTimeUnixNano,
        outcome: attributes['conductor.outcome'],
        tokens: attributes['gen_ai.usage.input_tokens'],
        cost: attributes['conductor.usage.cost_usd'],
      };
    });
    expect(exported).toEqual(logged);
    expect(steps.map((span) => [span.startTimeUnixNano, span.endTimeUnixNano])).toEqual(
      logged.map(({ start, end }) => [start, end]),
    );

    const spanOf = (step: string, attempt: number) =>
      byName(spans, 'attempt').find(
        ({ attributes }) =>
          attributes['conductor.step.id'] === step && attributes['conductor.attempt'] === attempt,
      )?.spanId;
    const agentEnv = JSON.parse(await scene.inCheckout(run.runId, 'env.json'));
    expect(agentEnv.TRACEPARENT).toBe(`00-${traceId}-${spanOf('revise', 1)}-01`);
    for (const attempt of [1, 2]) {
      const folder = attempt === 1 ? 'check' : `check@${attempt}`;
      expect(record.evidence(folder, 'validation_stdout')).toContain(
        `00-${traceId}-${spanOf('check', attempt)}-01\n`,
      );
    }

    const figures = Object.fromEntries(
      receiver
        .metrics()
        .map(({ name, sum }) => [
          name,
          sum.dataPoints.map(({ asInt, asDouble }) => asDouble ?? Number(asInt)),
        ]),
    );
    expect(figures).toEqual({
      'conductor.run.count': [1],
      'conductor.run.duration': [
        (Date.parse(ended?.timestamp ?? '') - Date.parse(started?.timestamp ?? '')) / 1_000,
      ],
      'conductor.attempt.count': [1, 1, 1, 1, 1, 1],
      'conductor.usage.tokens': [130],
      'conductor.usage.cost': [0.75],
      'conductor.violation.count': [0],
    });
    for (const attributes of receiver.resources())
      expect(attributes).toMatchObject({ 'service.name': 'conductor', 'service.instance.id': run.runId });

    // Neither text of the run nor a secret leaves the machine or gets into the record.
    const bodies = receiver.received.map(({ body }) => body);
    for (const text of [MARKER, 'TITLE-of-the-run', 'Better.']) expect(bodies.join()).not.toContain(text);
    expect(JSON.stringify(record.events)).not.toContain('secret-key-5');

    // A second export is the same, byte for byte.
    const again = await scene.conductor('export', 'otel', run.runId, '--endpoint', receiver.url);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining(traceId) });
    expect(receiver.received.slice(bodies.length).map(({ body }) => body)).toEqual(bodies);

    const withText = await scene.conductor('export', 'otel', run.runId, '--payloads');
    for (const text of [MARKER, 'TITLE-of-the-run', 'Better.']) expect(withText.stdout).toContain(text);
    const file = join(scene.home, 'metrics.jsonl');
    const written = await scene.conductor('export', 'otel', run.runId, '--metrics', '--output', file);
    expect(written).toMatchObject({ code: 0, stdout: '' });
    expect(await readFile(file, 'utf8')).toBe(`${bodies.at(-1)}\n`);
    const twice = await scene.conductor('export', 'otel', run.runId, '--output', file);
    expect(twice).toMatchObject({ code: 2, stderr: expect.stringContaining('already exists') });
  });
});

test('an attempt whose driver was killed is a span that ends as interrupted, and exports come after the end', async ({
  openScene,
}) => {
  await withOtlpReceiver(async (receiver) => {
    const scene = await openScene({ config: CONFIG });
    await configure(scene, `{ endpoint: "${receiver.url}" }`);
    await writeFile(
      join(scene.repo.root, '..', 'w.yaml'),
      WORKFLOW.replace(
        'write answer.txt 41',
        `@1 write ${join(scene.home, 'hangs')} yes\n      @1 hang\n      write answer.txt 42`,
      ),
    );
    const driver = scene.cli.start(['run', '../w.yaml']);
    await until(() => existsSync(join(scene.home, 'hangs')));
    driver.kill('SIGKILL');
    await driver.done;
    const [runId = ''] = scene.runIds();
    const early = await scene.conductor('export', 'otel', runId);
    expect(early).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('has not ended') });
    expect(receiver.received).toEqual([]);
    expect((await scene.cli.start(['resume', runId]).done).code).toBe(0);
    const [first, second] = byName(receiver.spans(), 'attempt');
    const [, restarted] = scene.record(runId).eventsOf('step_started');
    expect(first).toMatchObject({
      endTimeUnixNano: nanosOf(restarted?.timestamp ?? ''),
      status: { code: 2, message: 'interrupted' },
      attributes: { 'conductor.attempt': 1, 'conductor.outcome': 'interrupted' },
    });
    expect(second).toMatchObject({
      parentSpanId: first?.parentSpanId,
      attributes: { 'conductor.attempt': 2, 'conductor.recovery': true, 'conductor.outcome': 'completed' },
    });
  });
});

test('a receiver that refuses fails no run: status and doctor show it, and without telemetry nothing is set', async ({
  openScene,
}) => {
  await withReceiver(
    (response, _count, { path }) =>
      path === '/refuses/v1/traces'
        ? response.writeHead(401).end()
        : response.writeHead(200).end('{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}'),
    async ({ url, received }) => {
      const scene = await openScene({ config: CONFIG });
      await configure(scene, `{ endpoint: "${url}/refuses" }`);
      const refused = await startTraced(scene);
      expect(refused.code, refused.stderr).toBe(0);
      expect(received).toHaveLength(1);
      const { stdout } = await scene.conductor('status', refused.runId);
      expect(stdout).toMatch(/not exported\s+telemetry:127\.0\.0\.1:\d+: .* answered HTTP 401 \(traces\)/);
      const doctor = await scene.conductor('doctor');
      expect(doctor.stdout).toContain('HTTP 401 (traces)');
      expect(scene.record(refused.runId).eventsOf('notification_sent')).toMatchObject([
        { payload: { ok: false } },
      ]);

      const partial = await scene.conductor('export', 'otel', refused.runId, '--endpoint', url);
      expect(partial).toMatchObject({
        code: 1,
        stdout: expect.stringContaining('rejected 2 items: too old'),
      });

      await configure(scene, '{}');
      const silent = await startTraced(scene);
      expect(silent.code, silent.stderr).toBe(0);
      const environment = JSON.parse(await scene.inCheckout(silent.runId, 'env.json'));
      expect(environment).not.toHaveProperty('TRACEPARENT');
      expect(scene.record(silent.runId).eventsOf('notification_sent')).toEqual([]);
    },
  );
});
