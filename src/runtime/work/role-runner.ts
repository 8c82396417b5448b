import * as z from 'zod';
import type { RunEnd } from '../../kernel/state.ts';
import { roleWordsOf } from '../../planner/role-words.ts';
import type { RevisionReader } from '../../ports/revision-reader.ts';
import type { ResumableRoleRunner, RoleState } from '../../ports/role-runner.ts';
import type { RunRecord } from '../../ports/run-store.ts';
import { parseJson } from '../../text/json.ts';
import type { RoleEnd, RoleRequest, RoleSubject } from '../../work/role.ts';
import { type RevisionFiles, roleInputs } from '../../work/role-inputs.ts';
import { type RoleChecks, roleResultOf } from '../../work/role-result.ts';
import { cancelRun } from '../cancel-run.ts';
import type { DriveEnd } from '../drive.ts';
import { readAnswer } from '../gates.ts';
import { type ScopeVerdict, scopeWarnings } from '../judge-scope.ts';
import type { Obstacle } from '../obstacle.ts';
import { defaultsToRecord } from '../recorded-run.ts';
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
  /** Holds a patch against the scope of an item. */
  readonly judgePatch: JudgePatch;
  readonly observe?: (subject: RoleSubject) => RunObserver;
}

export type JudgePatch = (question: {
  readonly body: string;
  readonly base: string;
  readonly patch: string;
  readonly summary: string;
}) => Promise<PatchJudgement>;

export type PatchJudgement =
  | { readonly ok: true; readonly verdict: ScopeVerdict }
  | { readonly ok: false; readonly reason: string };

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
    judge: (runId, subject, result) => look(deps, runId, subject, { result }),
    resume: async (runId, subject, signal) => {
      await stayWith(deps, subject, runId, signal, await takeUp(deps, subject, runId, signal));
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
  const subject = subjectOf(request);
  const warnings = await warningsOf(deps, request, base, work);
  const inputs = roleInputs(request, base, work, warnings);
  const document = await workflow(request.role, Object.keys(inputs));
  if (!document.ok) return document;
  const started = await startRun({
    ...drivenBy(deps, subject, signal),
    ids: project.ids,
    plan: document.plan,
    workflowText: document.text,
    baseRef,
    inputs,
    defaults: defaultsToRecord(project.context.defaults),
    ...(request.role === 'reviewer' ? { title: `Review: ${request.item.item.title}` } : {}),
    ...(request.role === 'implementor'
      ? { branch: itemBranch(request.item.item.id), forbiddenPaths: request.forbidden }
      : {}),
    admit: onAccepted,
    onCreated: () => {},
  });
  if (!started.ok) return started;
  await stayWith(deps, subject, started.runId, signal, started.end);
  return { ok: true, runId: started.runId };
}

/** A gate is left to people: whoever answers it, or looks after it, takes the run up again. */
function drivenBy({ project, observe }: RoleRunnerDeps, subject: RoleSubject, signal: AbortSignal) {
  const observer = observe?.(subject) ?? SILENT;
  return { deps: project.deps, wait: false, signal, observer, onGate: null };
}

async function takeUp(
  deps: RoleRunnerDeps,
  subject: RoleSubject,
  runId: string,
  signal: AbortSignal,
): Promise<DriveEnd | null> {
  const resumed = await resumeRun({ ...drivenBy(deps, subject, signal), runId, onPlan: () => {} });
  return resumed.ok ? resumed.end : null;
}

