import { describe, expect, it } from 'vitest';
import type { AgentFailure } from '../../../src/contracts/run/agent-failure.ts';
import type { Usage } from '../../../src/contracts/run/agent-result.ts';
import type { RunEvent } from '../../../src/contracts/run/event.ts';
import type { Budgets, Plan } from '../../../src/kernel/plan.ts';
import type { Agent, AgentRequest, AgentResult } from '../../../src/ports/agent.ts';
import type { CredentialWait, CredentialWaits } from '../../../src/ports/shared-stores.ts';
import type { DriveEnd } from '../../../src/runtime/drive/drive.ts';
import { startRun } from '../../../src/runtime/drive/start-run.ts';
import type { AgentSettings, RunDeps } from '../../../src/runtime/run-context.ts';
import { createSimDeps } from '../../../src/simulation/sim-deps.ts';
import { createLife } from '../../../src/simulation/sim-life.ts';
import { plainHabits, type SimScript } from '../../../src/simulation/sim-script.ts';
import { createSimWorld, eventsOf, type SimWorld } from '../../../src/simulation/sim-world.ts';
import { agent, planOf } from '../../../testing/plans.ts';

/** The real runtime in a simulated world, with an agent that a test plays. */

type Play = (request: AgentRequest, world: SimWorld) => Promise<Partial<AgentResult>>;

const SCRIPT: SimScript = { name: 'one', keyOf: () => 'completed', habitsOf: plainHabits };
const HEARTBEAT_MS = 1_000;

interface PlayedRun {
  readonly end: DriveEnd;
  readonly events: readonly RunEvent[];
  readonly sleeps: readonly number[];
  readonly starts: readonly AgentRequest[];
  readonly files: Readonly<Record<string, string>>;
  readonly waits: Readonly<Record<string, CredentialWait>>;
}

interface Setting {
  readonly plan?: Plan;
  readonly care?: Partial<AgentSettings>;
  readonly waits?: Record<string, CredentialWait>;
}

async function playRun(plays: readonly Play[], setting: Setting = {}): Promise<PlayedRun> {
  const plan = setting.plan ?? planOf([agent('write')]);
  const world = createSimWorld();
  const life = createLife(1, () => {});
  const sim = createSimDeps(world, life, plan, SCRIPT, () => {});
  const starts: AgentRequest[] = [];
  const sleeps: number[] = [];
  const waits = setting.waits ?? {};
  const played: Agent = {
    family: 'played',
    explainUnavailable: async () => null,
    run: async (request) => {
      const play = plays[starts.length];
      starts.push(request);
      if (play === undefined) throw new Error(`start ${starts.length} was not expected`);
      world.repo.addLine({ path: 'work.txt', line: `start ${starts.length}` });
      world.disk.write(`${request.evidenceDir}/transcript.txt`, 'worked\n', false);
      return { ...endOf(request), ...(await play(request, world)) };
    },
  };
  const deps: RunDeps = {
    ...sim,
    waits: memoryOf(waits),
    chance: () => 1,
    clock: {
      now: () => new Date(world.time),
      sleep: (ms, signal) =>
        ms === HEARTBEAT_MS
          ? new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
          : Promise.resolve().then(() => {
              sleeps.push(ms);
              world.time += ms;
            }),
    },
    project: {
      ...sim.project,
      agent: () => played,
      agentSettings: () => ({ retries: 2, credential: 'account', price: null, ...setting.care }),
    },
  };
  const common = {
    deps,
    wait: false,
    signal: new AbortController().signal,
    observer: { onEvents: () => {}, onLine: () => {} },
    onGate: null,
  };
  const started = await startRun({
    ...common,
    plan,
    ids: { newRunId: () => 'run-1' },
    workflowText: new TextEncoder().encode('steps: []\n'),
    baseRef: 'HEAD',
    inputs: {},
    defaults: { timeout_ms: 60_000, idle_timeout_ms: 60_000, max_visits: 10 },
    onCreated: () => {},
  });
  if (!started.ok) throw new Error(started.obstacles[0]?.message);
  return {
    end: started.end,
    events: eventsOf(world),
    sleeps,
    starts,
    files: Object.fromEntries(world.repo.checkout ?? new Map()),
    waits,
  };
}

function memoryOf(held: Record<string, CredentialWait>): CredentialWaits {
  return {
    find: async (credential) => held[credential] ?? null,
    put: async (credential, wait) => {
      held[credential] = wait;
    },
  };
}

function endOf(request: AgentRequest): AgentResult {
  return {
    termination: 'completed',
    exitCode: 0,
    durationMs: 10,
    transcriptPath: `${request.evidenceDir}/transcript.txt`,
    stderrPath: null,
    finalResponse: 'done',
    result: null,
    reason: null,
    notes: [],
  };
}

