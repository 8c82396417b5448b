import type { Role } from '../../contracts/work/work-results.ts';
import type { RoleRunner, RoleState } from '../../ports/role-runner.ts';
import type { SpecFolder } from '../../ports/spec-folder.ts';
import { type Asker, nameOf, type WorkCommand } from '../../work/command.ts';
import { acceptKey } from '../../work/keys.ts';
import type { Refusal } from '../../work/refusal.ts';
import { type Conclusion, concludeRun } from './conclude.ts';
import type { Executor, Outcome } from './executor.ts';
import { buildRequest, type RequestCommand } from './role-request.ts';

export interface AskedRun {
  readonly key: string;
  readonly by: Asker;
  readonly command: RequestCommand;
}

export type RunReport =
  | ({ readonly kind: 'refused' } & Refusal)
  | { readonly kind: 'not_started'; readonly reason: string }
  | { readonly kind: 'accepted'; readonly runId: string; readonly conclusion: Conclusion };

/** A run that this process drives, from the request to the end. */
export interface Job {
  readonly asked: AskedRun;
  readonly role: Role;
  readonly itemId: string | null;
  /** Null until the run is accepted. */
  readonly runId: () => string | null;
  /** Whether this job drives the run, even while it is being accepted. */
  readonly drives: (runId: string) => boolean;
  /** Stops the run; this doesn't count as a failure of its item. */
  readonly stop: () => void;
  readonly ended: Promise<RunReport>;
}

export interface JobDeps {
  readonly executor: Executor;
  readonly runner: RoleRunner;
  readonly specs: SpecFolder;
}

export function isRequest(command: WorkCommand): command is RequestCommand {
  return (
    command.kind === 'request_planner_run' ||
    command.kind === 'request_implementor_run' ||
    command.kind === 'request_reviewer_run'
  );
}

export function roleOf(command: RequestCommand): Role {
  switch (command.kind) {
    case 'request_planner_run':
      return 'planner';
    case 'request_implementor_run':
      return 'implementor';
    case 'request_reviewer_run':
      return 'reviewer';
  }
}

export function startJob(deps: JobDeps, asked: AskedRun): Job {
  const controller = new AbortController();
  const progress: JobProgress = { candidate: null, runId: null, acceptance: null, signal: controller.signal };
  return {
    asked,
    role: roleOf(asked.command),
    itemId: 'itemId' in asked.command ? asked.command.itemId : null,
    runId: () => progress.runId,
    drives: (runId) => progress.candidate === runId,
    stop: () => controller.abort(),
    ended: driveJob(deps, asked, progress),
  };
}

interface JobProgress {
  candidate: string | null;
  runId: string | null;
  /** The outcome of `accept_run`; null if the runner never got that far. */
  acceptance: Outcome | null;
  readonly signal: AbortSignal;
}

async function driveJob(deps: JobDeps, asked: AskedRun, progress: JobProgress): Promise<RunReport> {
  const { executor } = deps;
  const refusal = await executor.permit(asked);
  if (refusal !== null) return { kind: 'refused', ...refusal };
  const state = explainStop(await runRole(deps, asked, progress), progress.signal);
  if (progress.acceptance?.kind === 'refused') return progress.acceptance;
  const run = progress.runId === null ? undefined : executor.state.runs.get(progress.runId);
  if (progress.runId === null) {
    const reason = reasonOf(state);
    // If the provider refused to accept the run, that is already recorded, and not a failed start.
    if (!progress.signal.aborted && progress.acceptance === null)
      await recordFailedStart(executor, asked, reason);
    return { kind: 'not_started', reason };
  }
  // It may already be concluded: a user cancelled it, or another process saw its end first.
  if (run === undefined && !hasResult(state))
    return { kind: 'accepted', runId: progress.runId, conclusion: concludedElsewhere(reasonOf(state)) };
  const conclusion = await concludeRun(
    executor,
    run ?? activeRun(asked, progress.runId),
    state,
    !progress.signal.aborted,
  );
  return { kind: 'accepted', runId: progress.runId, conclusion };
}

/** Gives a run that this process stopped the reason `stopped` instead of `no process drives it`. */
function explainStop(state: RoleState, signal: AbortSignal): RoleState {
  return signal.aborted && state.kind === 'lost' ? { kind: 'lost', reason: 'it was stopped' } : state;
}

/** The state in which the runner leaves the run. If the runner throws, the run is lost with that reason. */
async function runRole(deps: JobDeps, asked: AskedRun, progress: JobProgress): Promise<RoleState> {
  try {
    const request = await buildRequest(deps.executor.state, deps.specs, asked.command);
    if (request === null) return { kind: 'lost', reason: 'what it is about is gone' };
    return await deps.runner.run(
      request,
      (runId) => accept(deps.executor, asked, runId, progress),
      progress.signal,
    );
  } catch (error) {
    return { kind: 'lost', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Enters the run into the journal before any agent starts. Throws if that is refused, which stops the runner. */
async function accept(
  executor: Executor,
  asked: AskedRun,
  runId: string,
  progress: JobProgress,
): Promise<void> {
  progress.candidate = runId;
  const { role, itemId, specs, revisionId } = activeRun(asked, runId);
  const outcome = await executor.execute({
    key: acceptKey(runId),
    by: asked.by,
    command: { kind: 'accept_run', runId, role, itemId, specs, revisionId },
  });
  progress.acceptance = outcome;
  if (outcome.kind === 'refused' || outcome.kind === 'failed')
    throw new Error(`the run was not accepted: ${outcome.reason}`);
  progress.runId = runId;
}

function activeRun({ command }: AskedRun, runId: string) {
  return {
    runId,
    role: roleOf(command),
    itemId: 'itemId' in command ? command.itemId : null,
    specs: command.kind === 'request_planner_run' ? command.specs : [],
    revisionId: command.kind === 'request_reviewer_run' ? command.revisionId : null,
    headSHA: null,
  };
}

function recordFailedStart(executor: Executor, asked: AskedRun, reason: string): Promise<void> {
  const { key, by, command } = asked;
  const itemId = 'itemId' in command ? command.itemId : null;
  return executor.record(async () => [
    { type: 'command_failed', key, by: nameOf(by), kind: command.kind, item_id: itemId, reason },
  ]);
}

function concludedElsewhere(reason: string): Conclusion {
  return { kind: 'ended', ok: false, reason, outcome: { kind: 'done_before' } };
}

function hasResult(state: RoleState): boolean {
  return state.kind === 'ended' && state.end.ok;
}

function reasonOf(state: RoleState): string {
  if (state.kind === 'ended') return state.end.ok ? 'it ended before it was accepted' : state.end.reason;
  return state.kind === 'driven' ? 'another process drives it' : state.reason;
}
