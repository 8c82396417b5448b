import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../src/kernel/plan.ts';
import {
  type CrashtestReport,
  crashtest,
  listScripts,
  MAX_SCRIPTS,
  tryScript,
} from '../../src/simulation/crashtest.ts';
import { chooseScripts, listOutgoingRoutes, nameRoute } from '../../src/simulation/script-choice.ts';
import { plainHabits, type SimScript } from '../../src/simulation/sim-script.ts';
import { createSimWorld, eventsOf } from '../../src/simulation/sim-world.ts';
import { simulate } from '../../src/simulation/simulate.ts';
import { checkWorkflow } from '../../src/workflow/check-workflow.ts';
import { IS_LONG } from './seeds.ts';

const root = join(import.meta.dirname, '../..');
const FIXTURES = 'test/fixtures/workflows';
const DEMO = 'examples/demo/repository/.tnh/workflow.yaml';
const DEFAULTS = { timeout_ms: 60_000, idle_timeout_ms: 60_000, max_visits: 10 };

interface Checked {
  readonly plan: Plan;
  readonly workflowText: Uint8Array;
}

function check(workflowText: Uint8Array): Checked {
  const defaults = { timeoutMs: 60_000, idleTimeoutMs: 60_000, maxVisits: 10 };
  const checked = checkWorkflow(
    { name: 'workflow.yaml', bytes: workflowText },
    { defaults, names: null, inputs: null },
  );
  if (checked.plan === null) throw new Error(checked.diagnostics[0]?.message);
  return { plan: checked.plan, workflowText };
}

function read(path: string): Checked {
  return check(readFileSync(join(root, path)));
}

function test(checked: Checked, only: string | null = null, seed = 1): Promise<CrashtestReport> {
  return crashtest({ ...checked, defaults: DEFAULTS, seed, only });
}

async function routesThrough(checked: Checked, script: SimScript): Promise<readonly string[]> {
  const world = createSimWorld();
  const nothing = () => {};
  const hooks = { stay: false, watch: nothing, onAppend: nothing, onDeath: nothing };
  await simulate({ ...checked, ...hooks, defaults: DEFAULTS, script }, world);
  return eventsOf(world).flatMap((event) =>
    event.event_type === 'route_selected'
      ? [nameRoute({ stepId: event.step_id ?? '', key: event.payload.key })]
      : [],
  );
}

describe('a workflow that is killed at every boundary', () => {
  /** The demo has a step of each kind; with the tests it is killed on its first way only. */
  it.each([
    [DEMO, IS_LONG ? null : (listScripts(read(DEMO).plan, 1)[0]?.name ?? '')],
    [`${FIXTURES}/gate-timeout.yaml`, null],
  ])('ends as it would have: %s', { timeout: 120_000 }, async (path, only) => {
    const report = await test(read(path), only);
    expect(report.failure).toBeNull();
    expect(report.scripts.every(({ ok, boundaries, events }) => ok && boundaries > 2 * events)).toBe(true);
    expect(report.scripts.some(({ recoveries }) => recoveries > 0)).toBe(true);
  });

  it('is tried at the same boundaries when the seed is the same', async () => {
    const checked = read(`${FIXTURES}/gate-timeout.yaml`);
    expect(await test(checked, null, 7)).toEqual(await test(checked, null, 7));
  });

  it('can be tried on one script alone', async () => {
    const report = await test(read(`${FIXTURES}/gate-timeout.yaml`), 'approve.gate_timed_out');
    expect(report.scripts.map(({ name, end }) => [name, end])).toEqual([
      ['approve.gate_timed_out', 'blocked timed_out gate_timed_out'],
    ]);
  });
});

