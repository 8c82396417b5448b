import type { Usage } from '../../../src/contracts/run/agent-result.ts';
import type { EventDraft, ValidatorEnd } from '../../../src/contracts/run/event.ts';
import type { GateEvent, MechanicalOutcome, PlannerStatus } from '../../../src/contracts/vocabulary.ts';
import { decide } from '../../../src/kernel/decide.ts';
import { evolve } from '../../../src/kernel/evolve.ts';
import type { Plan } from '../../../src/kernel/plan.ts';
import type { Effect, KernelInput, RecordedViolation } from '../../../src/kernel/protocol.ts';
import { INITIAL_STATE, type RunEnd, type RunState } from '../../../src/kernel/state.ts';

/**
 * Drives the kernel the way a runtime does, with a script in place of the world. The world has no memory
 * of its own: trees and snapshots are read off the log, so a run that is resumed from a cut log sees
 * exactly what it would have seen.
 */

export type Reply =
  | {
      readonly kind: 'ended';
      readonly outcome: MechanicalOutcome;
      readonly changed?: boolean;
      /** Proposed goldens by the key of the validator; null is a validator without a usable report. */
      readonly proposals?: Readonly<Record<string, number | null>>;
      readonly usage?: Usage;
      readonly violations?: readonly RecordedViolation[];
      /** How often an agent has to wait for a time before it can work. */
      readonly parks?: number;
    }
  | { readonly kind: 'rolled_back' }
  | { readonly kind: 'evaluated'; readonly status: PlannerStatus; readonly nextStep?: string }
  | {
      readonly kind: 'answered';
      readonly answer: GateEvent;
      readonly by?: string;
      readonly comment?: string;
    };

type EndedReply = Extract<Reply, { kind: 'ended' }>;

export function ended(outcome: MechanicalOutcome, more: Omit<EndedReply, 'kind' | 'outcome'> = {}): Reply {
  return { kind: 'ended', outcome, ...more };
}

export function evaluated(status: PlannerStatus, nextStep?: string): Reply {
  return nextStep === undefined ? { kind: 'evaluated', status } : { kind: 'evaluated', status, nextStep };
}

export function answered(answer: GateEvent): Reply {
  return { kind: 'answered', answer };
}

export const changed: Reply = ended('completed', { changed: true });
export const passed: Reply = ended('completed');
export const rolledBack: Reply = { kind: 'rolled_back' };
export const approved: Reply = answered('gate_approved');
export const rejected: Reply = answered('gate_rejected');
export const violated: Reply = ended('completed', {
  violations: [{ class: 'forbidden_path', subject: '.env', message: 'wrote .env' }],
});

/** What the world says when a step is entered for the n-th time. */
export type Script = (entry: Entered) => Reply;

export interface Entered {
  readonly stepId: string;
  readonly visit: number;
  /** How many entries came before, recovery attempts not counted. */
  readonly index: number;
}

export function inOrder(replies: readonly Reply[]): Script {
  return ({ stepId, index }) => {
    const reply = replies[index];
    if (reply === undefined) throw new Error(`the script has no reply for entry ${index}, step ${stepId}`);
    return reply;
  };
}

export interface Played {
  readonly plan: Plan;
  readonly events: readonly EventDraft[];
  readonly state: RunState;
  readonly effect: Effect | null;
  /** Why the preparation of the run fails each time; null where it works. */
  readonly preparationFailure: string | null;
}

export function fold(events: readonly EventDraft[]): RunState {
  return events.reduce(evolve, INITIAL_STATE);
}

/** Feeds one input and keeps the log. */
export function give(run: Played, input: KernelInput): Played {
  const decision = decide(run.plan, run.state, input);
  return {
    ...run,
    events: [...run.events, ...decision.events],
    state: decision.state,
    effect: decision.effect,
  };
}

/** A run that is prepared, so that its entry step is under way. */
export function start(plan: Plan): Played {
  return prepare(begin(plan));
}

/** A run whose first event is on record. */
export function begin(plan: Plan, { schemaVersion = 2, preparationFailure = null }: Beginning = {}): Played {
  const none = { plan, events: [], state: INITIAL_STATE, effect: null, preparationFailure };
  return give(none, startInput(plan, schemaVersion));
}

export interface Beginning {
  readonly schemaVersion?: number;
  readonly preparationFailure?: string | null;
}

/** Answers the effect `prepare`, as a runtime that skips what is on record. Runs of version 1 ask for nothing. */
export function prepare(run: Played): Played {
  if (run.effect?.kind !== 'prepare') return run;
  if (run.preparationFailure !== null)
    return give(run, { kind: 'preparation_failed', reason: run.preparationFailure });
  const recorded = run.events.map(({ event_type }) => event_type);
  const missing = [setUp, baseline].filter(({ event_type }) => !recorded.includes(event_type));
  const done = missing.reduce(note, run);
  return give(done, { kind: 'prepared' });
}

