import type { EventDraft } from '../contracts/run/event.ts';
import type { Opcode } from '../contracts/vocabulary.ts';
import { evolve } from './evolve.ts';
import { INITIAL_STATE, type RunState } from './state.ts';

/** One recorded visit of a step, including its recovery attempts. */
export interface RecordedVisit {
  readonly stepId: string;
  readonly opcode: Opcode;
  /** Counts the visits of this step, from 1. */
  readonly visit: number;
  /** The attempt that ended, or the last one that started. */
  readonly attempt: number;
  /** The events that record what happened outside the kernel, in order; also the starts of recovery attempts. */
  readonly reported: readonly EventDraft[];
  /** How the step ended; null if a planner decision or a gate answer ended it. */
  readonly end: Extract<EventDraft, { event_type: 'step_completed' | 'step_failed' }> | null;
}

export function visitKey(stepId: string, visit: number): string {
  return `${stepId}#${visit}`;
}

/** The visits of a recorded run, by `visitKey`. */
export function collectRecordedVisits(events: readonly EventDraft[]): ReadonlyMap<string, RecordedVisit> {
  const visits = new Map<string, RecordedVisit>();
  let state = INITIAL_STATE;
  for (const event of events) {
    const before = state;
    state = evolve(state, event);
    if (event.event_type === 'step_started' && event.step_id !== null) {
      const { opcode, attempt, visit } = event.payload;
      const key = visitKey(event.step_id, visit);
      const reported = event.payload.recovery ? [...(visits.get(key)?.reported ?? []), event] : [];
      visits.set(key, { stepId: event.step_id, opcode, visit, attempt, reported, end: null });
      continue;
    }
    const current = currentVisit(before, visits);
    if (current === undefined || !isReported(before, event)) continue;
    const isEnd = event.event_type === 'step_completed' || event.event_type === 'step_failed';
    visits.set(visitKey(current.stepId, current.visit), {
      ...current,
      reported: [...current.reported, event],
      end: isEnd ? event : current.end,
    });
  }
  return visits;
}

function currentVisit(
  { stage }: RunState,
  visits: ReadonlyMap<string, RecordedVisit>,
): RecordedVisit | undefined {
  if (stage.kind !== 'running' && stage.kind !== 'waiting' && stage.kind !== 'answered') return undefined;
  return visits.get(visitKey(stage.stepId, stage.visit));
}

/** Whether the event records what happened outside the kernel, not a consequence that the kernel derives. */
function isReported({ stage }: RunState, event: EventDraft): boolean {
  switch (event.event_type) {
    case 'runner_started':
    case 'runner_completed':
    case 'policy_violation':
    case 'rollback_completed':
    case 'decision_recorded':
    case 'gate_requested':
    case 'gate_approved':
    case 'gate_rejected':
    case 'gate_timed_out':
      return true;
    case 'step_completed':
      // For a gate: only the end that records the tree with the accepted goldens.
      return stage.kind === 'running' || (stage.kind === 'answered' && event.payload.tree !== null);
    case 'step_failed':
      return stage.kind === 'running' || stage.kind === 'answered';
    default:
      return false;
  }
}
