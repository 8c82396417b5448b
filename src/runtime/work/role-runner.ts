import type { RunEnd } from '../../kernel/state.ts';
import type { RevisionReader } from '../../ports/revision-reader.ts';
import type { ResumableRoleRunner, RoleState } from '../../ports/role-runner.ts';
import type { RunRecord } from '../../ports/run-store.ts';
import type { RoleRequest, RoleSubject } from '../../work/role.ts';
import { roleInputs } from '../../work/role-inputs.ts';
import { type RoleChecks, roleResultOf } from '../../work/role-result.ts';
import { cancelRun } from '../cancel-run.ts';
import type { DriveEnd } from '../drive.ts';
import { readAnswer } from '../gates.ts';
import type { Obstacle } from '../obstacle.ts';
import { resumeRun } from '../resume-run.ts';
import type { RunObserver } from '../run-context.ts';
import { parkedView, type RunView, viewRun } from '../run-view.ts';
import type { OpenProject } from '../services.ts';
import { startRun } from '../start-run.ts';
import { readRoleEvidence } from './role-record.ts';
import { findStart, type RoleStart } from './role-start.ts';
import type { RoleWorkflow } from './role-workflow.ts';

export interface RoleRunnerDeps {
  readonly project: Pick<OpenProject, 'deps' | 'ids' | 'context' | 'store' | 'clock'>;
  readonly reader: RevisionReader;
  readonly checks: RoleChecks;
  /** The document that a role's run executes, or what stands in its way. */
  readonly workflow: (role: RoleRequest['role'], inputs: readonly string[]) => Promise<RoleWorkflow>;
  readonly observer?: RunObserver;
}

/** Somebody sleeps until the time of a parked run, and wakes up a moment later. */
const WAKING_MS = 60_000;

const SILENT: RunObserver = { onEvents: () => {}, onLine: () => {} };

/** Has roles work as workflow runs. What a run came to is read from its record, by whoever looks. */
export function createRoleRunner(deps: RoleRunnerDeps): ResumableRoleRunner {
  return {
    run: async (request, onAccepted, signal) => {
      const start = await findStart(deps.reader, request);
      if (!start.ok) return neverStarted([start.obstacle]);
      const driven = await driveRole(deps, request, start, onAccepted, signal);
      return driven.ok ? look(deps, driven.runId, subjectOf(request)) : neverStarted(driven.obstacles);
    },
    look: (runId, subject) => look(deps, runId, subject),
    resume: async (runId, subject, signal) => {
      await stayWith(deps, runId, signal, await takeUp(deps, runId, signal));
      return look(deps, runId, subject);
    },
    cancel: (runId) => cancel(deps, runId),
  };
}

type Driven =
  | { readonly ok: true; readonly runId: string }
  | { readonly ok: false; readonly obstacles: readonly Obstacle[] };

async function driveRole(
  deps: RoleRunnerDeps,
  request: RoleRequest,
  { baseRef, base, work }: Extract<RoleStart, { ok: true }>,
  onAccepted: (runId: string) => Promise<void>,
  signal: AbortSignal,
): Promise<Driven> {
  const { project, workflow } = deps;
  const inputs = roleInputs(request, base, work);
  const document = await workflow(request.role, Object.keys(inputs));
  if (!document.ok) return document;
  const { timeoutMs, idleTimeoutMs, maxVisits } = project.context.defaults;
  const started = await startRun({
    ...drivenBy(deps, signal),
    ids: project.ids,
    plan: document.plan,
    workflowText: document.text,
    baseRef,
    inputs,
    defaults: { timeout_ms: timeoutMs, idle_timeout_ms: idleTimeoutMs, max_visits: maxVisits },
    ...(request.role === 'implementor'
      ? { branch: itemBranch(request.item.item.id), forbiddenPaths: request.forbidden }
      : {}),
    onCreated: onAccepted,
  });
  if (!started.ok) return started;
  await stayWith(deps, started.runId, signal, started.end);
  return { ok: true, runId: started.runId };
}