/** Sits out the times for which a spent account parks the run. */
async function stayWith(
  deps: RoleRunnerDeps,
  subject: RoleSubject,
  runId: string,
  signal: AbortSignal,
  first: DriveEnd | null,
): Promise<void> {
  const { clock } = deps.project;
  for (let end = first; end?.kind === 'parked'; end = await takeUp(deps, subject, runId, signal)) {
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

async function look(
  deps: RoleRunnerDeps,
  runId: string,
  subject: RoleSubject,
  brought: { readonly result: unknown } | null = null,
): Promise<RoleState> {
  const read = await deps.project.store.read(runId);
  if (!read.ok)
    return lost(read.problem.kind === 'missing' ? 'it has no record' : `its record: ${read.problem.message}`);
  const { run } = read;
  const view = viewRun(run.events);
  if (view !== null && hasEnded(view)) {
    const evidence = await readRoleEvidence(run, view, subject.role, deps.reader);
    const stranger = brought === null ? null : strangerTo(view, subject);
    if (stranger !== null) return { kind: 'ended', end: { ok: false, reason: stranger } };
    const heard =
      brought === null ? evidence : { ...evidence, words: roleWordsOf(brought.result), notes: [] };
    return { kind: 'ended', end: await inScope(deps, subject, roleResultOf(subject, heard, deps.checks)) };
  }
  if (run.driverPid !== null) return { kind: 'driven' };
  if (view === null) return lost('it never started');
  return (await waitOf(run, view, deps.project.clock.now())) ?? lost('nobody drives it');
}

/** Why the run proves nothing about this item; null where it was started for it. */
function strangerTo({ started }: RunView, subject: RoleSubject): string | null {
  if (subject.role === 'planner') return null;
  const { id } = subject.item.item;
  const item = itemSchema.safeParse(parseJson(started.inputs.item ?? ''));
  if (!item.success) return `is held against a run that was started for no item, and not for item ${id}`;
  if (item.data.id !== id) return `is held against a run of item ${item.data.id}, and not of item ${id}`;
  const head = subject.role === 'reviewer' ? subject.head : undefined;
  if (head === undefined) return null;
  const reviewed = revisionSchema.safeParse(parseJson(started.inputs.revision ?? '')).data?.head_sha;
  if (reviewed === head) return null;
  const what = reviewed === undefined ? 'a run that reviewed nothing' : `a review of ${reviewed.slice(0, 7)}`;
  return `is held against ${what}, and the revision of item ${id} is at ${head.slice(0, 7)}`;
}

const itemSchema = z.looseObject({ id: z.string() });
const revisionSchema = z.looseObject({ head_sha: z.string() });

/** Where a file is touched that nobody answers for, nothing is completed: it is told, and never dropped in silence. */
async function inScope(deps: RoleRunnerDeps, subject: RoleSubject, end: RoleEnd): Promise<RoleEnd> {
  if (!end.ok || !('base' in end) || subject.role !== 'implementor' || end.result.patch === null) return end;
  const { patch, summary } = end.result;
  const judged = await deps.judgePatch({ body: subject.item.body, base: end.base, patch, summary });
  if (!judged.ok) return { ok: false, reason: `says completed, but ${judged.reason}` };
  const outside = judged.verdict.files.filter(
    ({ class: kind }) => kind === 'unlisted' || kind === 'out_of_scope',
  );
  if (outside.length === 0) return end;
  const told = outside.map(({ path, reason }) => `${path}: ${reason}`).join('; ');
  return { ok: false, reason: `says completed, but changed what is not in its scope: ${told}` };
}

/** For a reviewer, what is outside the scope is a list of warnings. */
async function warningsOf(
  deps: RoleRunnerDeps,
  request: RoleRequest,
  base: string,
  work: RevisionFiles | null,
): Promise<readonly string[]> {
  if (request.role !== 'reviewer' || work === null) return [];
  const { body: summary } = request.revision;
  const judged = await deps.judgePatch({ body: request.item.body, base, patch: work.patch, summary });
  return judged.ok ? scopeWarnings(judged.verdict.files) : [`[Warning] ${judged.reason}`];
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

/** A run that is gone, never started or has ended has nothing left to cancel. */
async function cancel({ project }: RoleRunnerDeps, runId: string): Promise<void> {
  const read = await project.store.read(runId);
  const view = read.ok ? viewRun(read.run.events) : null;
  if (!read.ok || view === null || view.end !== null) return;
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
