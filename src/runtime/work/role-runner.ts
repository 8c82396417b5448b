import * as z from 'zod';
import { nameDriver } from '../../contracts/run/run-lease.ts';
import type { RunEnd } from '../../kernel/state.ts';
import { findRoleResult } from '../../planner/claims/role-claims.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ids, RunRecord, RunStore } from '../../ports/run-store.ts';
import type { RevisionReader } from '../../ports/work/revisions.ts';
import type { ResultCheckingRunner, RoleState } from '../../ports/work/role-runner.ts';
import { parseJson } from '../../text/json.ts';
import type { RoleEnd, RoleRequest, RoleSubject } from '../../work/engine/role.ts';
import { buildRoleInputs, type RevisionFiles } from '../../work/engine/role-inputs.ts';
import type { StackConflict } from '../../work/items/state.ts';
import { determineResult, type RoleChecks, type RoleEvidence } from '../../work/results/role-result.ts';
import type { CheckContext } from '../../workflow/rule.ts';
import { cancelRun } from '../drive/cancel-run.ts';
import { resumeRun } from '../drive/resume-run.ts';
import { startRun } from '../drive/start-run.ts';
import { formatScopeWarnings, type PatchClassifier } from '../evidence/classify-patch.ts';
import { readAnswer } from '../gates/open-gates.ts';
import type { Obstacle } from '../obstacle.ts';
import { defaultsToRecord } from '../record/recorded-run.ts';
import { findParked, type RunView, viewRun } from '../record/run-view.ts';
import type { RunDeps, RunObserver } from '../run-context.ts';
import { readRoleEvidence } from './role-record.ts';
import { findStart, type RoleStart } from './role-start.ts';
import type { RoleWorkflow } from './role-workflow.ts';

export interface RoleRunnerDeps {
  readonly project: {
    readonly deps: RunDeps;
    readonly ids: Ids;
    readonly context: CheckContext;
    readonly store: RunStore;
    readonly clock: Clock;
  };
  readonly reader: RevisionReader;
  readonly checks: RoleChecks;
  /** The workflow of a role's run, or the obstacles. */
  readonly workflow: (role: RoleRequest['role'], inputs: readonly string[]) => Promise<RoleWorkflow>;
  /** Checks a patch against the scope of an item. */
  readonly classifyPatch: PatchClassifier;
  readonly observe?: (subject: RoleSubject) => RunObserver;
}

const SILENT: RunObserver = { onEvents: () => {}, onLine: () => {} };

/** Runs roles as workflow runs. Any process can read the result of a run from its record. */
export function createRoleRunner(deps: RoleRunnerDeps): ResultCheckingRunner {
  return {
    run: async (request, onAccepted, signal) => {
      const start = await findStart(deps.reader, request);
      if (!start.ok) return describeFailedStart([start.obstacle], start.conflict);
      const driven = await driveRole(deps, request, start, onAccepted, signal);
      return driven.ok
        ? lookAtRun(deps, driven.runId, describeSubject(request))
        : describeFailedStart(driven.obstacles);
    },
    readState: (runId, subject) => lookAtRun(deps, runId, subject),
    checkResult: (runId, subject, result) => lookAtRun(deps, runId, subject, { result }),
    resume: async (runId, subject, signal) => {
      await resumeRun({ ...driveOptions(deps, subject, signal), runId, onPlan: () => {} });
      return lookAtRun(deps, runId, subject);
    },
    cancel: (runId, reason) => cancel(deps, runId, reason),
  };
}

type Driven =
  | { readonly ok: true; readonly runId: string }
  | { readonly ok: false; readonly obstacles: readonly Obstacle[] };

async function driveRole(
  deps: RoleRunnerDeps,
  request: RoleRequest,
  start: Extract<RoleStart, { ok: true }>,
  onAccepted: (runId: string) => Promise<void>,
  signal: AbortSignal,
): Promise<Driven> {
  const { project, workflow } = deps;
  const subject = describeSubject(request);
  const warnings = await findScopeWarnings(deps, request, start.base, start.work);
  const inputs = buildRoleInputs(request, start, warnings);
  const document = await workflow(request.role, Object.keys(inputs));
  if (!document.ok) return document;
  const started = await startRun({
    ...driveOptions(deps, subject, signal),
    ids: project.ids,
    plan: document.plan,
    workflowText: document.text,
    baseRef: start.baseRef,
    inputs,
    defaults: defaultsToRecord(project.context.defaults),
    ...(request.role === 'reviewer' ? { title: `Review: ${request.item.item.title}` } : {}),
    ...(request.role === 'implementor'
      ? { branch: itemBranch(request.item.item.id), forbiddenPaths: request.forbidden }
      : {}),
    admit: onAccepted,
    onCreated: () => {},
  });
  return started.ok ? { ok: true, runId: started.runId } : started;
}

/**
 * Doesn't wait at gates, nor while an agent's account is exhausted: the run is resumed by the process that sees the answer,
 * or that the time is over.
 */
function driveOptions({ project, observe }: RoleRunnerDeps, subject: RoleSubject, signal: AbortSignal) {
  const observer = observe?.(subject) ?? SILENT;
  return { deps: project.deps, wait: false, signal, observer, onGate: null };
}

function itemBranch(id: string): string {
  return `conductor/item/${id}`;
}

function describeSubject(request: RoleRequest): RoleSubject {
  return request.role === 'planner'
    ? { role: request.role, items: request.items }
    : { role: request.role, item: request.item };
}

function describeFailedStart(
  obstacles: readonly Obstacle[],
  conflict: StackConflict | null = null,
): RoleState {
  const descriptions = obstacles.map(({ message, help }) =>
    help === null ? message : `${message} (${help})`,
  );
  const reason = `the run can't start: ${descriptions.join('; ')}`;
  return { kind: 'lost', reason, ...(conflict === null ? {} : { conflict }) };
}

