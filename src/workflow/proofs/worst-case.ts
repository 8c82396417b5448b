import type { Plan, PlanStep, ValidationStep } from '../../kernel/plan.ts';
import type { PlanGraph } from './plan-graph.ts';

/**
 * The most that one run can take, without attempts after a crash. Null is unbounded. Budgets are looked at
 * after each step, so what an agent spends in the one entry that goes past a budget is not in these.
 */
export interface WorstCase {
  readonly agentRuns: number;
  readonly plannerCalls: number;
  /** Null where a gate waits for a person without a timeout. */
  readonly wallMs: number | null;
  /** The same without any time at gates. */
  readonly workMs: number;
  /** Gates that make the wall clock unbounded. */
  readonly openGates: readonly string[];
  readonly tokens: number | null;
  readonly costUsd: number | null;
}

/** What one step can take over all its entries in a run. */
type Weigh = (step: PlanStep, entries: number) => number;

export function findWorstCase(plan: Plan, graph: PlanGraph, bounds: readonly number[]): WorstCase {
  const next = groupsBehind(graph);
  const most = (weigh: Weigh) => heaviestWay(graph, next, bounds, weigh);
  const reached = graph.steps.filter((_, node) => graph.reached.has(node));
  const openGates = reached.filter((step) => step.opcode === 'GATE' && step.timeoutMs === null);
  const waits = most((step, entries) => entries * (workOf(step) + waitOf(step)));
  return {
    agentRuns: most((step, entries) => (step.opcode === 'RUN_AGENT' ? entries : 0)),
    plannerCalls: most((step, entries) => (step.opcode === 'EVALUATE' ? entries : 0)),
    wallMs: openGates.length > 0 ? null : waits,
    workMs: most((step, entries) => entries * workOf(step)),
    openGates: openGates.map((step) => step.id),
    tokens: boundSpending(reached, plan.budgets.tokens, 'tokens', most),
    costUsd: withoutBinaryDust(boundSpending(reached, plan.budgets.costUsd, 'costUsd', most)),
  };
}

/**
 * A run passes through groups of steps that lead to each other and never comes back to one it has left. So
 * the heaviest way through the groups, each with all that its steps can take, is not below any run. The
 * groups come with what they lead to first, so one look at every route is enough.
 */
function heaviestWay(
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

/** For every group, the groups that it leads to. */
function groupsBehind(graph: PlanGraph): readonly (readonly number[])[] {
  return graph.components.map((component, index) => {
    const behind = new Set<number>();
    for (const node of component) {
      for (const { to } of graph.waysOut[node] ?? []) {
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
  const ofSteps = most((step, entries) => (entries > 0 ? (budgetOf(step) ?? 0) : 0));
  return ofRun === null ? ofSteps : Math.min(ofRun, ofSteps);
}

/** Ten cents and twenty cents are thirty cents, and not a little above the thirty that may be allowed. */
function withoutBinaryDust(usd: number | null): number | null {
  return usd === null ? null : Number(usd.toFixed(9));
}

/** A rollback has no limit and takes no time worth counting. */
function workOf(step: PlanStep): number {
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

function waitOf(step: PlanStep): number {
  return step.opcode === 'GATE' ? (step.timeoutMs ?? 0) : 0;
}

/** The limit of the step is shared by the validators that have none of their own, and by all further tries. */
function validationMs({ validators, timeoutMs, parallel }: ValidationStep): number {
  const own = validators.flatMap((validator) => validator.timeoutMs ?? []);
  const shared = own.length < validators.length ? [timeoutMs] : [];
  const again = validators.map((validator) => (validator.timeoutMs ?? 0) * (validator.retries ?? 0));
  if (!parallel) return sumOf([...own, ...shared]) + Math.min(timeoutMs, sumOf(again));
  const withTries = validators.map((validator, at) => {
    const once = validator.timeoutMs ?? 0;
    return Math.min(once + (again[at] ?? 0), Math.max(once, timeoutMs));
  });
  return Math.max(...withTries, ...shared);
}

function sumOf(spans: readonly number[]): number {
  return spans.reduce((total, span) => total + span, 0);
}
