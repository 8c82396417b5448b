import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chooseScripts } from '../../src/simulation/script-choice.ts';
import type { SimScript } from '../../src/simulation/sim-script.ts';
import { createSimWorld, eventsOf, runPath, type SimWorld } from '../../src/simulation/sim-world.ts';
import { simulate } from '../../src/simulation/simulate.ts';
import { checkWorkflow } from '../../src/workflow/check-workflow.ts';

const PAGE = 'examples/demo/repository/.tnh/workflow.yaml';
const workflowText = readFileSync(join(import.meta.dirname, '../..', PAGE));
const LIMITS = { timeoutMs: 60_000, idleTimeoutMs: 60_000, maxVisits: 10 };

/** The demo: an agent, a validation, an evaluation and a gate, which is approved. */
async function play(change: Partial<SimScript>): Promise<SimWorld> {
  const { plan } = checkWorkflow(
    { name: 'workflow.yaml', bytes: workflowText },
    { defaults: LIMITS, names: null, inputs: null },
  );
  if (plan === null) throw new Error(`${PAGE} is not valid`);
  const [script] = chooseScripts(plan).filter(({ name }) => name === 'fix.completed');
  if (script === undefined) throw new Error(`${PAGE} has no step fix`);
  const nothing = () => {};
  const world = createSimWorld();
  const defaults = { timeout_ms: 60_000, idle_timeout_ms: 60_000, max_visits: 10 };
  const hooks = { stay: false, watch: nothing, onAppend: nothing, onDeath: nothing };
  await simulate({ plan, workflowText, defaults, script: { ...script, ...change }, ...hooks }, world);
  return world;
}

function checksAtGate(world: SimWorld): unknown {
  const path = `${runPath(world.runId ?? '')}/artifacts/approve/gate_request.json`;
  return (JSON.parse(world.disk.read(path) ?? '{}') as { checks?: unknown }).checks;
}

describe('a baseline', () => {
  it('that is red is named first at the gate', async () => {
    const world = await play({ isBaseRed: true });
    expect(checksAtGate(world)).toEqual(['`tests` already fails at the base']);
    expect(eventsOf(world).at(-1)?.event_type).toBe('run_completed');
  });

  it('that is green is not mentioned there', async () => {
    expect(checksAtGate(await play({}))).toEqual([]);
  });

  it.each(['setup', 'baseline'] as const)('costs no agent when it fails: %s', async (part) => {
    const events = eventsOf(await play({ preparationFails: part }));
    expect(events.some(({ event_type }) => event_type === 'runner_started')).toBe(false);
    expect(events.at(-1)?.payload).toMatchObject({ lifecycle_state: 'failed', outcome: 'error' });
  });

  it('is kept for later runs if it could run, and not otherwise', async () => {
    const world = await play({});
    const stored = world.disk.list('/sim/baselines');
    expect(stored).toHaveLength(1);
    const unable = await play({ preparationFails: 'baseline' });
    expect(unable.disk.list('/sim/baselines')).toEqual([]);
  });
});
