import * as fc from 'fast-check';
import type { RouteKey } from '../../src/contracts/vocabulary.ts';
import type { Plan } from '../../src/kernel/plan.ts';
import { createRandom, type Random } from '../../src/simulation/crashtest.ts';
import { listOutgoingRoutes } from '../../src/simulation/script-choice.ts';
import { FORBIDDEN_FILE } from '../../src/simulation/sim-deps.ts';
import type { SimHabits, SimScript } from '../../src/simulation/sim-script.ts';
import { checkWorkflow } from '../../src/workflow/check-workflow.ts';
import { printWorkflow } from '../../src/workflow/print-workflow.ts';
import type { Death, FaultPlan } from '../../testing/faults.ts';
import { validWorkflow, type WorkflowValue } from '../../testing/workflow-arbitrary.ts';

/** A workflow and a world for it, all from one seed. */
export interface RandomSimulation {
  readonly plan: Plan;
  readonly workflowText: Uint8Array;
  readonly script: SimScript;
  readonly stay: boolean;
}

/** Long runs prove no more than short ones, and there are to be many. */
const MAX_VISITS = 3;
const DEFAULTS = { timeoutMs: 60_000, idleTimeoutMs: 60_000, maxVisits: MAX_VISITS };
export const RUN_DEFAULTS = { timeout_ms: 60_000, idle_timeout_ms: 60_000, max_visits: MAX_VISITS };

export function randomSimulation(seed: number): RandomSimulation {
  const [document] = fc.sample(validWorkflow(), { seed, numRuns: 1 });
  const text = printWorkflow(withoutLongLoops(document) as WorkflowValue);
  const workflowText = new TextEncoder().encode(text);
  const checked = checkWorkflow(
    { name: 'workflow.yaml', bytes: workflowText },
    { defaults: DEFAULTS, names: null, inputs: null },
  );
  if (checked.plan === null) throw new Error(`seed ${seed} gives no valid workflow: ${text}`);
  const stay = createRandom(`${seed} stay`).chance(0.2);
  return { plan: checked.plan, workflowText, script: randomScript(seed, checked.plan), stay };
}

function withoutLongLoops(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLongLoops);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as WorkflowValue).filter(([key]) => key !== 'max_visits');
  return Object.fromEntries(entries.map(([key, held]) => [key, withoutLongLoops(held)]));
}

/** Chance by name: what a visit gets does not depend on what was asked before. */
function randomScript(seed: number, plan: Plan): SimScript {
  return {
    name: `seed ${seed}`,
    keyOf: (stepId, visit) => {
      const step = plan.stepsById[stepId];
      const random = createRandom(`${seed} key ${stepId} ${visit}`);
      const keys = step === undefined ? [] : listOutgoingRoutes(step).map(({ key }) => key);
      const [first = 'completed', ...others] = keys;
      return random.chance(0.4) ? first : random.pick<RouteKey>([first, ...others]);
    },
    habitsOf: (stepId, visit) =>
      randomHabits(createRandom(`${seed} habits ${stepId} ${visit}`), stepId, visit),
    ...randomSurroundings(createRandom(`${seed} preparation`)),
  };
}

function randomSurroundings(
  random: Random,
): Pick<SimScript, 'preparationFails' | 'isBaseRed' | 'userTouchesBranch'> {
  return {
    ...(random.chance(0.06) ? { preparationFails: random.pick(['setup', 'baseline']) } : {}),
    isBaseRed: random.chance(0.3),
    ...(random.chance(0.3) ? { userTouchesBranch: random.pick(['moves', 'deletes']) } : {}),
  };
}

function randomHabits(random: Random, stepId: string, visit: number): SimHabits {
  const line = `${stepId} ${visit}`;
  const paths = ['work.txt', `${stepId}.txt`, 'notes.txt', ...(random.chance(0.1) ? [FORBIDDEN_FILE] : [])];
  const writes = paths.slice(0, random.below(paths.length + 1)).map((path) => ({ path, line }));
  return {
    writes,
    usage: random.chance(0.8) ? { input_tokens: random.below(20), output_tokens: random.below(20) } : null,
    durationMs: random.below(5_000),
    proposals: random.chance(0.2) ? random.below(3) : null,
    evaluatedByRules: random.chance(0.3),
    comment: random.chance(0.5) ? `seen ${line}` : null,
    leavesNoTranscript: random.chance(0.05),
    quotaExhaustedMs: random.chance(0.15) ? 120_000 + random.below(7_200_000) : null,
  };
}

/** Faults, and the points at which another process tries to take the run up. */
export interface Trouble extends FaultPlan {
  readonly rivals: readonly number[];
}

/** `points` is how many the run passes in peace. */
export function randomFaults(seed: number, points: number): Trouble {
  const random = createRandom(`${seed} faults`);
  const rivals = random.chance(0.3) ? [random.below(points)] : [];
  return { ...randomFaultPlan(random, points), rivals };
}

const NO_FAULTS: FaultPlan = { deaths: [], diskFull: [], readErrors: [], clockJumps: [] };

function randomFaultPlan(random: Random, points: number): FaultPlan {
  const deaths = Array.from({ length: random.below(5) }, () => randomDeath(random, points));
  switch (random.below(6)) {
    case 0:
      return { ...NO_FAULTS, deaths, diskFull: [{ at: random.below(points), points: 1 + random.below(40) }] };
    case 1:
      return {
        ...NO_FAULTS,
        deaths,
        readErrors: [{ at: random.below(points), points: 1 + random.below(8) }],
      };
    case 2:
      return { ...NO_FAULTS, deaths, clockJumps: randomJumps(random, points) };
    default:
      return { ...NO_FAULTS, deaths };
  }
}

/** The places where there is most to lose are rare among all points, so some deaths are aimed at them. */
const AIMS = [
  'program:wrote',
  'restore:salvaged',
  'restore:half',
  'append:written',
  'workspace:base',
  'workspace:files',
  'setup:done',
  'judge:half',
  'publish:recognised',
  'publish:stored',
  'publish:fetched',
] as const;

function randomDeath(random: Random, points: number): Death {
  const where = random.chance(0.4) ? random.pick(AIMS) : null;
  return {
    where,
    at: 1 + random.below(where === null ? Math.ceil(points * 1.3) : 8),
    kind: random.pick(['killed', 'power']),
    torn: random.next(),
    losesCheckout: random.chance(0.1),
  };
}

function randomJumps(random: Random, points: number): FaultPlan['clockJumps'] {
  const hour = 3_600_000;
  return Array.from({ length: 1 + random.below(3) }, () => ({
    at: 1 + random.below(points),
    ms: Math.round((random.next() * 2 - 1) * 48 * hour),
  }));
}
