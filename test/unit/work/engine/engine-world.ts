import type { WorkEvent } from '../../../../src/contracts/work/work-event.ts';
import type { createRandom } from '../../../../src/simulation/crashtest.ts';
import {
  createStartEvent,
  type RequestedCommand,
  type RequestedRun,
} from '../../../../src/work/engine/command.ts';
import {
  type ExternalAnswers,
  type ExternalCall,
  nextStep,
} from '../../../../src/work/engine/command-steps.ts';
import { decide } from '../../../../src/work/engine/decide.ts';
import { describeLimits, type EngineState, NEW_ENGINE } from '../../../../src/work/engine/engine-state.ts';
import { evolve } from '../../../../src/work/engine/evolve.ts';
import { findRefusal } from '../../../../src/work/engine/guards.ts';
import type { EngineEffect, EngineInput, Outcome } from '../../../../src/work/engine/protocol.ts';
import { createRefusalEvents } from '../../../../src/work/engine/refusal.ts';
import type { RoleState } from '../../../../src/work/engine/role.ts';
import { createAcceptCommand } from '../../../../src/work/engine/run-end.ts';
import { readPlainLabels } from '../../../../testing/work-fakes.ts';
import { limits, made, stateOf } from '../fixtures.ts';

export const SLOTS = 2;
const { scopeOf } = limits();

type Random = ReturnType<typeof createRandom>;

/** An engine whose effects are answered by chance and in any order, with real guards and a real journal state. */
export function createEngineWorld(random: Random, ...events: readonly WorkEvent[]) {
  const work = stateOf(...events);
  const settings = { slots: SLOTS, maxRounds: 2, scopeOf };
  const pending: Pending[] = [];
  const emitted: EngineEffect[] = [];
  let engine: EngineState = NEW_ENGINE;
  let nowMs = 0;
  let runs = 0;

  const append = (added: readonly WorkEvent[]) => {
    for (const event of added) evolve(work, { seq: work.seq + 1, at: new Date(nowMs).toISOString(), event });
    if (added.length > 0) feed({ kind: 'entries_read', events: added });
  };

  const feed = (input: EngineInput) => {
    const decision = decide({ work, nowMs, settings }, engine, input);
    engine = decision.state;
    emitted.push(...decision.effects);
    for (const effect of decision.effects) pending.push({ effect, offered: null });
  };

  const execute = (requested: RequestedCommand): Outcome => {
    if (work.doneKeys.has(requested.key)) return { kind: 'done_before' };
    const guards = { limits: describeLimits(engine, settings), checkPlan: () => [] };
    const refusal = findRefusal(work, requested, guards);
    if (refusal !== null) {
      append(createRefusalEvents(work, requested, refusal));
      return { kind: 'refused', ...refusal };
    }
    append([createStartEvent(requested)]);
    const started = work.started.get(requested.key);
    if (started === undefined) throw new Error(`${requested.key} has not started`);
    for (let answers: ExternalAnswers = {}; ; ) {
      const step = nextStep(work, started, answers, readPlainLabels);
      if (step.kind === 'call') answers = { ...answers, ...answerCall(step.call) };
      else {
        append(step.events);
        return step.kind === 'done' ? { kind: 'done' } : step;
      }
    }
  };

  const lookAt = (role: string): RoleState =>
    random.pick<RoleState>([
      { kind: 'driven' },
      { kind: 'waiting', reason: 'a gate' },
      { kind: 'waiting', reason: 'a gate', isDue: true },
      { kind: 'lost', reason: 'gone' },
      endOf(random, role),
    ]);

  /** Answers a pending effect, or takes a run one stage further. */
  const answer = (waiting: Pending): EngineInput | null => {
    const { effect, offered } = waiting;
    switch (effect.kind) {
      case 'record_external_changes':
        return {
          kind: 'external_changes_recorded',
          readsProvider: effect.readsProvider,
          problem: random.chance(0.1) ? 'the provider is down' : null,
        };
      case 'look_at_runs':
        return {
          kind: 'runs_seen',
          seen: effect.runs.map(({ runId, subject }) => ({ runId, state: lookAt(subject.role) })),
        };
      case 'execute':
        return {
          kind: 'commands_executed',
          job: effect.job,
          results: effect.batches.flat().map((requested) => ({
            requested,
            outcome: random.chance(0.1)
              ? { kind: 'failed', reason: 'the disk is full', help: null }
              : execute(requested),
          })),
        };
      case 'start_role':
        return offered === null ? offerRun(effect.requested) : leaveRun(effect.requested);
      case 'record_failed_start': {
        const { key, command } = effect.requested;
        const item_id = 'itemId' in command ? command.itemId : null;
        const { reason, conflict } = effect;
        append([{ type: 'command_failed', key, by: 'engine', kind: command.kind, item_id, reason }]);
        return { kind: 'failed_start_recorded', key, reason, conflict };
      }
      case 'resume_run':
        return { kind: 'resume_ended', runId: effect.runId, problem: random.chance(0.5) ? 'locked' : null };
      case 'run_checks':
        for (const { id, pipeline } of work.revisions.values())
          if (pipeline.status === 'pending') {
            const status = random.pick(['success', 'success', 'failure'] as const);
            append([{ type: 'pipeline_changed', revision_id: id, pipeline: { ...pipeline, status } }]);
          }
        return { kind: 'checks_ended', problem: random.chance(0.1) ? 'no space' : null };
      case 'wait':
        nowMs += effect.ms;
        return { kind: 'time_passed', task: effect.task };
      case 'stop':
      case 'report_run':
      case 'end_session':
        return null;
    }
  };

  const offerRun = (requested: RequestedRun): EngineInput => {
    const { key } = requested;
    const state: RoleState = { kind: 'lost', reason: 'no such agent' };
    if (random.chance(0.1)) return { kind: 'runner_returned', key, state };
    runs += 1;
    const offered = `run-${runs}`;
    feed({ kind: 'run_created', key, runId: offered });
    const outcome = execute(createAcceptCommand(requested, offered));
    feed({ kind: 'acceptance_decided', key, outcome });
    if (outcome.kind !== 'done') return { kind: 'runner_returned', key, state };
    pending.push({ effect: { kind: 'start_role', task: key, requested }, offered });
    return { kind: 'entries_read', events: [] };
  };

  const leaveRun = ({ key, command }: RequestedRun): EngineInput => {
    const role = command.kind.split('_')[1] ?? '';
    return { kind: 'runner_returned', key, state: random.chance(0.2) ? lookAt(role) : endOf(random, role) };
  };

  return {
    work,
    emitted,
    feed,
    engine: () => engine,
    /** Answers one effect by chance; false if none is pending. */
    step: (): boolean => {
      const [waiting] = pending.splice(random.below(Math.max(pending.length, 1)), 1);
      if (waiting === undefined) return false;
      const input = answer(waiting);
      if (input !== null) feed(input);
      return true;
    },
  };
}

