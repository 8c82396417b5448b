import { ownValue } from '../contracts/own-value.ts';
import { decide } from '../kernel/decide.ts';
import type { Effect, KernelInput } from '../kernel/protocol.ts';
import type { RunEnd } from '../kernel/state.ts';
import { readCancelRequest } from './cancel-request.ts';
import { writeFinalState } from './derived-files.ts';
import {
  createContext,
  type DriveContext,
  type DriveContextRequest,
  pause,
  startHeartbeat,
} from './drive-context.ts';
import { askPlanner } from './effects/ask-planner.ts';
import { closeGate } from './effects/close-gate.ts';
import { finishRun } from './effects/finish.ts';
import { openGate } from './effects/open-gate.ts';
import { rollBack } from './effects/roll-back.ts';
import { runAgent } from './effects/run-agent.ts';
import { runValidation } from './effects/run-validation.ts';
import { settleGate, showsWhatIsThere } from './gates.ts';
import { type EffectResult, Interrupted, type RunContext } from './run-context.ts';
import type { AwaitingView, RunView } from './run-view.ts';

/** How often an open gate's inbox is looked at by a process that waits. */
const GATE_POLL_MS = 200;

/** How a drive can come back. */
export type DriveEnd =
  | { readonly kind: 'ended'; readonly end: RunEnd; readonly view: RunView }
  | { readonly kind: 'waiting'; readonly awaiting: AwaitingView; readonly view: RunView }
  /** Stopped from outside; `resume` takes it up again. */
  | { readonly kind: 'interrupted'; readonly view: RunView };

export interface DriveRequest extends DriveContextRequest {
  readonly first: KernelInput;
  /** Stay at gates until they are answered. */
  readonly wait: boolean;
  /** Asks a person at an open gate, where there is one; the answer goes through the gate's inbox. */
  readonly onGate: ((awaiting: AwaitingView, view: RunView) => Promise<void>) | null;
}

/** Moves a run from decision to decision until it ends, waits, or is interrupted. One process at a time. */
export async function driveRun(request: DriveRequest): Promise<DriveEnd> {
  const context = createContext(request);
  const heartbeat = startHeartbeat(context);
  try {
    return await moveOn(request, context, { input: request.first, records: [] });
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    const cancel = await readCancelRequest(context.directory);
    if (cancel === null) return { kind: 'interrupted', view: context.view() };
    return await moveOn(request, context, { input: { kind: 'cancel', ...cancel }, records: [] });
  } finally {
    await heartbeat.stop();
  }
}

async function moveOn(request: DriveRequest, context: DriveContext, start: EffectResult): Promise<DriveEnd> {
  let next = start;
  for (;;) {
    const decision = decide(request.plan, context.state(), next.input);
    await context.record([...next.records, ...decision.events]);
    const { effect } = decision;
    if (effect === null) return ended(context);
    if (effect.kind === 'finish') {
      await context.openWorkspace();
      await finishRun(context, effect.end);
      next = { input: { kind: 'finished' }, records: [] };
      continue;
    }
    if (context.signal.aborted) throw new Interrupted();
    if (effect.kind === 'await_gate') {
      const settled = await awaitGate(request, context);
      if (settled === null) return waiting(context);
      next = settled;
      continue;
    }
    await context.openWorkspace();
    next = await perform(context, effect);
  }
}

function perform(
  context: RunContext,
  effect: Exclude<Effect, { kind: 'await_gate' | 'finish' }>,
): Promise<EffectResult> {
  const step = ownValue(context.plan.stepsById, effect.stepId);
  switch (effect.kind) {
    case 'run_agent':
      if (step?.opcode === 'RUN_AGENT') return runAgent(context, effect, step);
      break;
    case 'run_validation':
      if (step?.opcode === 'RUN_VALIDATION') return runValidation(context, effect, step);
      break;
    case 'ask_planner':
      if (step?.opcode === 'EVALUATE') return askPlanner(context, effect, step);
      break;
    case 'open_gate':
      if (step?.opcode === 'GATE') return openGate(context, effect, step);
      break;
    case 'roll_back':
      return rollBack(context, effect);
  }
  throw new Error(`effect ${effect.kind} does not fit step ${effect.stepId}`);
}

/** Null when the gate is open and nobody is to wait for it here. */
async function awaitGate(request: DriveRequest, context: DriveContext): Promise<EffectResult | null> {
  const { awaiting } = context.view();
  if (awaiting === null) throw new Error('a gate is awaited that was not requested');
  await context.openWorkspace();
  let answer = await settleGate(context.directory, awaiting, context.deps.clock.now());
  // A person answers for what they were shown; files that changed since make an approval void.
  const approvable = answer === null || answer.answer === 'gate_approved';
  if (approvable && !(await showsWhatIsThere(context.deps.workspace, context.workspace, awaiting)))
    return { records: [], input: { kind: 'gate_changed' } };
  if (answer === null && request.onGate !== null) {
    await request.onGate(awaiting, context.view());
    answer = await settleGate(context.directory, awaiting, context.deps.clock.now());
  }
  while (answer === null && request.wait) {
    await pause(GATE_POLL_MS, context.signal);
    if (context.signal.aborted) throw new Interrupted();
    answer = await settleGate(context.directory, awaiting, context.deps.clock.now());
  }
  if (answer === null) return null;
  return {
    records: await closeGate(context, awaiting, answer),
    input: {
      kind: 'gate_answered',
      answer: answer.answer,
      by: answer.by,
      comment: answer.comment,
      answeredAt: answer.answered_at,
    },
  };
}

function waiting(context: DriveContext): DriveEnd {
  const view = context.view();
  if (view.awaiting === null) throw new Error('nothing is awaited');
  return { kind: 'waiting', awaiting: view.awaiting, view };
}

/** Derived files are written again even when the log already held the end: a crash may have lost them. */
async function ended(context: DriveContext): Promise<DriveEnd> {
  const view = context.view();
  if (view.end === null) throw new Error(`run ${view.runId} has nothing to do and has not ended`);
  await context.writeMetadata();
  await writeFinalState(context.directory, view);
  return { kind: 'ended', end: view.end, view };
}