describe('a run that is killed while it is prepared', () => {
  const checked = read(`${FIXTURES}/gate-timeout.yaml`);

  it.each(['setup, failed', 'baseline, failed'])('ends before its first step: %s', async (script) => {
    const { scripts, failure } = await test(read(DEMO), script);
    expect(failure).toBeNull();
    expect(scripts).toMatchObject([{ end: 'failed error error', recoveries: 0, ok: true }]);
    expect(scripts[0]?.boundaries).toBeGreaterThan(6);
  });

  it('has no baseline without an agent', async () => {
    expect(chooseScripts(checked.plan).map(({ name }) => name)).not.toContain('baseline, failed');
  });

  it('is set up once, wherever it is killed after that is recorded', async () => {
    const { scripts } = await test(checked, 'approve.gate_approved');
    expect(scripts).toMatchObject([{ end: 'completed success gate_approved', ok: true }]);
  });
});

describe('a world that is not the same after a crash', () => {
  const checked = read(`${FIXTURES}/gate-timeout.yaml`);
  const request = { ...checked, defaults: DEFAULTS, seed: 1 };

  it('is found out, with the script, the boundary and what differs', async () => {
    let answered = false;
    const fickle: SimScript = {
      name: 'fickle',
      keyOf: () => (answered ? 'gate_approved' : 'gate_rejected'),
      habitsOf: (stepId, visit) => {
        answered = true;
        return plainHabits(stepId, visit);
      },
    };
    const { report, failure } = await tryScript(request, fickle);
    expect(report.ok).toBe(false);
    expect(failure).toMatchObject({
      script: 'fickle',
      boundary: 0,
      lost: 'run_started',
      difference: { what: 'end', expected: 'blocked rejected gate_rejected' },
    });
  });

  it('is found out by its files too', async () => {
    let lives = 0;
    const growing: SimScript = {
      name: 'growing',
      keyOf: () => 'completed',
      habitsOf: (stepId, visit) => {
        lives += 1;
        return { ...plainHabits(stepId, visit), writes: [{ path: 'work.txt', line: `${lives}` }] };
      },
    };
    const { failure } = await tryScript({ ...request, ...read(`${FIXTURES}/unverified.yaml`) }, growing);
    expect(failure?.difference.what).toBe('files');
  });
});

describe('the scripts of a workflow', () => {
  it.each(['pattern-a', 'gate-timeout', 'revision-cap', 'rollback-pre-run'])(
    'take every way out of every step of %s',
    async (name) => {
      const checked = read(`${FIXTURES}/${name}.yaml`);
      const taken = new Set<string>();
      for (const script of chooseScripts(checked.plan))
        for (const route of await routesThrough(checked, script)) taken.add(route);
      const routes = checked.plan.steps.flatMap(listOutgoingRoutes).map(nameRoute);
      expect([...taken].sort()).toEqual(routes.sort());
    },
  );

  it('ask for a refinement until there is none left, where a workflow has one', async () => {
    const checked = read(`${FIXTURES}/revision-cap.yaml`);
    const always = chooseScripts(checked.plan).find(({ name }) => name.endsWith('always'));
    const routes = always === undefined ? [] : await routesThrough(checked, always);
    expect(routes.filter((route) => route.endsWith('.partial'))).toHaveLength(1);
    expect(routes.at(-1)?.endsWith('.partial')).toBe(false);
  });

  it('are chosen by the seed when there are too many', () => {
    const { plan } = check(new TextEncoder().encode(manySteps(20)));
    expect(chooseScripts(plan).length).toBeGreaterThan(MAX_SCRIPTS);
    const names = (seed: number) => listScripts(plan, seed).map(({ name }) => name);
    expect(names(1)).toHaveLength(MAX_SCRIPTS);
    expect(names(1)).toEqual(names(1));
    expect(names(1)).not.toEqual(names(2));
  });

  it('do the same at the same visit for every caller', () => {
    expect(plainHabits('work', 2)).toEqual(plainHabits('work', 2));
  });
});

function manySteps(count: number): string {
  const step = (index: number) => `
  - id: s${index}
    opcode: RUN_AGENT
    agent: a
    prompt: do it
    routes: { completed: ${index + 1 < count ? `s${index + 1}` : 'STOP'}, error: STOP }`;
  const steps = Array.from({ length: count }, (_, index) => step(index)).join('');
  return `workflow_id: many\nversion: 1\ndescription: many\nentry_step: s0\nsteps:${steps}\n`;
}