function fails(failure: Partial<AgentFailure>, usage: Usage | null = null): Play {
  return async () => ({
    termination: 'error',
    exitCode: 1,
    result: usage === null ? null : { usage },
    reason: 'it failed',
    failure: { class: 'network', message: 'no line', reset_at: null, help: 'mend it', ...failure },
  });
}

const works: Play = async () => ({});

function completed(result: PlayedRun) {
  return result.events.flatMap((event) => (event.event_type === 'runner_completed' ? [event.payload] : []));
}

function endText({ end }: PlayedRun): string {
  return end.kind === 'ended' ? `${end.end.lifecycle} ${end.end.outcome} ${end.end.termination}` : end.kind;
}

describe('an agent with a transient failure', () => {
  it('is started again after a while that grows, from the files of the first start', async () => {
    const result = await playRun([fails({}), fails({ class: 'overloaded' }), works]);
    expect(endText(result)).toBe('completed unverified completed');
    expect(result.sleeps).toEqual([2_000, 4_000]);
    expect(result.files['work.txt']).toBe('start 3\n');
    expect(completed(result)).toMatchObject([
      { termination: 'error', failure: 'network' },
      { termination: 'error', failure: 'overloaded', try: 2 },
      { termination: 'completed', try: 3 },
    ]);
    expect(result.events.filter(({ event_type }) => event_type === 'step_started')).toHaveLength(1);
  });

  it('ends its step when it has been tried often enough, with a reason that names the fix', async () => {
    const result = await playRun([fails({}), fails({}), fails({})]);
    expect(endText(result)).toBe('failed error error');
    const [failed] = result.events.filter((event) => event.event_type === 'step_failed');
    expect(failed?.payload).toMatchObject({ reason: 'it failed; mend it' });
  });

  it('gets what is left of the time of the step, and no start that would have none', async () => {
    const slow: Play = async (request, world) => {
      world.time += 55_000;
      return fails({})(request, world);
    };
    const plan = planOf([agent('write', { timeoutMs: 60_000 })]);
    const result = await playRun([slow, slow], { plan });
    expect(result.starts.map(({ timeoutMs }) => timeoutMs)).toEqual([60_000, 3_000]);
    expect(endText(result)).toBe('failed error error');
  });

  it('waits for a limit that ends soon', async () => {
    const limited: Play = (request, world) =>
      fails({ class: 'rate_limited', reset_at: new Date(world.time + 20_000).toISOString() })(request, world);
    const result = await playRun([limited, works]);
    expect(result.sleeps).toEqual([22_000]);
    expect(endText(result)).toBe('completed unverified completed');
  });

  it('is not started again where it broke a rule', async () => {
    const breaks: Play = (request, world) => {
      world.repo.addLine({ path: 'forbidden.txt', line: 'x' });
      return fails({})(request, world);
    };
    const result = await playRun([breaks]);
    expect(result.events.filter(({ event_type }) => event_type === 'policy_violation')).toHaveLength(1);
  });

  it('is not tried again where its adapter saw it break the policy, and that is on record', async () => {
    const violation = {
      class: 'interactive_prompt_violation',
      subject: 'Deploy',
      message: 'it asked',
    } as const;
    const asks: Play = async () => ({
      termination: 'killed_policy',
      reason: 'asked',
      violations: [violation],
    });
    const result = await playRun([asks]);
    expect(endText(result)).toBe('failed policy killed_policy');
    const recorded = result.events.filter(({ event_type }) => event_type === 'policy_violation');
    expect(recorded.map(({ payload }) => payload)).toMatchObject([violation]);
  });

  it.each(['authentication', 'crash', 'refused_tool', 'no_result', 'quota_exhausted'] as const)(
    'does not include %s',
    async (failureClass) => {
      const result = await playRun([fails({ class: failureClass })]);
      expect(endText(result)).toBe('failed error error');
      expect(result.sleeps).toEqual([]);
    },
  );
});

