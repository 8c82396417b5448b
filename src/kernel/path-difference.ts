import type { Opcode } from '../contracts/vocabulary.ts';
import type { Turn, Way, WayStep } from './run-path.ts';
import type { RunEnd } from './state.ts';

/** The first point at which two paths differ. */
export type Difference =
  | { readonly kind: 'entry_step'; readonly recorded: string; readonly edited: string }
  | {
      readonly kind: 'opcode';
      readonly step: WayStep;
      readonly recorded: Opcode;
      readonly edited: Opcode;
    }
  | {
      readonly kind: 'route';
      readonly step: WayStep;
      readonly recorded: Turn;
      readonly edited: Turn;
    }
  | { readonly kind: 'end'; readonly recorded: RunEnd; readonly edited: RunEnd };

export interface PathComparison {
  readonly common: readonly WayStep[];
  readonly difference: Difference | null;
}

/** Compares only as far as both paths are decided; an undecided remainder is not a difference. */
export function comparePaths(recorded: Way, edited: Way): PathComparison {
  if (recorded.entryStep !== edited.entryStep)
    return {
      common: [],
      difference: { kind: 'entry_step', recorded: recorded.entryStep, edited: edited.entryStep },
    };
  const common: WayStep[] = [];
  for (const [index, step] of recorded.steps.entries()) {
    const other = edited.steps[index];
    if (other === undefined) break;
    const open = index === recorded.steps.length - 1 && (recorded.end === null || recorded.cancelled);
    const difference = differenceAt(step, other, open);
    if (difference !== null) return { common, difference };
    common.push(step);
  }
  return { common, difference: endDifference(recorded, edited) };
}

/** `open`: the record stops here, so it is unknown whether the run could have entered the target. */
function differenceAt(step: WayStep, other: WayStep, open: boolean): Difference | null {
  if (step.opcode !== other.opcode)
    return { kind: 'opcode', step, recorded: step.opcode, edited: other.opcode };
  if (step.turn === null || other.turn === null || isSameTurn(step.turn, other.turn)) return null;
  if (open && other.turn.kind === 'workflow_error') return null;
  return { kind: 'route', step, recorded: step.turn, edited: other.turn };
}

function isSameTurn(a: Turn, b: Turn): boolean {
  if (a.kind === 'to') return b.kind === 'to' && a.target === b.target;
  // The message of a budget turn states the overspent amount, which is not part of the path.
  return a.kind === b.kind && (a.kind === 'budget' || a.message === b.message);
}

/** Ignores the reason, which is prose, and cancelled runs: a cancel ends any run, whatever its plan. */
function endDifference(recorded: Way, edited: Way): Difference | null {
  const [a, b] = [recorded.end, edited.end];
  if (a === null || b === null || recorded.cancelled) return null;
  const same = a.lifecycle === b.lifecycle && a.outcome === b.outcome && a.termination === b.termination;
  return same ? null : { kind: 'end', recorded: a, edited: b };
}
