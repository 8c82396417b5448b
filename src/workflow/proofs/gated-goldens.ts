import type { RouteKey } from '../../contracts/vocabulary.ts';
import type { PlanStep, PlanValidator } from '../../kernel/plan.ts';
import { isHarnessReport } from '../rules/paths/golden-gate.ts';
import { findShortestPath, type PathProof } from './path-proof.ts';
import { findSuccessfulEnds, type Walker } from './path-search.ts';
import type { PlanGraph } from './plan-graph.ts';

export interface GoldenProof extends PathProof {
  /** The reachable steps that can propose goldens. */
  readonly proposing: readonly string[];
}

const NONE = 0;
const PENDING = 1;
const EVALUATED = 2;

/** Proves that every path from a step that can propose goldens to a successful end passes an approved gate. */
export function proveGoldens(graph: PlanGraph): GoldenProof {
  const proposing = graph.steps.filter((step, node) => graph.reached.has(node) && mayPropose(step));
  if (proposing.length === 0) return { holds: true, broken: null, evaluated: null, proposing: [] };
  const walker: Walker = { start: NONE, size: 3, next: pendingAfter };
  const ends = findSuccessfulEnds(graph, walker);
  const broken = findShortestPath(ends, (memory) => memory === PENDING);
  return {
    holds: broken === null,
    broken,
    evaluated: findShortestPath(ends, (memory) => memory === EVALUATED),
    proposing: proposing.map((step) => step.id),
  };
}

function pendingAfter(now: number, step: PlanStep, key: RouteKey): number {
  switch (step.opcode) {
    case 'RUN_VALIDATION':
      // The report can propose goldens however the step ends, even beside a failed case.
      return mayPropose(step) ? PENDING : now;
    case 'EVALUATE':
      // A planner must answer needs_human or unsafe if there are proposals; any other status means it saw none.
      return now === PENDING && key !== 'needs_human' && key !== 'unsafe' ? EVALUATED : now;
    case 'GATE':
      return key === 'gate_approved' ? NONE : now;
    case 'RUN_AGENT':
    case 'ROLLBACK':
    case 'STOP':
      return now;
  }
}

function mayPropose(step: PlanStep): boolean {
  return step.opcode === 'RUN_VALIDATION' && step.validators.some(proposes);
}

function proposes(validator: PlanValidator): boolean {
  if (validator.mayProposeGoldens !== null) return validator.mayProposeGoldens;
  return validator.kind === 'script' && validator.artifacts.some(isHarnessReport);
}