/** A gate is left to people: whoever answers it, or looks after it, takes the run up again. */
function drivenBy({ project, observer = SILENT }: RoleRunnerDeps, signal: AbortSignal) {
  return { deps: project.deps, wait: false, signal, observer, onGate: null };
}

async function takeUp(deps: RoleRunnerDeps, runId: string, signal: AbortSignal): Promise<DriveEnd | null> {
  const resumed = await resumeRun({ ...drivenBy(deps, signal), runId, onPlan: () => {} });
  return resumed.ok ? resumed.end : null;
}

/** Sits out the times for which a spent account parks the run. */
async function stayWith(
  deps: RoleRunnerDeps,
  runId: string,
  signal: AbortSignal,
  first: DriveEnd | null,
): Promise<void> {
  const { clock } = deps.project;
  for (let end = first; end?.kind === 'parked'; end = await takeUp(deps, runId, signal)) {
    await clock.sleep(Math.max(0, Date.parse(end.parked.until) - clock.now().getTime()), signal);
    if (signal.aborted) return;
  }
}

function itemBranch(id: string): string {
  return `conductor/item/${id}`;
}

function subjectOf(request: RoleRequest): RoleSubject {
  return request.role === 'planner'
    ? { role: request.role, items: request.items }
    : { role: request.role, item: request.item };
}

function neverStarted(obstacles: readonly Obstacle[]): RoleState {
  const told = obstacles.map(({ message, help }) => (help === null ? message : `${message} (${help})`));
  return { kind: 'lost', reason: `the run can't start: ${told.join('; ')}` };
}

async function look(deps: RoleRunnerDeps, runId: string, subject: RoleSubject): Promise<RoleState> {
  const read = await deps.project.store.read(runId);
  if (!read.ok)
    return lost(read.problem.kind === 'missing' ? 'it has no record' : `its record: ${read.problem.message}`);
  const { run } = read;
  const view = viewRun(run.events);
  if (view !== null && hasEnded(view)) {
    const evidence = await readRoleEvidence(run, view, subject.role, deps.reader);
    return { kind: 'ended', end: roleResultOf(subject, evidence, deps.checks) };
  }
  if (run.driverPid !== null) return { kind: 'driven' };
  if (view === null) return lost('it never started');
  return (await waitOf(run, view, deps.project.clock.now())) ?? lost('nobody drives it');
}

function hasEnded(view: RunView): view is RunView & { readonly end: RunEnd } {
  return view.end !== null;
}

async function waitOf({ directory }: RunRecord, view: RunView, now: Date): Promise<RoleState | null> {
  const { awaiting } = view;
  if (awaiting !== null) {
    const reason = `for a person at gate ${awaiting.stepId}: ${awaiting.reason}`;
    const answered = (await readAnswer(directory, awaiting)) !== null;
    return { kind: 'waiting', reason, ...(answered ? { answered } : {}) };
  }
  const parked = parkedView(view);
  if (parked === null || Date.parse(parked.until) + WAKING_MS < now.getTime()) return null;
  return { kind: 'waiting', reason: `until ${parked.until}: ${parked.reason}` };
}

function lost(reason: string): RoleState {
  return { kind: 'lost', reason };
}

/** A run that is gone or has ended has nothing left to cancel. */
async function cancel({ project }: RoleRunnerDeps, runId: string): Promise<void> {
  const read = await project.store.read(runId);
  if (!read.ok || viewRun(read.run.events)?.end != null) return;
  const result = await cancelRun({
    record: read.run,
    store: project.store,
    clock: project.clock,
    request: { by: 'conductor work', reason: null },
    deps: () => Promise.resolve(project.deps),
  });
  if (result.kind === 'driven')
    throw new Error(`process ${result.pid} drives run ${runId} and has not stopped it yet`);
}
