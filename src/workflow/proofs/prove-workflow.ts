import type { PlannerStatus, RouteKey } from '../../contracts/vocabulary.ts';
import type { Plan, PlanStep } from '../../kernel/plan.ts';
import { type GoldenProof, proveGoldens } from './gated-goldens.ts';
import { findShortestPath, type PathProof } from './path-proof.ts';
import { findSuccessfulEnds, type Walker } from './path-search.ts';
import { buildPlanGraph, endsRun, type PlanGraph } from './plan-graph.ts';
import { boundVisits } from './visit-bounds.ts';
import { findWorstCase, type WorstCase } from './worst-case.ts';

/** Validation states of the last agent's changes. */
const CLEAN = 0;
const UNCHECKED = 1;
const FAILED = 2;
const EVALUATED = 3;
const KINDS = 4;

/**
 * Proves that every path to a successful end has a passed validation after the last agent. The memory is a pair: the
 * current validation state, and the state before the last agent, which a `pre_step` rollback restores.
 */
function proveValidated(graph: PlanGraph): PathProof {
  const goesBack = graph.steps.some((step) => step.opcode === 'ROLLBACK' && step.target === 'pre_step');
  const walker: Walker = {
    start: CLEAN,
    size: KINDS * KINDS,
    next: (memory, step, key) => {
      const now = memory % KINDS;
      const before = (memory - now) / KINDS;
      const mark = goesBack && step.opcode === 'RUN_AGENT' ? now : before;
      return mark * KINDS + stateAfter(now, before, step, key);
    },
  };
  const ends = findSuccessfulEnds(graph, walker);
  const arrives = (...kinds: readonly number[]) =>
    findShortestPath(ends, (memory) => kinds.includes(memory % KINDS));
  const broken = arrives(UNCHECKED, FAILED);
  return { holds: broken === null, broken, evaluated: arrives(EVALUATED) };
}

/** An agent may have changed files however it ended; only a passed validation covers them. */
function stateAfter(now: number, before: number, step: PlanStep, key: RouteKey): number {
  switch (step.opcode) {
    case 'RUN_AGENT':
      return UNCHECKED;
    case 'RUN_VALIDATION':
      if (key === 'completed') return CLEAN;
      return now === CLEAN ? CLEAN : FAILED;
    case 'EVALUATE':
      return now === FAILED ? EVALUATED : now;
    case 'ROLLBACK':
      if (key !== 'completed') return now;
      return step.target === 'pre_run' ? CLEAN : before;
    case 'GATE':
    case 'STOP':
      return now;
  }
}

/** Properties of every run of a plan, proved without running it. */
export interface Proofs {
  readonly validated: PathProof;
  readonly goldens: GoldenProof;
  readonly loops: readonly Loop[];
  readonly worstCase: WorstCase;
  /** Statuses other than success whose route ends the run at once. */
  readonly endingStatuses: readonly EndingStatus[];
  /** Declared routes that no run can take. */
  readonly deadRoutes: readonly { readonly stepId: string; readonly key: RouteKey }[];
}

/** The steps of a cycle, in document order. */
export interface Loop {
  readonly steps: readonly { readonly stepId: string; readonly maxVisits: number }[];
}

export interface EndingStatus {
  readonly stepId: string;
  readonly status: PlannerStatus;
}

/** Takes polynomial time in the size of the plan: no proof enumerates paths. */
export function proveWorkflow(plan: Plan): Proofs {
  const graph = buildPlanGraph(plan);
  const bounds = boundVisits(graph);
  return {
    validated: proveValidated(graph),
    goldens: proveGoldens(graph),
    loops: findLoops(graph, bounds),
    worstCase: findWorstCase(plan, graph, bounds),
    endingStatuses: findEndingStatuses(graph),
    deadRoutes: findDeadRoutes(graph),
  };
}

function findLoops(graph: PlanGraph, bounds: readonly number[]): Loop[] {
  const loops = graph.components.filter(([first]) => first !== undefined && graph.looping.has(first));
  return loops
    .toSorted(([a = 0], [b = 0]) => a - b)
    .map((component) => ({
      steps: component.map((node) => ({
        stepId: graph.steps[node]?.id ?? '',
        maxVisits: bounds[node] ?? 0,
      })),
    }));
}

function findEndingStatuses(graph: PlanGraph): EndingStatus[] {
  return graph.steps.flatMap((step, node) => {
    if (step.opcode !== 'EVALUATE' || !graph.reached.has(node)) return [];
    return (graph.outgoing[node] ?? []).flatMap((route) =>
      isUnfinished(route.key) && endsRun(graph, route) ? [{ stepId: step.id, status: route.key }] : [],
    );
  });
}

/** Excludes `success`, which is expected to end the run. */
function isUnfinished(key: RouteKey): key is Exclude<PlannerStatus, 'success'> {
  return key === 'partial' || key === 'blocked' || key === 'unsafe' || key === 'needs_human';
}

function findDeadRoutes(graph: PlanGraph): Proofs['deadRoutes'] {
  return graph.steps.flatMap((step) =>
    step.opcode === 'GATE' && step.timeoutMs === null && step.routes.gate_timed_out !== null
      ? [{ stepId: step.id, key: 'gate_timed_out' as const }]
      : [],
  );
}
