import type { EventPayload, RunEvent } from '../contracts/run/event.ts';
import type { Opcode, Termination } from '../contracts/vocabulary.ts';
import { addUsage } from '../kernel/evolve.ts';
import { NO_USAGE, type UsageTally } from '../kernel/state.ts';
import type { SpanDeps, SpanEvent } from './span.ts';
import { listSpanEvents } from './span-events.ts';

/** What happened in one attempt. `outcome` is null as long as it isn't known. */
export interface AttemptFacts {
  readonly stepId: string;
  readonly opcode: Opcode;
  readonly attempt: number;
  readonly visit: number;
  readonly recovery: boolean;
  readonly startMs: number;
  readonly endMs: number;
  /** `interrupted`: the process that drove it died. `parked`: it waits for a time. `reopened`: files of a gate changed. */
  readonly outcome: Termination | 'interrupted' | 'parked' | 'reopened';
  readonly usage: UsageTally;
  readonly runner: { readonly family: string; readonly name: string } | null;
  readonly violations: number;
}

interface OpenAttempt extends Omit<AttemptFacts, 'endMs' | 'outcome'> {
  endMs: number | null;
  outcome: AttemptFacts['outcome'] | null;
  usage: UsageTally;
  runner: AttemptFacts['runner'];
  violations: number;
  reason: string | null;
  readonly spanEvents: SpanEvent[];
}

/** An attempt with the text and the events of its span. */
export interface ClosedAttempt extends AttemptFacts {
  readonly reason: string | null;
  readonly spanEvents: readonly SpanEvent[];
}

/** Folds the events of a run, up to its end, into its attempts and the events of the run itself. */
export function foldAttempts(events: readonly RunEvent[], payloads: boolean, { timeOf }: SpanDeps) {
  const attempts: ClosedAttempt[] = [];
  const runEvents: SpanEvent[] = [];
  let open: OpenAttempt | null = null;
  const close = (endMs: number, outcome: AttemptFacts['outcome']) => {
    if (open !== null)
      attempts.push({ ...open, endMs: open.endMs ?? endMs, outcome: open.outcome ?? outcome });
    open = null;
  };
  let resumed = false;
  for (const event of events) {
    const timeMs = timeOf(event.timestamp);
    if (event.event_type === 'run_resumed') resumed = true;
    if (event.event_type === 'step_started' && event.step_id !== null) {
      close(timeMs, resumed ? 'interrupted' : 'reopened');
      open = openAttempt(event.step_id, event.payload, timeMs);
      resumed = false;
      continue;
    }
    if (event.event_type === 'run_completed') {
      close(timeMs, event.payload.termination);
      continue;
    }
    const current: OpenAttempt | null = open;
    if (current !== null) foldIntoAttempt(current, event, timeMs);
    const isOfStep = current !== null && event.step_id === current.stepId;
    const target = isOfStep ? current.spanEvents : runEvents;
    target.push(...listSpanEvents(event, payloads).map((each) => ({ ...each, timeMs })));
  }
  return { attempts, runEvents };
}

function openAttempt(
  stepId: string,
  { opcode, attempt, visit, recovery }: EventPayload<'step_started'>,
  startMs: number,
): OpenAttempt {
  return {
    stepId,
    opcode,
    attempt,
    visit,
    recovery,
    startMs,
    endMs: null,
    outcome: null,
    usage: NO_USAGE,
    runner: null,
    violations: 0,
    reason: null,
    spanEvents: [],
  };
}

/** Usage counts as in the kernel: as soon as an agent reports it, and from the end of the step only if none did. */
function foldIntoAttempt(open: OpenAttempt, event: RunEvent, timeMs: number): void {
  const end = (outcome: AttemptFacts['outcome'], reason: string | null) => {
    open.endMs = timeMs;
    open.outcome ??= outcome;
    open.reason ??= reason;
  };
  switch (event.event_type) {
    case 'runner_started':
      open.runner ??= { family: event.payload.family, name: event.payload.name };
      return;
    case 'runner_completed':
      open.usage = addUsage(open.usage, event.payload.usage);
      return;
    case 'policy_violation':
      open.violations += 1;
      return;
    case 'decision_recorded':
      end(event.payload.status, event.payload.reason);
      return;
    case 'gate_approved':
    case 'gate_rejected':
    case 'gate_timed_out':
      end(event.event_type, event.payload.comment);
      return;
    case 'step_waiting':
      if (event.payload.until !== undefined) end('parked', event.payload.reason ?? null);
      return;
    case 'step_completed':
    case 'step_failed':
      if (open.usage === NO_USAGE) open.usage = addUsage(NO_USAGE, event.payload.usage);
      end(event.payload.outcome, event.payload.reason);
      return;
    case 'step_blocked':
      end(event.payload.status, null);
      return;
    default:
      return;
  }
}
