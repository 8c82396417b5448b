import type { EventDraft, EventPayload } from '../contracts/run/event.ts';
import { decide } from './decide.ts';
import { evolve } from './evolve.ts';
import { comparePaths, type Difference } from './path-difference.ts';
import type { Plan } from './plan.ts';
import type { Effect, KernelDecision, KernelInput } from './protocol.ts';
import { type RecordedEntry, recordedEntries, visitKey } from './recorded-visits.ts';
import { tracePath, type Way, type WayStep } from './run-path.ts';
import { INITIAL_STATE } from './state.ts';

export interface Comparison {
  /** The path that both runs share, up to the first difference. */
  readonly common: readonly WayStep[];
  readonly difference: Difference | null;
  readonly recorded: Way;
  readonly edited: Way;
}

/**
 * Runs another plan with the recorded results of each step visit, as far as the record has them, and compares the
 * two paths. Interruptions in the record are not part of a path.
 */
export function compareWays(plan: Plan, events: readonly EventDraft[]): Comparison {
  const started = events[0];
  if (started?.event_type !== 'run_started') throw new Error('the record has no start');
  const recorded = tracePath(started.payload.entry_step, events);
  const edited = tracePath(plan.entryStep, rerunPlan(plan, started.payload, events));
  return { ...comparePaths(recorded, edited), recorded, edited };
}

/** The log of a run of the edited plan in which every step ends as recorded. */
function rerunPlan(
  plan: Plan,
  started: EventPayload<'run_started'>,
  events: readonly EventDraft[],
): readonly EventDraft[] {
  const visits = recordedEntries(events);
  const preparationFailure = failedPreparation(events);
  const log: EventDraft[] = [];
  const keep = (decision: KernelDecision): KernelDecision => {
    log.push(...decision.events.filter((event) => event.event_type !== 'run_resumed'));
    return decision;
  };
  let { state, effect } = keep(
    decide(plan, INITIAL_STATE, { kind: 'start', run: { ...started, entry_step: plan.entryStep } }),
  );
  while (effect !== null && effect.kind !== 'finish') {
    if (effect.kind === 'accept_goldens') {
      ({ state, effect } = keep(
        decide(plan, state, { kind: 'goldens_accepted', changed: false, tree: null }),
      ));
      continue;
    }
    if (effect.kind === 'prepare') {
      const input: KernelInput =
        preparationFailure === null
          ? { kind: 'prepared' }
          : { kind: 'preparation_failed', reason: preparationFailure };
      ({ state, effect } = keep(decide(plan, state, input)));
      continue;
    }
    const reported: readonly EventDraft[] = reportedEvents(
      visits.get(visitKey(effect.stepId, effect.visit)),
      effect,
    );
    const after = reported.reduce(evolve, state);
    const { kind } = after.stage;
    if (kind !== 'left' && kind !== 'evaluated' && kind !== 'answered') return log;
    log.push(...reported);
    ({ state, effect } = keep(decide(plan, after, { kind: 'resume', reason: 'replayed' })));
  }
  if (effect === null) return log;
  const tree = filesChangedAtEnd(events) ? `not ${state.tree}` : null;
  const failure = preparationFailure === null ? {} : { preparationFailure };
  keep(decide(plan, state, { kind: 'finished', tree, headSha: null, ...failure }));
  return log;
}

/** Why preparation of the recorded run failed; null if it did not. */
function failedPreparation(events: readonly EventDraft[]): string | null {
  let state = INITIAL_STATE;
  for (const event of events) {
    if (event.event_type === 'run_completed')
      return state.stage.kind === 'preparing' ? (event.payload.reason ?? '') : null;
    state = evolve(state, event);
  }
  return null;
}

/** Whether the files changed after the last step. Only the recorded outcome shows that. */
function filesChangedAtEnd(events: readonly EventDraft[]): boolean {
  const { stage, unverified } = events.reduce(evolve, INITIAL_STATE);
  return stage.kind === 'ended' && stage.end.outcome === 'unverified' && !unverified;
}

/** The recorded events of a visit; none if the edited step has a different opcode, because they don't apply to it. */
function reportedEvents(
  visit: RecordedEntry | undefined,
  effect: Exclude<Effect, { kind: 'finish' | 'prepare' }>,
): readonly EventDraft[] {
  return visit?.opcode === effect.opcode ? visit.reported : [];
}
