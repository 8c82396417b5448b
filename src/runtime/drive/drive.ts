import type { EventDraft } from '../../contracts/run/event.ts';
import { decide } from '../../kernel/decide.ts';
import type { Effect, KernelInput } from '../../kernel/protocol.ts';
import type { RunEnd } from '../../kernel/state.ts';
import type { Flush, Wake } from '../../ports/run-store.ts';
import { publishAtEnd } from '../forge/publish-at-end.ts';
import { writeFinalState } from '../record/derived-files.ts';
import { type AwaitingView, findParked, type ParkedView, type RunView } from '../record/run-view.ts';
import { type EffectResult, Interrupted } from '../run-context.ts';
import { awaitGate, type GateWait } from './await-gate.ts';
import { readCancelRequest } from './cancel-request.ts';
import {
  createContext,
  type DriveContext,
  type DriveContextRequest,
  startHeartbeat,
} from './drive-context.ts';
import { finish, perform } from './perform.ts';

/** The clock may be adjusted and the machine may be suspended, so the time is checked again this often. */
const POLL_MS = 30_000;

/** How `driveRun` can return. */
export type DriveEnd =
  | { readonly kind: 'ended'; readonly end: RunEnd; readonly view: RunView }
  | { readonly kind: 'waiting'; readonly awaiting: AwaitingView; readonly view: RunView }
  /** An agent can't work before `parked.until`; `resume` continues the run then. */
  | { readonly kind: 'parked'; readonly parked: ParkedView; readonly view: RunView }
  /** Stopped from outside; `resume` continues the run. */
  | { readonly kind: 'interrupted'; readonly view: RunView };

/** When another process has to look at the run again after this end. */
export function wakeAfter(end: DriveEnd): Wake {
  switch (end.kind) {
    case 'ended':
      return { kind: 'never' };
    case 'waiting':
      return { kind: 'after', time: end.awaiting.expiresAt };
    case 'parked':
      return { kind: 'after', time: end.parked.until };
    case 'interrupted':
      return { kind: 'now' };
  }
}

export interface DriveRequest extends DriveContextRequest, GateWait {
  readonly first: KernelInput;
  /** Events to record before the first decision. */
  readonly known?: readonly EventDraft[];
}

/**
 * Drives a run from decision to decision until it ends, waits, or is interrupted. One process at a time: throws
 * `LeaseLost` if this process loses its lease; by then all processes that it started for the run are killed.
 */
export async function driveRun(request: DriveRequest): Promise<DriveEnd> {
  const context = createContext(request);
  const heartbeat = startHeartbeat(context);
  const { lost } = request.run.lease;
  try {
    if (request.known !== undefined && request.known.length > 0) await context.record(request.known);
    return await settled(context, driveLoop(request, context, { input: request.first, records: [] }));
  } catch (error) {
    // After a lost lease, the step's own error doesn't matter.
    if (lost.aborted) {
      await context.killProcesses();
      throw lost.reason;
    }
    if (!(error instanceof Interrupted)) throw error;
    const cancel = await readCancelRequest(request.run.inbox);
    if (cancel === null) return { kind: 'interrupted', view: context.view() };
    const input = { kind: 'cancel', ...cancel } as const;
    return await settled(context, driveLoop(request, context, { input, records: [] }));
  } finally {
    await context.notifications.stop();
    await heartbeat.stop();
    await context.close();
  }
}

/** Gives notifications time to be sent before the process ends. An interrupted run leaves them to the next process. */
async function settled(context: DriveContext, driving: Promise<DriveEnd>): Promise<DriveEnd> {
  const end = await driving;
  await context.notifications.settle();
  return end;
}

async function driveLoop(
  request: DriveRequest,
  context: DriveContext,
  start: EffectResult,
): Promise<DriveEnd> {
  let next = start;
  for (;;) {
    const decision = decide(request.plan, context.state(), next.input);
    const { effect } = decision;
    await context.record([...next.records, ...decision.events], flushBefore(effect));
    if (effect === null) return returnEnded(context);
    if (effect.kind === 'finish') {
      next = await finish(context, effect.end);
      continue;
    }
    await context.stopIfAsked();
    if (effect.kind === 'await_time') {
      if (!(await awaitTime(request, context, effect.until))) return returnParked(context);
      next = { input: { kind: 'wait_over' }, records: [] };
      continue;
    }
    if (effect.kind !== 'await_gate') {
      next = await perform(context, effect);
      continue;
    }
    const settled = await awaitGate(request, context);
    if (settled === null) return returnWaiting(context);
    next = settled;
  }
}

/**
 * An agent and validators start only after `runner_started` is on disk, and its flush covers all that was written before.
 * So the step boundary before them costs one flush, not two. What happens between, such as taking the snapshot, can be
 * repeated after a power loss. Every other effect acts at once, and so does the recovery of a dead attempt: it restores files.
 */
function flushBefore(effect: Effect | null): Flush {
  const hasRunner = effect?.kind === 'run_agent' || effect?.kind === 'run_validation';
  return hasRunner && effect.restoreTo === null ? 'later' : 'now';
}

/** Checks for a cancel request once more: after this, no process would read it. */
async function returnWaiting(context: DriveContext): Promise<DriveEnd> {
  await context.stopIfAsked();
  const view = context.view();
  if (view.awaiting === null) throw new Error('nothing is awaited');
  await context.writeMetadata();
  return { kind: 'waiting', awaiting: view.awaiting, view };
}

async function returnParked(context: DriveContext): Promise<DriveEnd> {
  await context.stopIfAsked();
  const view = context.view();
  const found = findParked(view);
  if (found === null) throw new Error('the run is not parked');
  await context.writeMetadata();
  return { kind: 'parked', parked: found, view };
}

/** Writes the derived files even if the log already contains the end: a crash may have lost them. */
async function returnEnded(context: DriveContext): Promise<DriveEnd> {
  if (context.view().end === null)
    throw new Error(`run ${context.directory.runId} has nothing to do and has not ended`);
  await context.writeMetadata();
  await writeFinalState(context.directory, context.view());
  const unpublished = await publishAtEnd(context);
  const view = context.view();
  if (view.end === null) throw new Error(`run ${view.runId} has ended, and its record does not say so`);
  if (unpublished === null) await context.writeMetadata();
  else context.observer.onNote?.(`the pull request could not be published: ${unpublished}`);
  context.notifications.add(context.events().filter(({ event_type: type }) => type === 'run_completed'));
  return { kind: 'ended', end: view.end, view };
}

/** Whether `until` has passed; false only if `wait` is false. */
async function awaitTime(
  { wait }: Pick<GateWait, 'wait'>,
  { deps, signal, stopIfAsked }: DriveContext,
  until: string,
): Promise<boolean> {
  for (;;) {
    const leftMs = Date.parse(until) - deps.clock.now().getTime();
    if (leftMs <= 0) return true;
    if (!wait) return false;
    await deps.clock.sleep(Math.min(leftMs, POLL_MS), signal);
    await stopIfAsked();
  }
}