async function lookAtRun(
  deps: RoleRunnerDeps,
  runId: string,
  subject: RoleSubject,
  supplied: { readonly result: unknown } | null = null,
): Promise<RoleState> {
  const read = await deps.project.store.read(runId);
  if (!read.ok)
    return lost(
      read.problem.kind === 'missing'
        ? 'it has no record'
        : `its record can't be read: ${read.problem.message}`,
    );
  const { run } = read;
  const view = viewRun(run.events);
  if (view !== null && hasEnded(view)) {
    const evidence = await readRoleEvidence(run, view, subject.role, deps.reader);
    const mismatch = supplied === null ? null : findMismatch(view, subject);
    if (mismatch !== null) return { kind: 'ended', end: { ok: false, reason: mismatch } };
    const considered: RoleEvidence =
      supplied === null ? evidence : { ...evidence, claimed: findRoleResult(supplied.result), notes: [] };
    return {
      kind: 'ended',
      end: await refuseOutOfScope(deps, subject, determineResult(subject, considered, deps.checks)),
    };
  }
  if (run.driver !== null) return { kind: 'driven' };
  if (view === null) return lost('it never started');
  return (await findWait(run, view, deps.project.clock.now())) ?? lost('no process drives it');
}

/** Why the run is not evidence for this item; null if it was started for it. */
function findMismatch({ started }: RunView, subject: RoleSubject): string | null {
  if (subject.role === 'planner') return null;
  const { id } = subject.item.item;
  const item = itemSchema.safeParse(parseJson(started.inputs.item ?? ''));
  if (!item.success) return `is checked against a run that was not started for an item; expected item ${id}`;
  if (item.data.id !== id) return `is checked against a run of item ${item.data.id}; expected item ${id}`;
  const head = subject.role === 'reviewer' ? subject.head : undefined;
  if (head === undefined) return null;
  const reviewed = revisionSchema.safeParse(parseJson(started.inputs.revision ?? '')).data?.head_sha;
  if (reviewed === head) return null;
  const what = reviewed === undefined ? 'a run without a review' : `a review of ${reviewed.slice(0, 7)}`;
  return `is checked against ${what}; the revision of item ${id} is at ${head.slice(0, 7)}`;
}

const itemSchema = z.looseObject({ id: z.string() });
const revisionSchema = z.looseObject({ head_sha: z.string() });

/** Refuses a result that changes files outside the scope, with the files as the reason. */
async function refuseOutOfScope(deps: RoleRunnerDeps, subject: RoleSubject, end: RoleEnd): Promise<RoleEnd> {
  if (!end.ok || !('base' in end) || subject.role !== 'implementor' || end.result.patch === null) return end;
  const { patch, summary } = end.result;
  const { body, extensions = [] } = subject.item;
  const classified = await deps.classifyPatch({ body, extensions, base: end.base, patch, summary });
  if (!classified.ok) return { ok: false, reason: `says completed, but ${classified.reason}` };
  const outside = classified.verdict.files.filter(
    ({ class: kind }) => kind === 'unlisted' || kind === 'out_of_scope',
  );
  if (outside.length === 0) return end;
  const descriptions = outside.map(({ path, reason }) => `${path}: ${reason}`).join('; ');
  return { ok: false, reason: `says completed, but changed files outside its scope: ${descriptions}` };
}

/** A reviewer gets files outside the scope as warnings. */
async function findScopeWarnings(
  deps: RoleRunnerDeps,
  request: RoleRequest,
  base: string,
  work: RevisionFiles | null,
): Promise<readonly string[]> {
  if (request.role !== 'reviewer' || work === null) return [];
  const { body: summary } = request.revision;
  const { body, extensions = [] } = request.item;
  const classified = await deps.classifyPatch({ body, extensions, base, patch: work.patch, summary });
  return classified.ok ? formatScopeWarnings(classified.verdict.files) : [`[Warning] ${classified.reason}`];
}

function hasEnded(view: RunView): view is RunView & { readonly end: RunEnd } {
  return view.end !== null;
}

async function findWait({ inbox }: RunRecord, view: RunView, now: Date): Promise<RoleState | null> {
  const { awaiting } = view;
  if (awaiting !== null) {
    const reason = `waiting for approval at gate \`${awaiting.stepId}\`: ${awaiting.reason}`;
    const isDue = (await readAnswer(inbox, awaiting)) !== null;
    return { kind: 'waiting', reason, gate: awaiting.stepId, ...(isDue ? { isDue } : {}) };
  }
  const parked = findParked(view);
  if (parked === null) return null;
  const { until } = parked;
  const isDue = Date.parse(until) <= now.getTime();
  const reason = `parked until ${until}: ${parked.reason}`;
  return { kind: 'waiting', reason, until, ...(isDue ? { isDue } : {}) };
}

function lost(reason: string): RoleState {
  return { kind: 'lost', reason };
}

/** Does nothing if the run is gone, never started or has ended. */
async function cancel({ project }: RoleRunnerDeps, runId: string, reason: string): Promise<void> {
  const read = await project.store.read(runId);
  const view = read.ok ? viewRun(read.run.events) : null;
  if (!read.ok || view === null || view.end !== null) return;
  const result = await cancelRun({
    record: read.run,
    store: project.store,
    clock: project.clock,
    request: { by: 'conductor work', reason },
    openDeps: () => Promise.resolve(project.deps),
  });
  if (result.kind === 'driven')
    throw new Error(`run ${runId} is still stopping: ${nameDriver(result.driver)} drives it`);
}
