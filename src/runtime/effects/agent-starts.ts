import { type NextMove, nextMove } from '../../agents/next-move.ts';
import { mostUsage, priced } from '../../agents/prices.ts';
import type { AgentFailure } from '../../contracts/agent-failure.ts';
import type { Usage } from '../../contracts/agent-result.ts';
import type { EventDraft } from '../../contracts/event.ts';
import { OversizedChange } from '../../contracts/oversized-change.ts';
import type { AgentStep } from '../../kernel/plan.ts';
import type { Effect } from '../../kernel/protocol.ts';
import type { Agent, AgentRequest, AgentResult } from '../../ports/agent.ts';
import type { Snapshot } from '../../ports/workspace.ts';
import type { Evidence } from '../evidence.ts';
import { type AgentCare, Interrupted, type RunContext } from '../run-context.ts';
import { compareTrees, type WorkspaceEvidence } from '../workspace-evidence.ts';
import { type CheckedStep, watchStep } from './check-step.ts';
import { type EarlierSession, sessionFolderOf, sessionRequest } from './choose-session.ts';
import { parkingOf } from './park-step.ts';
import type { PreparedEntry } from './prepare-entry.ts';
import { watchBudget } from './watch-budget.ts';

/** An entry of a step with all it takes to start its agent, once or more often. */
export interface AgentEntry {
  readonly step: AgentStep;
  readonly effect: Extract<Effect, { kind: 'run_agent' }>;
  readonly agent: Agent;
  readonly care: AgentCare;
  readonly prepared: PreparedEntry;
  readonly evidence: Evidence;
  /** Null for an agent that keeps no session. */
  readonly session: { readonly earlier: EarlierSession | null; readonly prompt: string } | null;
  readonly request: Omit<
    AgentRequest,
    'session' | 'evidenceDir' | 'timeoutMs' | 'signal' | 'mark' | 'onUsage'
  >;
}

/** How the last start ended, and what it left. */
export interface AgentStart {
  readonly count: number;
  readonly result: AgentResult & { readonly termination: Exclude<AgentResult['termination'], 'cancelled'> };
  readonly usage: Usage | null;
  readonly after: Snapshot;
  readonly changes: WorkspaceEvidence;
  readonly checked: CheckedStep;
  /** What is to follow, apart from another start. */
  readonly move: Exclude<NextMove, { kind: 'retry' }>;
}

export interface AgentStarts {
  readonly last: AgentStart;
  /** The starts before it, oldest first; each failed in a way that may pass. */
  readonly failed: readonly Omit<AgentStart, 'move'>[];
}

/** Starts the agent, and again while it fails in a way that may pass, each time from the same files. */
export async function runStarts(context: RunContext, entry: AgentEntry): Promise<AgentStarts> {
  const { clock } = context.deps;
  const deadline = clock.now().getTime() + entry.step.timeoutMs;
  const failed: Omit<AgentStart, 'move'>[] = [];
  for (let count = 1; ; count += 1) {
    const leftMs = Math.max(1, deadline - clock.now().getTime());
    const start = await startOnce(context, entry, count, leftMs);
    const move = moveAfter(context, entry, start, deadline);
    if (move.kind !== 'retry') return { last: endedBy(start, move), failed };
    failed.push(start);
    await context.record([
      ...start.checked.records,
      runnerCompleted(entry, start),
      retryNote(entry, start, move.delayMs),
    ]);
    await clock.sleep(move.delayMs, context.signal);
    if (context.signal.aborted) throw new Interrupted();
    await putBack(context, entry, count + 1);
  }
}

async function startOnce(
  context: RunContext,
  { step, effect, agent, care, prepared, evidence, session, request }: AgentEntry,
  count: number,
  timeoutMs: number,
): Promise<Omit<AgentStart, 'move'>> {
  const { deps, workspace } = context;
  const watched = await watchStep(context, {
    stepId: step.id,
    policies: step.policies,
    before: prepared.before,
    sandboxed: request.confinement !== null,
  });
  const budget = watchBudget(context, step, care.price);
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
  const result = overspent === null ? ran : stoppedFor(ran, overspent.message);
  const { termination } = result;
  const used = usedBy(priced(result.result?.usage ?? null, care.price), usage, overspent !== null);
  if (termination === 'cancelled') {
    await watched.reportInterrupted();
    // What it used is spent, whatever becomes of the run.
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
 * The files that a start left. If they are too much for a snapshot, they are moved out of the workspace, which is then as it
 * was before: otherwise no later step, not even a rollback, could work there.
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

/** A step that may not be parked says so in its reason. */
function endedBy(start: Omit<AgentStart, 'move'>, move: AgentStart['move']): AgentStart {
  if (move.kind === 'park' || move.reason === undefined) return { ...start, move };
  const { result } = start;
  const reason = [result.reason, move.reason].filter((text) => text !== null).join('; ');
  return { ...start, result: { ...result, reason }, move };
}

/** Its last word counts; of one that went past a budget, never less than what made that known. */
function usedBy(last: Usage | null, before: Usage | null, isOverspent: boolean): Usage | null {
  return isOverspent ? mostUsage(last, before) : (last ?? before);
}

/** One that was done before the signal reached it has done its work; the budget ends the run all the same. */
function stoppedFor(result: AgentResult, reason: string): AgentResult {
  return result.termination === 'cancelled' ? { ...result, termination: 'killed_policy', reason } : result;
}

/** With what a person can do about it, where somebody knows. */
function reasonOf({ failure, reason }: AgentResult, agent: string): string | null {
  if (failure == null) return reason;
  const what = reason ?? failure.message;
  const help = failure.help?.replace('agents test NAME', () => `agents test ${agent}`) ?? null;
  return help === null || what.includes(help) ? what : `${what}; ${help}`;
}

function moveAfter(
  context: RunContext,
  { care, step }: AgentEntry,
  { count, result, checked }: Omit<AgentStart, 'move'>,
  deadline: number,
): NextMove {
  const { failure } = result;
  // A violation of one start counts for the step, however the start ended.
  if (result.termination !== 'error' || failure == null || checked.found.length > 0) return { kind: 'end' };
  const now = context.deps.clock.now().getTime();
  return nextMove(failure, {
    nowMs: now,
    starts: count,
    retries: care.retries,
    resetInMs: resetInMs(failure, now),
    leftMs: deadline - now,
    chance: context.deps.chance?.() ?? 0.5,
    parking: parkingOf(context, step.id),
  });
}

function resetInMs({ reset_at: resetAt }: AgentFailure, now: number): number | null {
  const at = resetAt === null ? Number.NaN : Date.parse(resetAt);
  return Number.isNaN(at) ? null : at - now;
}

function retryNote(
  { step }: AgentEntry,
  { result: { failure } }: Omit<AgentStart, 'move'>,
  delayMs: number,
): EventDraft {
  const why = failure == null ? '' : ` (${failure.class}: ${failure.message})`;
  const note = `agent "${step.agent}" of step "${step.id}" failed${why}; it is started again in ${Math.ceil(delayMs / 1_000)} s`;
  return { event_type: 'status_updated', step_id: step.id, payload: { note } };
}

/** Another start gets the files that the first one got; what the failed one did is kept aside. */
async function putBack(
  context: RunContext,
  { step, effect, agent, prepared }: AgentEntry,
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
  { step, effect }: Pick<AgentEntry, 'step' | 'effect'>,
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
