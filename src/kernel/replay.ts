import { type EventDraft, mayFollowEnd } from '../contracts/event.ts';
import { decide } from './decide.ts';
import { evolve } from './evolve.ts';
import type { Plan } from './plan.ts';
import type { KernelInput } from './protocol.ts';
import { inputsAt, isCarried } from './replay-inputs.ts';
import { INITIAL_STATE, type RunState } from './state.ts';

export interface Replay {
  /** Events that the kernel made again, each at its place. */
  readonly decided: number;
  /** Events of the runtime, which the kernel only takes note of. */
  readonly carried: number;
  /** The state that the sound part of the log folds to. */
  readonly state: RunState;
  /** The log stops in the middle of a decision, as that of a process that was killed may. */
  readonly cut: boolean;
  readonly difference: ReplayDifference | null;
}

/** The first event that the kernel does not make of what it was told. */
export interface ReplayDifference {
  readonly index: number;
  /** Null where nothing was due. */
  readonly expected: EventDraft | null;
  readonly recorded: EventDraft;
}

/** Tells the kernel again what it was told, as the log has it, and compares what it makes of that. */
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
    const expected = decideAgain(plan, state, events, at);
    const matched = matchingEvents(expected, events, at);
    for (const made of expected.slice(0, matched)) state = evolve(state, made);
    decided += matched;
    at += matched;
    const due = expected[matched] ?? null;
    const recorded = events[at];
    if (recorded === undefined) return result(null, due !== null);
    if (matched > 0 && (due === null || interrupts(recorded))) continue;
    return result({ index: at, expected: due ?? dueAt(plan, state), recorded });
  }
  return result(null);
}

/** A process that died in the middle of a decision is followed by one that takes the run up, or ends it. */
function interrupts(event: EventDraft): boolean {
  return event.event_type === 'run_resumed' || event.event_type === 'run_cancelled';
}

/** Of all that the kernel can have been told, what explains most of the log. */
function decideAgain(
  plan: Plan,
  state: RunState,
  events: readonly EventDraft[],
  at: number,
): readonly EventDraft[] {
  let best: readonly EventDraft[] = [];
  let explained = -1;
  for (const input of inputsAt(plan, state, events, at)) {
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

/** What the stage alone asks for, where a decision was left half recorded. */
function dueAt(plan: Plan, state: RunState): EventDraft | null {
  const { kind } = state.stage;
  if (kind !== 'judged' && kind !== 'answered' && kind !== 'left' && kind !== 'routed') return null;
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

/** Equal as JSON, in whatever order the keys stand. */
function isSameValue(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), new Map<string, unknown>(Object.entries(b))];
  return (
    left.length === right.size &&
    left.every(([key, value]) => right.has(key) && isSameValue(value, right.get(key)))
  );
}
