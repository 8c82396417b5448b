import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Plan, PlanStep } from '../../../../src/kernel/plan.ts';
import { proveWorkflow } from '../../../../src/workflow/proofs/prove-workflow.ts';
import { randomRun } from '../../kernel/random-runs.ts';
import { routesOf } from './plan-paths.ts';

/** The state of a run: the step it has entered, and what is counted. Nothing else decides where it can go. */
interface Standing {
  readonly at: string;
  readonly visits: Readonly<Record<string, number>>;
  readonly refinements: Readonly<Record<string, number>>;
}

/** More standings than this are not looked at; such plans are left out. */
const MAX_STANDINGS = 20_000;

/** What the runs of a plan really come to, found by trying everything; null where that would take too long. */
function tryEverything(plan: Plan): readonly Standing[] | null {
  const entry = enter(plan, { at: '', visits: {}, refinements: {} }, plan.entryStep);
  const queue = entry === null ? [] : [entry];
  const seen = new Set(queue.map((standing) => JSON.stringify(standing)));
  for (let index = 0; index < queue.length; index += 1) {
    const standing = queue[index];
    const step = standing === undefined ? undefined : plan.stepsById[standing.at];
    if (standing === undefined || step === undefined) continue;
    for (const [key, target] of routesOf(step)) {
      const refined = refine(step, key, target, standing);
      const next = refined === null ? null : enter(plan, refined, target);
      const id = JSON.stringify(next);
      if (next === null || seen.has(id)) continue;
      if (seen.size === MAX_STANDINGS) return null;
      seen.add(id);
      queue.push(next);
    }
  }
  return queue;
}

/** Null where the run ends instead: at a STOP, or because the step has no visit left. */
function enter(plan: Plan, from: Standing, target: string): Standing | null {
  const step = plan.stepsById[target];
  const visits = (from.visits[target] ?? 0) + 1;
  if (step === undefined || step.opcode === 'STOP' || visits > step.maxVisits) return null;
  return { ...from, at: target, visits: sorted({ ...from.visits, [target]: visits }) };
}

/** Null where all refinements by the step are spent. */
function refine(step: PlanStep, key: string, target: string, standing: Standing): Standing | null {
  if (step.opcode !== 'EVALUATE' || key !== 'partial' || step.revision?.step !== target) return standing;
  const spent = standing.refinements[target] ?? 0;
  if (spent >= step.revision.maxAttempts) return null;
  return { ...standing, refinements: sorted({ ...standing.refinements, [target]: spent + 1 }) };
}

/** One spelling for one standing, whatever way led to it. */
function sorted(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => a.localeCompare(b)));
}

function most(standings: readonly Standing[], weigh: (stepId: string) => number): number {
  const weights = standings.map(({ visits }) =>
    Object.entries(visits).reduce((total, [stepId, entries]) => total + entries * weigh(stepId), 0),
  );
  return Math.max(0, ...weights);
}

describe('the bounds of loops and of the worst case', () => {
  it('are never below what trying everything comes to, and mostly meet it', () => {
    const seen = { plans: 0, loops: 0, steps: 0, exact: 0 };
    fc.assert(
      fc.property(randomRun(), ({ plan }) => {
        const standings = tryEverything(plan);
        if (standings === null) return;
        const { loops, worstCase } = proveWorkflow(plan);
        const isA = (stepId: string, opcode: PlanStep['opcode']) => plan.stepsById[stepId]?.opcode === opcode;
        const timeOf = (stepId: string) => {
          const step = plan.stepsById[stepId];
          return step !== undefined && 'idleTimeoutMs' in step ? step.timeoutMs : 0;
        };
        expect(worstCase.agentRuns).toBeGreaterThanOrEqual(
          most(standings, (id) => (isA(id, 'RUN_AGENT') ? 1 : 0)),
        );
        expect(worstCase.plannerCalls).toBeGreaterThanOrEqual(
          most(standings, (id) => (isA(id, 'EVALUATE') ? 1 : 0)),
        );
        expect(worstCase.workMs).toBeGreaterThanOrEqual(most(standings, timeOf));
        for (const { stepId, maxVisits } of loops.flatMap(({ steps }) => steps)) {
          const entries = most(standings, (id) => (id === stepId ? 1 : 0));
          expect(maxVisits, stepId).toBeGreaterThanOrEqual(entries);
          seen.steps += 1;
          if (maxVisits === entries) seen.exact += 1;
        }
        const looping = new Set(loops.flatMap(({ steps }) => steps.map(({ stepId }) => stepId)));
        for (const { at, visits } of standings)
          if ((visits[at] ?? 0) > 1) expect([...looping], `${at} is entered again`).toContain(at);
        seen.plans += 1;
        seen.loops += loops.length;
      }),
      { numRuns: 300 },
    );
    expect(seen.plans).toBeGreaterThan(200);
    expect(seen.loops).toBeGreaterThan(50);
    expect(seen.exact / seen.steps).toBeGreaterThan(0.8);
  });
});
