import type { SubmittedRun } from '../../contracts/run/submission.ts';
import type { Plan } from '../../kernel/plan.ts';
import type { Claim } from '../../ports/engine.ts';
import type { DrivenRun, NewRun, RunStore, Wake } from '../../ports/run-store.ts';
import type { DriveEnd } from '../../runtime/drive/drive.ts';
import { resumeRun } from '../../runtime/drive/resume-run.ts';
import { startRun } from '../../runtime/drive/start-run.ts';
import { defaultsToRecord, readRecordedPlan } from '../../runtime/record/recorded-run.ts';
import { viewRun } from '../../runtime/record/run-view.ts';
import type { RunDeps, RunObserver } from '../../runtime/run-context.ts';
import { messageOf } from '../../text/error-message.ts';
import { checkRunnable, type RunnableWorkflow } from '../drive/check-runnable.ts';
import { explainResumeProblem } from '../drive/resume-run.ts';
import type { OpenProject } from '../opened.ts';
import { readSubmission } from './submit-run.ts';

export interface ClaimRequest {
  readonly claim: Claim;
  /** Aborting interrupts the run; another worker continues it. */
  readonly signal: AbortSignal;
  readonly observer: RunObserver;
  /** Why this worker may not execute this workflow; null if its user trusts it. */
  readonly refusePlan: (plan: Plan, workflowText: string) => Promise<string | null>;
  /** When the run is due again after a failure, in milliseconds since the epoch. */
  readonly retryAtMs: (nowMs: number) => number;
}

export type ClaimEnd =
  | { readonly kind: 'driven'; readonly end: DriveEnd }
  /** The run is as it was, apart from what its log records. */
  | { readonly kind: 'failed'; readonly message: string; readonly retryAt: string };

/** Starts or continues a run that this worker has taken from the queue, and gives up the right to drive it. */
export async function driveClaim(project: OpenProject, request: ClaimRequest): Promise<ClaimEnd> {
  const { claim, signal } = request;
  const nowMs = (await claim.run.inbox.now()).getTime();
  const retryAt = new Date(request.retryAtMs(nowMs)).toISOString();
  const later: Wake = { kind: 'after', time: retryAt };
  let isReleased = false;
  const release = async (wake: Wake) => {
    if (isReleased) return;
    isReleased = true;
    await claim.run.release(wake);
  };
  const run: NewRun = {
    ...claim.run,
    // Only a worker that is told to stop gives a run back at once; after any other failure, the run waits.
    release: (wake = { kind: 'now' }) => release(wake.kind === 'now' && !signal.aborted ? later : wake),
    // The run stays submitted: another worker may be able to start it.
    discard: () => release(later),
  };
  try {
    const end = await (run.events.length === 0
      ? startClaimed(project, request, run)
      : continueClaimed(project, request, run));
    if (typeof end !== 'string') return { kind: 'driven', end };
    return { kind: 'failed', message: end, retryAt };
  } catch (error) {
    return { kind: 'failed', message: messageOf(error), retryAt };
  } finally {
    await release(signal.aborted ? { kind: 'now' } : later);
  }
}

/** How a run ended, or why it could not be driven. */
type Driven = DriveEnd | string;

async function startClaimed(project: OpenProject, request: ClaimRequest, run: NewRun): Promise<Driven> {
  const submitted = readSubmission(request.claim.request);
  if (submitted === null) return 'it was submitted by another version of conductor';
  const prepared = prepareSubmitted(project, submitted);
  if (typeof prepared === 'string') return prepared;
  const refusal = await request.refusePlan(prepared.plan, submitted.workflow);
  if (refusal !== null) return refusal;
  await project.hub?.fetchBase(run.directory.runId, submitted.base_sha);
  const started = await startRun({
    deps: createDeps(project, run, submitted),
    ids: { newRunId: () => run.directory.runId },
    plan: prepared.plan,
    workflowText: prepared.bytes,
    defaults: defaultsToRecord(project.context.defaults),
    baseRef: submitted.base_ref,
    inputs: submitted.inputs,
    title: submitted.title,
    ...(submitted.issue === undefined ? {} : { issue: submitted.issue }),
    baseline: submitted.baseline,
    wait: false,
    signal: request.signal,
    observer: request.observer,
    onGate: null,
    onCreated: () => {},
  });
  return started.ok ? started.end : started.obstacles.map(({ message }) => message).join('; ');
}

function prepareSubmitted(
  project: OpenProject,
  { workflow, inputs }: SubmittedRun,
): RunnableWorkflow | string {
  const bytes = new TextEncoder().encode(workflow);
  const prepared = checkRunnable(project, { name: 'workflow.yaml', path: 'workflow.yaml', bytes }, inputs);
  if (prepared.ok) return prepared;
  const first = prepared.checked.diagnostics.find(({ severity }) => severity === 'error');
  return `its workflow is not valid here: ${prepared.unused?.message ?? first?.message ?? ''}`;
}

async function continueClaimed(project: OpenProject, request: ClaimRequest, run: NewRun): Promise<Driven> {
  const { runId } = run.directory;
  const view = viewRun(run.events);
  const recorded = view === null ? null : await readRecordedPlan(run.directory, view);
  if (recorded?.ok === true) {
    const text = (await run.directory.read('workflow.yaml')) ?? '';
    const refusal = await request.refusePlan(recorded.plan, text);
    if (refusal !== null) return refusal;
  }
  if (view !== null) await project.hub?.fetchBase(runId, view.started.base_sha);
  const resumed = await resumeRun({
    deps: createDeps(project, run, null),
    runId,
    wait: false,
    signal: request.signal,
    observer: request.observer,
    onGate: null,
    onPlan: () => {},
  });
  return resumed.ok ? resumed.end : explainResumeProblem(runId, resumed.problem).message;
}

/** The project's dependencies, for this run: the store hands out the run that this worker has already taken. */
function createDeps({ deps, hub }: OpenProject, run: NewRun, submitted: SubmittedRun | null): RunDeps {
  let current: DrivenRun = run;
  let isTaken = false;
  const store: RunStore = {
    ...deps.store,
    create: async () => {
      isTaken = true;
      return run;
    },
    drive: async (runId) => {
      if (runId === run.directory.runId && !isTaken) {
        isTaken = true;
        return { ok: true, run };
      }
      const driven = await deps.store.drive(runId);
      if (driven.ok) current = driven.run;
      return driven;
    },
  };
  const shared =
    hub?.share(deps.workspace, {
      lease: () => current.lease,
      snapshot: () => viewRun(current.events)?.state.snapshot ?? null,
    }) ?? deps.workspace;
  // The name of the base may mean another commit in this clone.
  const workspace =
    submitted === null
      ? shared
      : { ...shared, resolveBase: () => deps.workspace.resolveBase(submitted.base_sha) };
  return { ...deps, store, workspace };
}