/** A run with an event of the runtime in its log. */
export function note(run: Played, event: EventDraft): Played {
  return { ...run, events: [...run.events, event], state: evolve(run.state, event) };
}

export const setUp: EventDraft = {
  event_type: 'setup_completed',
  step_id: null,
  payload: {
    checkout: 'work',
    digest: null,
    cache_hit: false,
    commands: [{ command: 'npm ci', exit_code: 0, duration_ms: 1 }],
    outcome: 'completed',
    reason: null,
  },
};

export const baseline: EventDraft = {
  event_type: 'baseline_recorded',
  step_id: null,
  payload: { outcome: 'green', cached: false, validators: [], cases: null, reason: null },
};

export function crash(run: Played, keep = run.events.length): Played {
  const events = run.events.slice(0, keep);
  return { ...run, events, state: fold(events), effect: null };
}

export function resume(run: Played): Played {
  return give(run, { kind: 'resume', reason: 'the process died' });
}

export function cancel(run: Played): Played {
  return give(run, { kind: 'cancel', by: 'ann', reason: null });
}

/** Answers one effect, with the events a runtime adds on the way. */
export function step(run: Played, script: Script): Played {
  const { effect } = run;
  if (effect === null) throw new Error(`nothing to do at stage ${run.state.stage.kind}`);
  switch (effect.kind) {
    case 'prepare':
      return prepare(run);
    case 'finish':
      return give(run, {
        kind: 'finished',
        tree: null,
        headSha: null,
        ...(run.state.stage.kind === 'preparing' ? { preparationFailure: effect.end.reason ?? '' } : {}),
      });
    case 'open_gate': {
      const reply = script(enteredAs(run, effect));
      if (reply.kind === 'ended') return give(run, inputOf(run, reply));
      return give(run, {
        kind: 'gate_opened',
        reason: 'look at it',
        tree: treeOf(run.events),
        requestSha256: 'r',
      });
    }
    case 'run_agent':
    case 'run_validation': {
      const tree = treeOf(run.events);
      const snapshot = runnerStarted(effect.stepId, effect.attempt, tree);
      const begun = { ...run, events: [...run.events, snapshot], state: evolve(run.state, snapshot) };
      const reply = script(enteredAs(run, effect));
      if (effect.kind === 'run_agent' && reply.kind === 'ended' && parksIn(run) < (reply.parks ?? 0))
        return give(begun, parked);
      return give(begun, inputOf(begun, reply));
    }
    case 'await_time':
      return give(run, { kind: 'wait_over' });
    case 'accept_goldens': {
      const tree = treeOf(run.events);
      const snapshot = runnerStarted(effect.stepId, effect.attempt, tree);
      const begun = { ...run, events: [...run.events, snapshot], state: evolve(run.state, snapshot) };
      return give(begun, { kind: 'goldens_accepted', changed: true, tree: `${tree}+goldens` });
    }
    case 'ask_planner':
    case 'await_gate':
    case 'roll_back':
      return give(run, inputOf(run, script(enteredAs(run, effect))));
  }
}

export const parked: KernelInput = {
  kind: 'parked',
  until: '2026-01-01T00:00:00.000Z',
  reason: 'the quota is spent',
};

/** How often the visit under way was parked. */
function parksIn({ events }: Played): number {
  const entered = events.findLastIndex(
    (event) => event.event_type === 'step_started' && !event.payload.recovery,
  );
  return events.slice(entered).filter((event) => event.event_type === 'step_waiting').length;
}

const MAX_STEPS = 2_000;

export function goOn(from: Played, script: Script): Played {
  let run = from;
  for (let steps = 0; run.effect !== null; steps++) {
    if (steps > MAX_STEPS) throw new Error('the run does not end');
    run = step(run, script);
  }
  return run;
}

/** Goes on until a step is under way (or a gate is open), without answering it. */
export function goTo(from: Played, script: Script, stepId: string): Played {
  let run = from;
  while (run.effect !== null && !('stepId' in run.effect && run.effect.stepId === stepId))
    run = step(run, script);
  if (run.effect === null) throw new Error(`the run ended before ${stepId}`);
  return run;
}

export function play(plan: Plan, replies: readonly Reply[]): Played {
  return goOn(start(plan), inOrder(replies));
}

export function endOfRun(run: Played): RunEnd {
  if (run.state.stage.kind !== 'ended') throw new Error(`the run is at stage ${run.state.stage.kind}`);
  return run.state.stage.end;
}

