import type { RunEvent } from '../contracts/run/event.ts';
import type { LifecycleState, RunOutcome, Termination } from '../contracts/vocabulary.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Plan } from '../kernel/plan.ts';
import type { DriveEnd } from '../runtime/drive/drive.ts';
import { type StartRequest, type StartResult, startRun } from '../runtime/drive/start-run.ts';
import type { Obstacle } from '../runtime/obstacle.ts';
import { defaultsToRecord } from '../runtime/record/recorded-run.ts';
import type { AwaitingView } from '../runtime/record/run-view.ts';
import { type CheckedWorkflow, checkWorkflow } from '../workflow/check-workflow.ts';
import { findUnusedInput } from '../workflow/unused-inputs.ts';
import { answerOpenGate } from './answer-gate.ts';
import type { Opened, OpenProject } from './opened.ts';
import {
  findUntrustedParts,
  listParts,
  type OpenTrust,
  TRUST_CONFIGURATION,
  type TrustWanted,
} from './trust.ts';

export interface WorkflowFile {
  /** As messages show it. */
  readonly name: string;
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** A workflow that may start. */
export interface PreparedRun {
  readonly ok: true;
  readonly plan: Plan;
  readonly bytes: Uint8Array;
  readonly warnings: readonly Diagnostic[];
}

export type PreparationResult =
  | PreparedRun
  /** `unused`: an input that the run would not use; null if the workflow has errors. */
  | { readonly ok: false; readonly unused: Obstacle | null; readonly checked: CheckedWorkflow };

/** Checks a workflow with the names of the project. Refuses inputs that the run would not use. Starts nothing. */
export function prepareRun(
  { context }: Pick<OpenProject, 'context'>,
  { name, bytes }: WorkflowFile,
  inputs: Readonly<Record<string, string>>,
): PreparationResult {
  const given = Object.keys(inputs);
  const checked = checkWorkflow({ name, bytes }, { ...context, inputs: given });
  const unused = findUnusedInput(checked, context.names?.prompts ?? null, given, context.readTemplate);
  return unused !== null || checked.plan === null
    ? { ok: false, unused, checked }
    : { ok: true, plan: checked.plan, bytes, warnings: checked.diagnostics };
}

export type RunRequest = Pick<
  StartRequest,
  'baseRef' | 'inputs' | 'title' | 'baseline' | 'wait' | 'signal' | 'observer' | 'onGate' | 'onCreated'
>;

/** Starts a prepared run and drives it until it ends, waits or is interrupted. The caller has checked trust. */
export function startPreparedRun(
  { deps, ids, context }: OpenProject,
  { plan, bytes }: PreparedRun,
  request: RunRequest,
): Promise<StartResult> {
  const defaults = defaultsToRecord(context.defaults);
  return startRun({ ...request, deps, ids, plan, workflowText: bytes, defaults });
}

export interface RunWorkflowOptions {
  /** A folder inside the repository to work in. */
  readonly repo: string;
  /** The path of the workflow. */
  readonly workflow: string;
  readonly baseRef?: string;
  readonly inputs?: Readonly<Record<string, string>>;
  /** Title of the run; defaults to the task or the workflow's description. */
  readonly title?: string;
  /** Set to false to skip running the validators on the base commit first. */
  readonly baseline?: boolean;
  /** True lets the repository execute what its files say; otherwise the user must have run `conductor trust`. */
  readonly trust?: boolean;
  /** Aborting interrupts the run; it can be resumed. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: RunEvent) => void;
  /** Answers gates. If it is missing or returns null, the result is `waiting`. */
  readonly onGate?: (gate: AwaitingView) => Promise<GateReply | null>;
}

export interface GateReply {
  readonly approve: boolean;
  readonly by: string;
  readonly comment?: string;
}

export type RunWorkflowResult =
  /** The run was not started. */
  | {
      readonly kind: 'refused';
      readonly problems: readonly string[];
      readonly diagnostics: readonly Diagnostic[];
    }
  | {
      readonly kind: 'waiting';
      readonly runId: string;
      readonly stepId: string;
      readonly reason: string;
      /** When the wait ends, in ISO 8601; null if the run waits for approval. */
      readonly until: string | null;
    }
  | { readonly kind: 'interrupted'; readonly runId: string }
  | {
      readonly kind: 'ended';
      readonly runId: string;
      readonly lifecycle: LifecycleState;
      readonly outcome: RunOutcome;
      readonly termination: Termination;
      readonly branch: string;
    };

export interface RunWorkflowDeps {
  readonly openProject: (startDir: string) => Promise<Opened<OpenProject>>;
  readonly openTrust: (startDir: string, wanted: TrustWanted) => Promise<Opened<OpenTrust>>;
  readonly readFile: (path: string) => Promise<Uint8Array>;
}

/** Checks a workflow and runs it, as `conductor run` does, but asks no questions. */
export async function runWorkflow(
  deps: RunWorkflowDeps,
  options: RunWorkflowOptions,
): Promise<RunWorkflowResult> {
  const { repo, workflow: path, inputs = {} } = options;
  const opened = await deps.openProject(repo);
  if (!opened.ok) return refused([opened.obstacle.message], opened.document?.diagnostics);
  const project = opened.value;
  const prepared = prepareRun(project, { name: path, path, bytes: await deps.readFile(path) }, inputs);
  if (!prepared.ok) {
    const { unused, checked } = prepared;
    const problem = unused === null ? 'the workflow has errors' : `${unused.message}; ${unused.help}`;
    return refused([problem], checked.diagnostics);
  }
  const refusal = options.trust === true ? null : await refuseUntrusted(deps, options, prepared.plan);
  if (refusal !== null) return refused([refusal]);
  const started = await startPreparedRun(project, prepared, {
    baseRef: options.baseRef ?? 'HEAD',
    inputs,
    title: options.title ?? null,
    baseline: options.baseline ?? true,
    wait: false,
    signal: options.signal ?? new AbortController().signal,
    observer: {
      onEvents: (events) => {
        for (const event of events) options.onEvent?.(event);
      },
      onLine: () => {},
    },
    onGate: createGateHandler(project, options.onGate),
    onCreated: () => {},
  });
  return started.ok
    ? describeEnd(started.runId, started.end)
    : refused(started.obstacles.map(({ message }) => message));
}

/** Why the run may not start; null if the repository is trusted to execute what its files say. */
async function refuseUntrusted(
  { openTrust }: RunWorkflowDeps,
  { repo, workflow }: RunWorkflowOptions,
  plan: Plan,
): Promise<string | null> {
  const opened = await openTrust(repo, { ...TRUST_CONFIGURATION, workflows: [{ plan, path: workflow }] });
  if (!opened.ok) return opened.obstacle.message;
  const untrusted = findUntrustedParts(opened.value);
  return untrusted.length === 0
    ? null
    : `${opened.value.repository} is not trusted with what it would execute (${listParts(untrusted)}); run conductor trust there, or pass trust: true`;
}

function refused(problems: readonly string[], diagnostics: readonly Diagnostic[] = []): RunWorkflowResult {
  return { kind: 'refused', problems, diagnostics };
}

function createGateHandler(project: OpenProject, onGate: RunWorkflowOptions['onGate']): RunRequest['onGate'] {
  if (onGate === undefined) return null;
  return async (awaiting, { runId }) => {
    const reply = await onGate(awaiting);
    const read = await project.store.read(runId);
    if (reply === null || !read.ok) return;
    await answerOpenGate(project, read.run, {
      answer: reply.approve ? 'gate_approved' : 'gate_rejected',
      by: reply.by,
      comment: reply.comment ?? null,
    });
  };
}

function describeEnd(runId: string, end: DriveEnd): RunWorkflowResult {
  switch (end.kind) {
    case 'interrupted':
      return { kind: 'interrupted', runId };
    case 'waiting': {
      const { stepId, reason } = end.awaiting;
      return { kind: 'waiting', runId, stepId, reason, until: null };
    }
    case 'parked':
      return { kind: 'waiting', runId, ...end.parked };
    case 'ended': {
      const { lifecycle, outcome, termination } = end.end;
      const branch = end.view.started.branch_name;
      return { kind: 'ended', runId, lifecycle, outcome, termination, branch };
    }
  }
}
