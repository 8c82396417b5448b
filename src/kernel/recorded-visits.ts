import type { EventDraft } from '../contracts/run/event.ts';
import type { Opcode } from '../contracts/vocabulary.ts';
import { evolve } from './evolve.ts';
import { INITIAL_STATE, type RunState } from './state.ts';

/** One recorded visit of a step, including its recovery attempts. */
export interface RecordedEntry {
  readonly stepId: string;
  readonly opcode: Opcode;
  readonly visit: number;
  /** The attempt that ended, or the last one that started. */
  readonly attempt: number;
  /** The events that record what happened outside the kernel, in order, without the kernel's own consequences. */
  readonly reported: readonly EventDraft[];
  /** How the step ended; null if a planner decision or a gate answer ended it. */
  readonly end: Extract<EventDraft, { event_type: 'step_completed' | 'step_failed' }> | null;
}

export function visitKey(stepId: string, visit: number): string {
  return `${stepId}#${visit}`;
}

/** The visits of a recorded run, by `visitKey`. */
export function recordedEntries(events: readonly EventDraft[]): ReadonlyMap<string, RecordedEntry> {
  const visits = new Map<string, RecordedEntry>();
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
    const visit = currentVisit(before, visits);
    if (visit === undefined || !isReported(before, event)) continue;
    const ended = event.event_type === 'step_completed' || event.event_type === 'step_failed';
    visits.set(visitKey(visit.stepId, visit.visit), {
      ...visit,
      reported: [...visit.reported, event],
      end: ended ? event : visit.end,
    });
  }
  return visits;
}

function currentVisit(
  { stage }: RunState,
  visits: ReadonlyMap<string, RecordedEntry>,
): RecordedEntry | undefined {
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
