import type { EventDraft } from '../contracts/run/event.ts';
import type { Opcode, RouteKey } from '../contracts/vocabulary.ts';
import type { RunEnd } from './state.ts';

/** Where a step led: to a target, or to an end of the run without a route. */
export type Turn =
  | { readonly kind: 'to'; readonly target: string }
  | { readonly kind: 'workflow_error' | 'budget'; readonly message: string };

export interface WayStep {
  readonly stepId: string;
  readonly opcode: Opcode;
  /** The n-th visit of the step. */
  readonly entry: number;
  /** How the step ended; null until it ends. */
  readonly key: RouteKey | null;
  /** Null until it is decided. */
  readonly turn: Turn | null;
}

/** The path a run took through its workflow, without interruptions. */
export interface Way {
  readonly entryStep: string;
  readonly steps: readonly WayStep[];
  readonly end: RunEnd | null;
  /** A user cancelled the run, which is not a decision of the workflow. */
  readonly cancelled: boolean;
}

export function tracePath(entryStep: string, events: readonly EventDraft[]): Way {
  const steps: WayStep[] = [];
  let end: RunEnd | null = null;
  let cancelled = false;
  const change = (fields: (last: WayStep) => Partial<WayStep>) => {
    const last = steps.at(-1);
    if (last !== undefined) steps[steps.length - 1] = { ...last, ...fields(last) };
  };
  for (const event of events) {
    switch (event.event_type) {
      case 'step_started':
        if (!event.payload.recovery && event.step_id !== null)
          steps.push({
            stepId: event.step_id,
            opcode: event.payload.opcode,
            entry: event.payload.visit,
            key: null,
            turn: null,
          });
        break;
      case 'decision_recorded':
        change(() => ({ key: event.payload.status }));
        break;
      case 'gate_approved':
      case 'gate_rejected':
      case 'gate_timed_out':
        change(() => ({ key: event.event_type }));
        break;
      case 'step_completed':
        change(({ key }) => ({ key: key ?? event.payload.outcome }));
        break;
      case 'step_failed':
        change(() => ({ key: event.payload.outcome }));
        break;
      case 'route_selected':
        change(() => ({ turn: { kind: 'to', target: event.payload.to } }));
        break;
      case 'workflow_error':
        change(() => ({ turn: { kind: 'workflow_error', message: event.payload.message } }));
        break;
      case 'policy_violation':
        if (event.payload.class === 'budget_exceeded')
          change(() => ({ turn: { kind: 'budget', message: event.payload.message } }));
        break;
      case 'run_cancelled':
        cancelled = true;
        break;
      case 'run_completed': {
        const { lifecycle_state, outcome, termination, reason } = event.payload;
        end = { lifecycle: lifecycle_state, outcome, termination, reason };
        break;
      }
      default:
        break;
    }
  }
  return { entryStep, steps, end, cancelled };
}
