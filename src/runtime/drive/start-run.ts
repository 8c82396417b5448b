import { describeFailure, ExpectedFailure } from '../../contracts/expected-failure.ts';
import { ownValue } from '../../contracts/own-value.ts';
import { EVENT_SCHEMA_VERSION, type EventPayload } from '../../contracts/run/event.ts';
import { LeaseLost } from '../../contracts/run/run-lease.ts';
import { sha256Hex } from '../../node/sha256.ts';
import { maskSecrets } from '../../policy/secrets/secrets.ts';
import type { Ids, NewRun } from '../../ports/run-store.ts';
import type { RunWorkspace } from '../../ports/workspace/workspace.ts';
import type { Obstacle } from '../obstacle.ts';
import { initialMetadata, writeMetadata } from '../record/derived-files.ts';
import type { RunDeps } from '../run-context.ts';
import { type DriveEnd, type DriveRequest, driveRun, wakeAfter } from './drive.ts';
import { findPreflightObstacles } from './preflight.ts';
import { resumeAfterLoss } from './resume-run.ts';
import { withForbiddenPaths } from './run-override.ts';
import { runTitle } from './run-title.ts';

export interface StartRequest
  extends Pick<DriveRequest, 'deps' | 'plan' | 'wait' | 'signal' | 'observer' | 'onGate'> {
  readonly ids: Ids;
  /** The exact document, stored with the run. */
  readonly workflowText: Uint8Array;
  readonly baseRef: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly defaults: EventPayload<'run_started'>['defaults'];
  /** Title of the run; defaults to the task or the workflow's description. */
  readonly title?: string | null;
  /** The issue that the run is for. */
  readonly issue?: EventPayload<'run_started'>['issue'];
  /** False skips the baseline, regardless of the configuration. */
  readonly baseline?: boolean;
  /** The branch of the work item that the run is for; if missing, the run gets its own. */
  readonly branch?: string;
  /** Paths that the run must not change, in addition to those that its policies forbid. */
  readonly forbiddenPaths?: readonly string[];
  /**
   * Called once the run has its folder, before it touches a branch or anything else. If it throws, the run is discarded
   * and the error propagates.
   */
  readonly admit?: (runId: string) => Promise<void>;
  /** Called once, when the workspace exists and before the run's first step. */
  readonly onCreated: (runId: string) => void | Promise<void>;
}

export type StartResult =
  | { readonly ok: true; readonly runId: string; readonly end: DriveEnd }
  /** No run was created. */
  | { readonly ok: false; readonly obstacles: readonly Obstacle[] };

const RUN_FOLDER_HELP =
  'make the folder writable, move away what is in its place, or move runs with paths.runs in .tnh/config.yaml';

export async function startRun(request: StartRequest): Promise<StartResult> {
  const { plan } = request;
  const forbidden = request.forbiddenPaths ?? [];
  const deps = withForbiddenPaths(request.deps, forbidden);
  const runId = request.ids.newRunId();
  const runDir = deps.store.locate(runId, plan.artifactsDir);
  const base = await deps.workspace.resolveBase(request.baseRef);
  const workspace = deps.workspace.describe({
    runId,
    workflowId: plan.workflowId,
    baseRef: request.baseRef,
    baseSha: base.ok ? base.sha : '',
    harnessDir: `${runDir}/harness`,
    ...(request.branch === undefined ? {} : { branch: request.branch }),
  });
  const obstacles = await findPreflightObstacles(
    deps,
    plan,
    {
      runId,
      runDir,
      repoRoot: deps.project.repoRoot,
      checkoutPath: workspace.checkoutPath,
      entrypoints: deps.project.entrypoints,
    },
    (path) => (base.ok ? deps.workspace.hasFile(base.sha, path) : Promise.resolve(true)),
  );
  if (!base.ok) obstacles.unshift(baseObstacle(base.reason, request.baseRef));
  obstacles.push(...(await branchObstacles(deps, workspace)));
  if (!base.ok || obstacles.length > 0) return { ok: false, obstacles };

  const created = await createRunFolder(deps, runId, plan.artifactsDir);
  if ('obstacle' in created) return { ok: false, obstacles: [created.obstacle] };
  const { run } = created;
  try {
    await request.admit?.(runId);
  } catch (error) {
    await run.discard();
    throw error;
  }
  const started: EventPayload<'run_started'> = {
    schema_version: EVENT_SCHEMA_VERSION,
    conductor_version: deps.version,
    workflow_id: plan.workflowId,
    workflow_version: plan.version,
    workflow_digest: sha256Hex(request.workflowText),
    entry_step: plan.entryStep,
    base_ref: request.baseRef,
    base_sha: base.sha,
    base_tree: base.tree,
    branch_name: workspace.branchName,
    worktree_path: workspace.checkoutPath,
    defaults: request.defaults,
    inputs: { ...request.inputs },
    ...(forbidden.length === 0 ? {} : { forbidden_paths: [...forbidden] }),
    title: titleOf(request),
    ...(request.issue === undefined ? {} : { issue: request.issue }),
    ...(request.baseline === false ? { baseline: false } : {}),
  };
  try {
    await storeDocuments(request, run, workspace, started);
    const end = await driveRun({
      ...request,
      deps,
      run,
      workspace,
      first: { kind: 'start', run: started },
      open: () => makeWorkspace(request, workspace),
    });
    await run.release(wakeAfter(end));
    return { ok: true, runId, end };
  } catch (error) {
    if (error instanceof NotStarted) {
      await run.discard();
      return { ok: false, obstacles: [error.obstacle] };
    }
    if (!(error instanceof LeaseLost)) {
      await run.release();
      throw error;
    }
    return { ok: true, runId, end: await continueAfterLoss(request, run, error) };
  }
}