describe('an agent whose account is spent for longer', () => {
  const spent: Play = (request, world) =>
    fails({ class: 'quota_exhausted', reset_at: new Date(world.time + 7_200_000).toISOString() })(
      request,
      world,
    );

  it('parks the run and notifies all others of the account', async () => {
    const result = await playRun([spent]);
    expect(result.end).toMatchObject({ kind: 'parked', parked: { stepId: 'write' } });
    expect(result.waits).toEqual({
      account: { until: '2026-01-01T02:00:00.000Z', reason: 'agent "scripted": no line' },
    });
  });

  it('is not started if another run has reported it', async () => {
    const waits = { account: { until: '2026-01-01T05:00:00.000Z', reason: 'all spent' } };
    const result = await playRun([], { waits });
    expect(result.end).toMatchObject({
      kind: 'parked',
      parked: { until: '2026-01-01T05:00:00.000Z', reason: 'all spent' },
    });
    expect(result.events.some(({ event_type }) => event_type === 'runner_started')).toBe(false);
  });

  it('is started if what was reported is over, concerns another account or is nearly over', async () => {
    const past = { account: { until: '2025-12-31T00:00:00.000Z', reason: 'all spent' } };
    const other = { another: { until: '2026-01-01T05:00:00.000Z', reason: 'all spent' } };
    const nearly = { account: { until: '2026-01-01T00:00:30.000Z', reason: 'all spent' } };
    expect((await playRun([works], { waits: past })).sleeps).toEqual([]);
    expect((await playRun([works], { waits: other })).sleeps).toEqual([]);
    const result = await playRun([works], { waits: nearly });
    expect(result.sleeps).toEqual([30_000]);
    expect(endText(result)).toBe('completed unverified completed');
  });

  it('ends the run instead where what it used is past a budget', async () => {
    const plan = planOf([agent('write')], { budgets: { tokens: 10, costUsd: null } });
    const used: Play = async (request, world) => ({
      ...(await spent(request, world)),
      result: { usage: { input_tokens: 11 } },
    });
    expect(endText(await playRun([used], { plan }))).toBe('failed budget budget');
  });
});

describe('an agent that reports its usage while it works', () => {
  /** Reports more and more until it is stopped; if it never is, it fails the test. */
  const streams: Play = async (request) => {
    for (let turn = 1; turn <= 100; turn += 1) {
      request.onUsage?.({ input_tokens: 10 * turn, output_tokens: turn });
      await new Promise((resolve) => setImmediate(resolve));
      if (request.signal.aborted) return { termination: 'cancelled', reason: 'stopped' };
    }
    throw new Error('nobody stopped it');
  };
  const NO_BOUND: Budgets = { tokens: null, costUsd: null };

  it.each([
    ['tokens of the run', planOf([agent('write')], { budgets: { tokens: 40, costUsd: null } }), {}],
    ['tokens of the step', planOf([agent('write', { budgets: { tokens: 40, costUsd: null } })]), {}],
    [
      'dollars by the price of its tokens',
      planOf([agent('write')], { budgets: { ...NO_BOUND, costUsd: 0.00007 } }),
      { price: { input_per_mtok: 2, output_per_mtok: 1 } },
    ],
  ])('is stopped when it goes past a budget: %s', async (_what, plan, care) => {
    const result = await playRun([streams], { plan, care });
    expect(endText(result)).toBe('failed budget budget');
    expect(completed(result)).toMatchObject([
      { termination: 'killed_policy', usage: { input_tokens: 40, output_tokens: 4 } },
    ]);
    const types = result.events.map(({ event_type }) => event_type);
    expect(types.indexOf('status_updated')).toBeLessThan(types.indexOf('runner_completed'));
    const note = result.events.find((event) => event.event_type === 'status_updated');
    expect(note?.payload).toMatchObject({ note: expect.stringContaining('is being stopped: ') });
  });

  it('counts its last report if it ended before it could be stopped, and no less than was known', async () => {
    const plan = planOf([agent('write')], { budgets: { tokens: 10, costUsd: null } });
    const quick: Play = async (request) => {
      request.onUsage?.({ input_tokens: 20, output_tokens: 1 });
      return { result: { usage: { input_tokens: 15, output_tokens: 4, cost_usd: 0.5 } } };
    };
    const result = await playRun([quick], { plan });
    expect(endText(result)).toBe('failed budget budget');
    expect(completed(result)).toMatchObject([
      { usage: { input_tokens: 20, output_tokens: 4, cost_usd: 0.5 } },
    ]);
  });

  it('is reduced by what earlier starts have used', async () => {
    const plan = planOf([agent('write')], { budgets: { tokens: 60, costUsd: null } });
    const result = await playRun([fails({}, { input_tokens: 50 }), streams], { plan });
    expect(completed(result).map(({ usage }) => usage?.input_tokens)).toEqual([50, 10]);
    expect(endText(result)).toBe('failed budget budget');
  });

  it('keeps its last report when it is stopped for another reason', async () => {
    const killed: Play = async (request) => {
      request.onUsage?.({ input_tokens: 7 });
      return { termination: 'killed_timeout', exitCode: null, reason: 'too slow' };
    };
    const result = await playRun([killed]);
    expect(completed(result)).toMatchObject([{ usage: { input_tokens: 7 } }]);
    expect(result.end.view.state.usage).toEqual({ inputTokens: 7, outputTokens: null, costUsd: null });
  });

  it('leaves unreported usage unknown', async () => {
    const result = await playRun([works]);
    expect(result.end.view.state.usage).toEqual({ inputTokens: null, outputTokens: null, costUsd: null });
  });
});
