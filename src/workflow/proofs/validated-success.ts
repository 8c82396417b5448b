import type { RouteKey } from '../../contracts/vocabulary.ts';
import type { PlanStep } from '../../kernel/plan.ts';
import { type PathProof, shortestWay } from './path-proof.ts';
import { findSuccessfulEnds, type Walker } from './path-search.ts';
import type { PlanGraph } from './plan-graph.ts';

/** Validation states of the last agent's changes. */
const CLEAN = 0;
const UNCHECKED = 1;
const FAILED = 2;
const JUDGED = 3;
const KINDS = 4;

/**
 * Proves that every path to a successful end has a passed validation after the last agent. The memory is a pair: the
 * current validation state, and the state before the last agent, which a `pre_step` rollback restores.
 */
export function proveValidated(graph: PlanGraph): PathProof {
  const goesBack = graph.steps.some((step) => step.opcode === 'ROLLBACK' && step.target === 'pre_step');
  const walker: Walker = {
    start: CLEAN,
    size: KINDS * KINDS,
    next: (memory, step, key) => {
      const now = memory % KINDS;
      const before = (memory - now) / KINDS;
      const mark = goesBack && step.opcode === 'RUN_AGENT' ? now : before;
      return mark * KINDS + knownAfter(now, before, step, key);
    },
  };
  const ends = findSuccessfulEnds(graph, walker);
  const arrives = (...kinds: readonly number[]) =>
    shortestWay(ends, (memory) => kinds.includes(memory % KINDS));
  const broken = arrives(UNCHECKED, FAILED);
  return { holds: broken === null, broken, judged: arrives(JUDGED) };
}

/** An agent may have changed files however it ended; only a passed validation covers them. */
function knownAfter(now: number, before: number, step: PlanStep, key: RouteKey): number {
  switch (step.opcode) {
    case 'RUN_AGENT':
      return UNCHECKED;
    case 'RUN_VALIDATION':
      if (key === 'completed') return CLEAN;
      return now === CLEAN ? CLEAN : FAILED;
    case 'EVALUATE':
      return now === FAILED ? JUDGED : now;
    case 'ROLLBACK':
      if (key !== 'completed') return now;
      return step.target === 'pre_run' ? CLEAN : before;
    case 'GATE':
    case 'STOP':
      return now;
  }
}