/** Without an event there is no run yet: no other process can drive it, so its folder is removed. */
async function continueAfterLoss(request: StartRequest, run: NewRun, lost: LeaseLost): Promise<DriveEnd> {
  const { runId } = run.directory;
  if (((await run.directory.read('events.ndjson')) ?? '') === '') {
    await run.discard();
    throw new ExpectedFailure(`${lost.message}; the run had not started, and nothing of it is left`);
  }
  await run.release();
  return resumeAfterLoss({ ...request, runId, onPlan: () => {} }, lost);
}

/** Masks secrets before the title is shortened: half a secret would not be recognised. */
function titleOf({ title, inputs, plan, deps }: StartRequest): string {
  const mask = (text: string | null | undefined) =>
    text == null ? null : maskSecrets(text, deps.project.secrets ?? []);
  return runTitle({
    title: mask(title),
    task: mask(ownValue(inputs, 'task')),
    description: plan.description,
    workflowId: plan.workflowId,
  });
}

async function branchObstacles(deps: RunDeps, workspace: RunWorkspace): Promise<Obstacle[]> {
  const { branchName } = workspace;
  const conflicting = await deps.workspace.conflictingBranch(workspace);
  if (conflicting === null) return [];
  return [
    {
      message: `the branch "${conflicting}" exists, so ${branchName} can't be created`,
      help: `rename it: git branch -m ${conflicting} ${conflicting}-old`,
    },
  ];
}

function baseObstacle(reason: 'no_commits' | 'unknown_ref', baseRef: string): Obstacle {
  return reason === 'no_commits'
    ? {
        message: 'the repository has no commits yet, and a run starts from one',
        help: 'commit something first: git add . && git commit -m "Start"',
      }
    : {
        message: `base ref "${baseRef}" does not name a commit`,
        help: 'name an existing branch, tag or commit; git branch --all lists branches',
      };
}

async function createRunFolder(
  deps: RunDeps,
  runId: string,
  artifactsDir: string | null,
): Promise<{ readonly run: NewRun } | { readonly obstacle: Obstacle }> {
  try {
    return { run: await deps.store.create(runId, artifactsDir) };
  } catch (error) {
    return {
      obstacle: {
        message: `the run directory can't be created: ${describeFailure(error).message}`,
        help: RUN_FOLDER_HELP,
      },
    };
  }
}

/** Thrown before any process of the run has started, so the whole run can be discarded. */
class NotStarted extends Error {
  override readonly name = 'NotStarted';
  readonly obstacle: Obstacle;

  constructor(message: string, help: string, cause: unknown) {
    super(message, { cause });
    this.obstacle = { message, help };
  }
}

/** Stores the workflow and the metadata before the run's first event. */
async function storeDocuments(
  request: StartRequest,
  run: NewRun,
  workspace: RunWorkspace,
  started: EventPayload<'run_started'>,
): Promise<void> {
  const { directory } = run;
  const place = { repoRoot: workspace.repoRoot, artifactsRoot: directory.path };
  const startedAt = request.deps.clock.now().toISOString();
  try {
    await directory.write('workflow.yaml', request.workflowText, { durable: true });
    await writeMetadata(directory, initialMetadata(directory.runId, startedAt, started, place));
  } catch (error) {
    throw new NotStarted(
      `the run directory can't be written: ${describeFailure(error).message}`,
      RUN_FOLDER_HELP,
      error,
    );
  }
}

async function makeWorkspace(request: StartRequest, workspace: RunWorkspace): Promise<void> {
  try {
    await request.deps.workspace.create(workspace);
  } catch (error) {
    const { message, fix } = describeFailure(error);
    throw new NotStarted(
      `the workspace can't be created: ${message}`,
      fix ?? 'paths.workspaces in .tnh/config.yaml moves workspaces to another folder',
      error,
    );
  }
  await request.onCreated(workspace.runId);
}
