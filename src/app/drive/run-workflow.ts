import type { RunEvent } from '../../contracts/run/event.ts';
import type { LifecycleState, RunOutcome, Termination } from '../../contracts/vocabulary.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Plan } from '../../kernel/plan.ts';
import type { DriveEnd } from '../../runtime/drive/drive.ts';
import { createUnabortedSignal } from '../../runtime/never-aborted.ts';
import type { AwaitingView } from '../../runtime/record/run-view.ts';
import type { Opened, OpenProject } from '../opened.ts';
import {
  findUntrustedParts,
  listParts,
  type OpenTrust,
  TRUST_CONFIGURATION,
  type TrustRequest,
} from '../trust.ts';
import { answerOpenGate } from './answer-gate.ts';
import { checkRunnable, type RunRequest, startCheckedRun } from './check-runnable.ts';

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
  /** True trusts the repository for this run; otherwise the user must have run `conductor trust` in it. */
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
  readonly openTrust: (startDir: string, wanted: TrustRequest) => Promise<Opened<OpenTrust>>;
  readonly readFile: (path: string) => Promise<Uint8Array>;
}

/** Checks a workflow and runs it, as `conductor run` does, but asks no questions. */
export async function runWorkflow(
  deps: RunWorkflowDeps,
  options: RunWorkflowOptions,
): Promise<RunWorkflowResult> {
  const { repo, workflow: path, inputs = {} } = options;
  const opened = await deps.openProject(repo);
  if (!opened.ok) return createRefusal([opened.obstacle.message], opened.document?.diagnostics);
  const project = opened.value;
  const prepared = checkRunnable(project, { name: path, path, bytes: await deps.readFile(path) }, inputs);
  if (!prepared.ok) {
    const { unused, checked } = prepared;
    const problem = unused === null ? 'the workflow has errors' : `${unused.message}; ${unused.help}`;
    return createRefusal([problem], checked.diagnostics);
  }
  const refusal = options.trust === true ? null : await explainMissingTrust(deps, options, prepared.plan);
  if (refusal !== null) return createRefusal([refusal]);
  const started = await startCheckedRun(project, prepared, {
    baseRef: options.baseRef ?? 'HEAD',
    inputs,
    title: options.title ?? null,
    baseline: options.baseline ?? true,
    wait: false,
    signal: options.signal ?? createUnabortedSignal(),
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
    ? toRunResult(started.runId, started.end)
    : createRefusal(started.obstacles.map(({ message }) => message));
}

/** Explains why the run may not start; null if the repository is trusted with everything that it would execute. */
async function explainMissingTrust(
  { openTrust }: RunWorkflowDeps,
  { repo, workflow }: RunWorkflowOptions,
  plan: Plan,
): Promise<string | null> {
  const opened = await openTrust(repo, { ...TRUST_CONFIGURATION, workflows: [{ plan, path: workflow }] });
  if (!opened.ok) return opened.obstacle.message;
  const untrusted = findUntrustedParts(opened.value);
  return untrusted.length === 0
    ? null
    : `${opened.value.repository} is not trusted: it would execute ${listParts(untrusted)}; run "conductor trust" in it, or pass trust: true`;
}

function createRefusal(
  problems: readonly string[],
  diagnostics: readonly Diagnostic[] = [],
): RunWorkflowResult {
  return { kind: 'refused', problems, diagnostics };
}

function createGateHandler(project: OpenProject, onGate: RunWorkflowOptions['onGate']): RunRequest['onGate'] {
  if (onGate === undefined) return null;
  return async (awaiting, { runId }) => {
    const reply = await onGate(awaiting);
    const read = await project.store.read(runId);
    if (reply === null || !read.ok) return 'leave';
    // A refused answer leaves the gate open, so the result is `waiting`.
    await answerOpenGate(project, read.run, {
      answer: reply.approve ? 'gate_approved' : 'gate_rejected',
      by: reply.by,
      comment: reply.comment ?? null,
    });
    return 'leave';
  };
}

function toRunResult(runId: string, end: DriveEnd): RunWorkflowResult {
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