interface Pending {
  readonly effect: EngineEffect;
  /** The id of a run that has been accepted. */
  readonly offered: string | null;
}

function answerCall(call: ExternalCall): ExternalAnswers {
  switch (call.kind) {
    case 'make_revision': {
      const event = made(call.request.itemId, { headSHA: `head of ${call.key}` });
      if (event.type !== 'revision_made') throw new Error('not a revision');
      return { make_revision: { ok: true, revision: event.revision } };
    }
    case 'merge':
      return { merge: { ok: true, into: 'main', commit: 'c' } };
    case 'cancel_run':
      return { cancel_run: true };
    case 'write':
      return { write: call.writes.map(() => ({ kind: 'nothing' })) };
  }
}

function endOf(random: Random, role: string): RoleState {
  if (random.chance(0.2)) return { kind: 'ended', end: { ok: false, reason: 'it fell over' } };
  switch (role) {
    case 'planner':
      return { kind: 'ended', end: { ok: true, result: { role, create: [], close: [], update: [] } } };
    case 'reviewer': {
      const review = { verdict: 'approve', summary: 'fine', comments: [] } as const;
      return { kind: 'ended', end: { ok: true, result: { role, review: { ...review, comments: [] } } } };
    }
    default: {
      const patch = random.pick(['diff', 'diff', '']);
      const result = { role: 'implementor', outcome: 'completed', patch, summary: 's' } as const;
      return { kind: 'ended', end: { ok: true, base: 'base', result } };
    }
  }
}