/** The two axes and the key, in one line, the way `final-state.txt` has them. */
export function finalState(run: Played): string {
  const { lifecycle, outcome, termination } = endOfRun(run);
  return `${lifecycle} ${outcome} ${termination}`;
}

/** The ids entered, in order; recovery attempts are marked. */
export function trail(run: Played): readonly string[] {
  return eventsOf(run, 'step_started').map(
    ({ step_id, payload }) => `${step_id}${payload.recovery ? '*' : ''}`,
  );
}

export function eventsOf<T extends EventDraft['event_type']>(
  run: Pick<Played, 'events'>,
  type: T,
): readonly Extract<EventDraft, { event_type: T }>[] {
  return run.events.filter(
    (event): event is Extract<EventDraft, { event_type: T }> => event.event_type === type,
  );
}

export function startInput(plan: Plan, schemaVersion = 2): KernelInput {
  return {
    kind: 'start',
    run: {
      schema_version: schemaVersion,
      conductor_version: '0.0.0',
      workflow_id: plan.workflowId,
      workflow_version: plan.version,
      workflow_digest: 'd',
      entry_step: plan.entryStep,
      base_ref: 'main',
      base_sha: commitOf('base'),
      base_tree: 'base',
      branch_name: 'conductor/run',
      worktree_path: 'worktree',
      defaults: { timeout_ms: 60_000, idle_timeout_ms: 60_000, max_visits: 10 },
      inputs: {},
      ...(schemaVersion === 1 ? {} : { title: 'Do it' }),
    },
  };
}

export function runnerStarted(stepId: string, attempt: number, tree: string): EventDraft {
  return {
    event_type: 'runner_started',
    step_id: stepId,
    payload: {
      family: 'scripted',
      name: 'scripted',
      attempt,
      mark: 'm',
      snapshot: { commit: commitOf(tree), tree },
    },
  };
}

/** The tree of the checkout once every interrupted attempt was put back to its snapshot. */
export function treeOf(events: readonly EventDraft[]): string {
  let tree = 'base';
  for (const event of events) {
    if (event.event_type === 'rollback_completed') tree = event.payload.tree_after;
    if (event.event_type === 'step_completed' || event.event_type === 'step_failed')
      tree = event.payload.tree ?? tree;
  }
  return tree;
}

export function commitOf(tree: string): string {
  return `commit of ${tree}`;
}

function enteredAs(run: Played, effect: Extract<Effect, { stepId: string }>): Entered {
  const entries = eventsOf(run, 'step_started').filter(({ payload }) => !payload.recovery);
  return { stepId: effect.stepId, visit: effect.visit, index: entries.length - 1 };
}

function inputOf(run: Played, reply: Reply): KernelInput {
  switch (reply.kind) {
    case 'ended':
      return endedInput(run, reply);
    case 'rolled_back':
      return rolledBackInput(run);
    case 'evaluated':
      return {
        kind: 'evaluated',
        decision: {
          status: reply.status,
          nextStep: reply.nextStep ?? null,
          riskFlags: [],
          blockerCodes: [],
          reason: null,
          planner: 'rules',
        },
      };
    case 'answered':
      return {
        kind: 'gate_answered',
        answer: reply.answer,
        by: reply.by ?? null,
        comment: reply.comment ?? null,
        answeredAt: '2026-01-01T00:00:00Z',
      };
  }
}

function endedInput(run: Played, reply: EndedReply): KernelInput {
  const { stage } = run.state;
  const entry = 'visit' in stage ? `${stage.stepId}#${stage.visit}` : 'nowhere';
  return {
    kind: 'step_ended',
    outcome: reply.outcome,
    changed: reply.changed ?? false,
    tree: reply.changed === true ? `tree of ${entry}` : treeOf(run.events),
    validators: Object.entries(reply.proposals ?? {}).map(([key, proposals]) => validatorEnd(key, proposals)),
    usage: reply.usage ?? null,
    reason: null,
    violations: reply.violations ?? [],
  };
}

function validatorEnd(key: string, proposals: number | null): ValidatorEnd {
  return { id: key, key, outcome: 'completed', exit_code: 0, proposals };
}

function rolledBackInput(run: Played): KernelInput {
  if (run.effect?.kind !== 'roll_back') throw new Error('no rollback was asked for');
  const commit = run.effect.commit ?? commitOf('base');
  return {
    kind: 'rolled_back',
    rollback: {
      target: run.effect.target,
      commit,
      tree_before: treeOf(run.events),
      tree_after: commit.replace(/^commit of /, ''),
      salvage_ref: 'refs/conductor/salvage/run/step',
    },
  };
}
