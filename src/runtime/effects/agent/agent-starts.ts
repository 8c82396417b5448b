import { chooseNextMove, type NextMove } from '../../../agents/next-move.ts';
import { addCost, mostUsage } from '../../../agents/prices.ts';
import type { AgentFailure } from '../../../contracts/run/agent-failure.ts';
import type { Usage } from '../../../contracts/run/agent-result.ts';
import type { EventDraft } from '../../../contracts/run/event.ts';
import { OversizedChange } from '../../../contracts/run/oversized-change.ts';
import type { AgentStep } from '../../../kernel/plan.ts';
import type { Effect } from '../../../kernel/protocol.ts';
import type { Agent, AgentRequest, AgentResult } from '../../../ports/agent.ts';
import type { Snapshot } from '../../../ports/workspace/workspace.ts';
import type { Evidence } from '../../evidence/evidence.ts';
import { compareTrees, type WorkspaceEvidence } from '../../evidence/workspace-evidence.ts';
import { type AgentSettings, Interrupted, type RunContext } from '../../run-context.ts';
import type { PreparedAttempt } from '../prepare-attempt.ts';
import { type CheckedStep, watchStep } from './check-step.ts';
import { type EarlierSession, sessionFolderOf, sessionRequest } from './choose-session.ts';
import { countParking } from './park-step.ts';
import { watchBudget } from './watch-budget.ts';

/** One attempt at a step, with everything needed to start its agent one or more times. */
export interface AgentAttempt {
  readonly step: AgentStep;
  readonly effect: Extract<Effect, { kind: 'run_agent' }>;
  readonly agent: Agent;
  readonly settings: AgentSettings;
  readonly prepared: PreparedAttempt;
  readonly evidence: Evidence;
  /** Null for an agent without sessions. */
  readonly session: { readonly earlier: EarlierSession | null; readonly prompt: string } | null;
  readonly request: Omit<
    AgentRequest,
    'session' | 'evidenceDir' | 'timeoutMs' | 'signal' | 'mark' | 'onUsage'
  >;
}

/** How a start of the agent ended, and its results. */
export interface FinishedStart {
  readonly count: number;
  readonly result: AgentResult & { readonly termination: Exclude<AgentResult['termination'], 'cancelled'> };
  readonly usage: Usage | null;
  readonly after: Snapshot;
  readonly changes: WorkspaceEvidence;
  readonly checked: CheckedStep;
}

/** The last start of an attempt. */
export interface AgentStart extends FinishedStart {
  /** What follows, apart from another start. */
  readonly move: Exclude<NextMove, { kind: 'retry' }>;
}

export interface AgentStarts {
  readonly last: AgentStart;
  /** The earlier starts, oldest first; each failed with a transient error. */
  readonly failed: readonly FinishedStart[];
}

/** Starts the agent, and restarts it after transient failures, each time from the same files. */
export async function runStarts(context: RunContext, entry: AgentAttempt): Promise<AgentStarts> {
  const { clock } = context.deps;
  const deadline = clock.now().getTime() + entry.step.timeoutMs;
  const failed: FinishedStart[] = [];
  for (let count = 1; ; count += 1) {
    const leftMs = Math.max(1, deadline - clock.now().getTime());
    const start = await startOnce(context, entry, count, leftMs);
    const move = chooseMove(context, entry, start, deadline);
    if (move.kind !== 'retry') return { last: addMove(start, move), failed };
    failed.push(start);
    await context.record([
      ...start.checked.records,
      runnerCompleted(entry, start),
      retryNote(entry, start, move.delayMs),
    ]);
    await clock.sleep(move.delayMs, context.signal);
    if (context.signal.aborted) throw new Interrupted();
    await restoreFiles(context, entry, count + 1);
  }
}

async function startOnce(
  context: RunContext,
  { step, effect, agent, settings, prepared, evidence, session, request }: AgentAttempt,
  count: number,
  timeoutMs: number,
): Promise<FinishedStart> {
  const { deps, workspace } = context;
  const watched = await watchStep(context, {
    stepId: step.id,
    policies: step.policies,
    before: prepared.before,
    sandboxed: request.confinement !== null,
  });
  const budget = watchBudget(context, step, settings.price);
  const ran = await agent.run({
    ...request,
    ...(session === null
      ? {}
      : {
          session: sessionRequest(context, sessionFolderOf(effect, count), session.earlier, session.prompt),
        }),
    evidenceDir: count === 1 ? evidence.path : `${evidence.path}/try@${count}`,
    timeoutMs,
    signal: budget.signal,
    mark: prepared.mark,
    onUsage: budget.onUsage,
  });
  const { usage, overspent } = await budget.close();
  await watched.settle();
  const result = overspent === null ? ran : markStopped(ran, overspent.message);
  const { termination } = result;
  const used = chooseUsage(addCost(result.result?.usage ?? null, settings.price), usage, overspent !== null);
  if (termination === 'cancelled') {
    await watched.reportInterrupted();
    // The usage counts against the budget even if the run is cancelled.
    if (used !== null)
      await context.record([runnerCompleted({ step, effect }, { count, result, usage: used })]);
    throw new Interrupted();
  }
  const afterName = `${step.id}@${effect.attempt}${count === 1 ? '' : `.try${count}`}.after`;
  const { after, oversize } = await watched.examine(() => snapshotAfter(context, prepared.before, afterName));
  const changes = await compareTrees(
    deps.workspace,
    workspace,
    { base: context.view().started.base_tree, before: prepared.before.tree, after: after.tree },
    `${evidence.path}/workspace.patch`,
  );
  const checked = await watched.check(changes.diff.files);
  return {
    count,
    result:
      oversize === null
        ? { ...result, termination, reason: reasonOf(result, step.agent) }
        : { ...result, termination: 'killed_policy', reason: oversize, failure: null },
    usage: used,
    after,
    changes,
    checked: { ...checked, found: [...(result.violations ?? []), ...checked.found] },
  };
}

