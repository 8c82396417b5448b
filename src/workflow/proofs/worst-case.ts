import type { Plan, PlanStep, ValidationStep } from '../../kernel/plan.ts';
import { roundCost } from '../../kernel/state.ts';
import type { PlanGraph } from './plan-graph.ts';

/**
 * The most that one run can take, excluding recovery attempts after a crash. Null means unbounded. Budgets are checked
 * after each step, so these values don't include what the last visit spends beyond a budget.
 */
export interface WorstCase {
  readonly agentRuns: number;
  readonly plannerCalls: number;
  /** Null if a gate waits without a timeout. */
  readonly wallMs: number | null;
  /** Like `wallMs`, without the time at gates. */
  readonly workMs: number;
  /** Gates that make the wall clock unbounded. */
  readonly openGates: readonly string[];
  readonly tokens: number | null;
  readonly costUsd: number | null;
}

/** What one step can take over all its visits in a run. */
type Weigh = (step: PlanStep, visits: number) => number;

export function findWorstCase(plan: Plan, graph: PlanGraph, bounds: readonly number[]): WorstCase {
  const next = successorComponents(graph);
  const most = (weigh: Weigh) => heaviestPath(graph, next, bounds, weigh);
  const reached = graph.steps.filter((_, node) => graph.reached.has(node));
  const openGates = reached.filter((step) => step.opcode === 'GATE' && step.timeoutMs === null);
  const waits = most((step, visits) => visits * (workMs(step) + waitMs(step)));
  return {
    agentRuns: most((step, visits) => (step.opcode === 'RUN_AGENT' ? visits : 0)),
    plannerCalls: most((step, visits) => (step.opcode === 'EVALUATE' ? visits : 0)),
    wallMs: openGates.length > 0 ? null : waits,
    workMs: most((step, visits) => visits * workMs(step)),
    openGates: openGates.map((step) => step.id),
    tokens: boundSpending(reached, plan.budgets.tokens, 'tokens', most),
    costUsd: roundCost(boundSpending(reached, plan.budgets.costUsd, 'costUsd', most)),
  };
}

/**
 * Finds the heaviest path through the strongly connected components, which bounds every run: a run never returns to a
 * component it has left. A component weighs as much as all its steps together. Components come after their successors,
 * so one pass is enough.
 */
function heaviestPath(
  graph: PlanGraph,
  next: readonly (readonly number[])[],
  bounds: readonly number[],
  weigh: Weigh,
): number {
  const heaviest: number[] = [];
  for (const [index, component] of graph.components.entries()) {
    let weight = 0;
    for (const behind of next[index] ?? []) weight = Math.max(weight, heaviest[behind] ?? 0);
    for (const node of component) {
      const step = graph.steps[node];
      if (step !== undefined) weight += weigh(step, bounds[node] ?? 0);
    }
    heaviest.push(weight);
  }
  return heaviest[graph.componentOf.get(graph.entry) ?? -1] ?? 0;
}

/** The successor components of every component. */
function successorComponents(graph: PlanGraph): readonly (readonly number[])[] {
  return graph.components.map((component, index) => {
    const behind = new Set<number>();
    for (const node of component) {
      for (const { to } of graph.outgoing[node] ?? []) {
        const group = graph.componentOf.get(to);
        if (group !== undefined && group !== index) behind.add(group);
      }
    }
    return [...behind];
  });
}

function boundSpending(
  reached: readonly PlanStep[],
  ofRun: number | null,
  key: 'tokens' | 'costUsd',
  most: (weigh: Weigh) => number,
): number | null {
  const budgetOf = (step: PlanStep) => (step.opcode === 'RUN_AGENT' ? step.budgets[key] : 0);
  if (reached.some((step) => budgetOf(step) === null)) return ofRun;
  const ofSteps = most((step, visits) => (visits > 0 ? (budgetOf(step) ?? 0) : 0));
  return ofRun === null ? ofSteps : Math.min(ofRun, ofSteps);
}

/** A rollback has no limit, and its time is negligible. */
function workMs(step: PlanStep): number {
  switch (step.opcode) {
    case 'RUN_AGENT':
    case 'EVALUATE':
      return step.timeoutMs;
    case 'RUN_VALIDATION':
      return validationMs(step);
    case 'GATE':
    case 'ROLLBACK':
    case 'STOP':
      return 0;
  }
}

function waitMs(step: PlanStep): number {
  return step.opcode === 'GATE' ? (step.timeoutMs ?? 0) : 0;
}

/** Validators without their own timeout share the step's timeout, and all retries share it too. */
function validationMs({ validators, timeoutMs, parallel }: ValidationStep): number {
  const own = validators.flatMap((validator) => validator.timeoutMs ?? []);
  const shared = own.length < validators.length ? [timeoutMs] : [];
  const retryMs = validators.map((validator) => (validator.timeoutMs ?? 0) * (validator.retries ?? 0));
  if (!parallel) return sumMs([...own, ...shared]) + Math.min(timeoutMs, sumMs(retryMs));
  const withRetries = validators.map((validator, at) => {
    const once = validator.timeoutMs ?? 0;
    return Math.min(once + (retryMs[at] ?? 0), Math.max(once, timeoutMs));
  });
  return Math.max(...withRetries, ...shared);
}

function sumMs(spans: readonly number[]): number {
  return spans.reduce((total, span) => total + span, 0);
}
