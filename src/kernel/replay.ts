import { type EventDraft, mayFollowEnd } from '../contracts/run/event.ts';
import { decide } from './decide.ts';
import { evolve } from './evolve.ts';
import type { Plan } from './plan.ts';
import type { KernelInput } from './protocol.ts';
import { findInputs, isCarried } from './replay-inputs.ts';
import { INITIAL_STATE, type RunState } from './state.ts';

export interface Replay {
  /** Number of events that the kernel reproduced in the same order. */
  readonly decided: number;
  /** Number of events recorded by the runtime, which the kernel only folds into its state. */
  readonly carried: number;
  /** The state after the part of the log that replays without a difference. */
  readonly state: RunState;
  /** The log ends in the middle of a decision, as it can after a killed process. */
  readonly cut: boolean;
  readonly difference: ReplayDifference | null;
}

/** The first recorded event that the kernel does not reproduce. */
export interface ReplayDifference {
  readonly index: number;
  /** Null if no event was due. */
  readonly expected: EventDraft | null;
  readonly recorded: EventDraft;
}

/** Replays the recorded inputs through the kernel and compares the resulting events with the log. */
export function replayLog(plan: Plan, events: readonly EventDraft[]): Replay {
  let state = INITIAL_STATE;
  let decided = 0;
  let carried = 0;
  const result = (difference: ReplayDifference | null, cut = false): Replay => ({
    decided,
    carried,
    state,
    cut,
    difference,
  });
  for (let at = 0; at < events.length; ) {
    const event = events[at];
    if (event === undefined) break;
    if (isCarried(event)) {
      const { kind } = state.stage;
      if (kind === 'new' || (kind === 'ended' && !mayFollowEnd(event.event_type)))
        return result({ index: at, expected: null, recorded: event });
      state = evolve(state, event);
      carried += 1;
      at += 1;
      continue;
    }
    const expected = findExpectedEvents(plan, state, events, at);
    const matched = matchingEvents(expected, events, at);
    for (const made of expected.slice(0, matched)) state = evolve(state, made);
    decided += matched;
    at += matched;
    const due = expected[matched] ?? null;
    const recorded = events[at];
    if (recorded === undefined) return result(null, due !== null);
    if (matched > 0 && (due === null || isInterruption(recorded))) continue;
    return result({ index: at, expected: due ?? findDueEvent(plan, state), recorded });
  }
  return result(null);
}

/** After a process crashes in the middle of a decision, the next event resumes or cancels the run. */
function isInterruption(event: EventDraft): boolean {
  return event.event_type === 'run_resumed' || event.event_type === 'run_cancelled';
}

/** The events of the input that matches the longest part of the log. */
function findExpectedEvents(
  plan: Plan,
  state: RunState,
  events: readonly EventDraft[],
  at: number,
): readonly EventDraft[] {
  let best: readonly EventDraft[] = [];
  let explained = -1;
  for (const input of findInputs(plan, state, events, at)) {
    const made = decide(plan, state, input).events;
    const matched = matchingEvents(made, events, at);
    if (matched > explained) [best, explained] = [made, matched];
  }
  return best;
}

function matchingEvents(
  expected: readonly EventDraft[],
  recorded: readonly EventDraft[],
  from: number,
): number {
  const differs = expected.findIndex((event, index) => !isSameEvent(event, recorded[from + index]));
  return differs === -1 ? expected.length : differs;
}

/** The next event that follows from the stage alone, if the last decision is only partly recorded. */
function findDueEvent(plan: Plan, state: RunState): EventDraft | null {
  const { kind } = state.stage;
  if (kind !== 'evaluated' && kind !== 'answered' && kind !== 'left' && kind !== 'routed') return null;
  const resumed: KernelInput = { kind: 'resume', reason: '' };
  return decide(plan, state, resumed).events.find((event) => event.event_type !== 'run_resumed') ?? null;
}

function isSameEvent(a: EventDraft, b: EventDraft | undefined): boolean {
  return (
    b !== undefined &&
    a.event_type === b.event_type &&
    a.step_id === b.step_id &&
    isSameValue(a.payload, b.payload)
  );
}

/** Equal as JSON, regardless of key order. */
function isSameValue(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), new Map<string, unknown>(Object.entries(b))];
  return (
    left.length === right.size &&
    left.every(([key, value]) => right.has(key) && isSameValue(value, right.get(key)))
  );
}