/**
 * Takes a snapshot of the files that a start left. If they are too large, they are moved out of the workspace, which is
 * then restored: otherwise no later step, not even a rollback, could work there.
 */
async function snapshotAfter(
  { deps, workspace }: RunContext,
  before: Snapshot,
  name: string,
): Promise<{ after: Snapshot; oversize: string | null }> {
  try {
    return { after: await deps.workspace.snapshot(workspace, name), oversize: null };
  } catch (error) {
    if (!(error instanceof OversizedChange)) throw error;
    const restored = await deps.workspace.restore(
      workspace,
      { kind: 'snapshot', commit: before.commit },
      name,
    );
    return {
      after: restored.after,
      oversize: `the agent's change is too large: ${error.message}; conductor moved it to ${error.aside} and restored the workspace`,
    };
  }
}

/** If a step could not be parked, adds why to its reason. */
function addMove(start: FinishedStart, move: AgentStart['move']): AgentStart {
  if (move.kind === 'park' || move.reason === undefined) return { ...start, move };
  const { result } = start;
  const reason = [result.reason, move.reason].filter((text) => text !== null).join('; ');
  return { ...start, result: { ...result, reason }, move };
}

/** The agent's final usage counts; if it exceeded a budget, at least the usage that revealed it. */
function chooseUsage(last: Usage | null, before: Usage | null, isOverspent: boolean): Usage | null {
  return isOverspent ? mostUsage(last, before) : (last ?? before);
}

/** An agent that finished before the signal reached it keeps its result; the budget ends the run anyway. */
function markStopped(result: AgentResult, reason: string): AgentResult {
  return result.termination === 'cancelled' ? { ...result, termination: 'killed_policy', reason } : result;
}

/** The reason of a failure, with help for the user if there is any. */
function reasonOf({ failure, reason }: AgentResult, agent: string): string | null {
  if (failure == null) return reason;
  const what = reason ?? failure.message;
  const help = failure.help?.replace('agents test NAME', () => `agents test ${agent}`) ?? null;
  return help === null || what.includes(help) ? what : `${what}; ${help}`;
}

function chooseMove(
  context: RunContext,
  { settings, step }: AgentAttempt,
  { count, result, checked }: FinishedStart,
  deadline: number,
): NextMove {
  const { failure } = result;
  // A violation during one start counts for the whole step, however that start ended.
  if (result.termination !== 'error' || failure == null || checked.found.length > 0) return { kind: 'end' };
  const now = context.deps.clock.now().getTime();
  return chooseNextMove(failure, {
    nowMs: now,
    starts: count,
    retries: settings.retries,
    resetInMs: resetInMs(failure, now),
    leftMs: deadline - now,
    chance: context.deps.chance?.() ?? 0.5,
    parking: countParking(context, step.id),
  });
}

function resetInMs({ reset_at: resetAt }: AgentFailure, now: number): number | null {
  const at = resetAt === null ? Number.NaN : Date.parse(resetAt);
  return Number.isNaN(at) ? null : at - now;
}

function retryNote(
  { step }: AgentAttempt,
  { result: { failure } }: FinishedStart,
  delayMs: number,
): EventDraft {
  const why = failure == null ? '' : ` (${failure.class}: ${failure.message})`;
  const note = `agent "${step.agent}" of step "${step.id}" failed${why}; it is started again in ${Math.ceil(delayMs / 1_000)} s`;
  return { event_type: 'status_updated', step_id: step.id, payload: { note } };
}

/** Restores the files that the first start had; the changes of the failed one are salvaged. */
async function restoreFiles(
  context: RunContext,
  { step, effect, agent, prepared }: AgentAttempt,
  count: number,
): Promise<void> {
  const { before, mark } = prepared;
  const restored = await context.deps.workspace.restore(
    context.workspace,
    { kind: 'snapshot', commit: before.commit },
    `${step.id}@${effect.attempt}`,
  );
  await context.record([
    {
      event_type: 'salvage_recorded',
      step_id: step.id,
      payload: { ref: restored.salvageRef, commit: restored.before.commit, reason: 'retry' },
    },
    {
      event_type: 'runner_started',
      step_id: step.id,
      payload: {
        family: agent.family,
        name: step.agent,
        attempt: effect.attempt,
        mark,
        snapshot: before,
        try: count,
      },
    },
  ]);
}

export function runnerCompleted(
  { step, effect }: Pick<AgentAttempt, 'step' | 'effect'>,
  {
    count,
    result,
    usage,
  }: Pick<AgentStart, 'count' | 'usage'> & {
    readonly result: Pick<AgentResult, 'termination' | 'exitCode' | 'durationMs' | 'failure'>;
  },
): EventDraft {
  return {
    event_type: 'runner_completed',
    step_id: step.id,
    payload: {
      name: step.agent,
      attempt: effect.attempt,
      termination: result.termination,
      exit_code: result.exitCode,
      duration_ms: result.durationMs,
      usage,
      ...(count === 1 ? {} : { try: count }),
      ...(result.failure == null ? {} : { failure: result.failure.class }),
    },
  };
}
