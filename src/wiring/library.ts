import { readFile, realpath } from 'node:fs/promises';
import { answerGate } from '../app/answer-gate.ts';
import type { OpenProject } from '../app/services.ts';
import type { RunEvent } from '../contracts/run/event.ts';
import type { LifecycleState, RunOutcome, Termination } from '../contracts/vocabulary.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Plan } from '../kernel/plan.ts';
import { packageVersion } from '../package-root.ts';
import type { DriveEnd } from '../runtime/drive/drive.ts';
import { startRun } from '../runtime/drive/start-run.ts';
import { defaultsToRecord } from '../runtime/record/recorded-run.ts';
import type { AwaitingView } from '../runtime/record/run-view.ts';
import { createServices } from '../wiring.ts';
import { checkWorkflow } from '../workflow/check-workflow.ts';
import { findUnusedInput } from '../workflow/unused-inputs.ts';

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

/** Checks a workflow and runs it, as `conductor run` does. */
export async function runWorkflow(options: RunWorkflowOptions): Promise<RunWorkflowResult> {
  const opened = await createServices(packageVersion()).openProject(options.repo);
  if (!opened.ok) return refused([opened.obstacle.message], opened.document?.diagnostics ?? []);
  const project = opened.value;
  const inputs = options.inputs ?? {};
  const bytes = await readFile(options.workflow);
  const given = Object.keys(inputs);
  const checked = checkWorkflow({ name: options.workflow, bytes }, { ...project.context, inputs: given });
  const { names, readTemplate } = project.context;
  const unused = findUnusedInput(checked, names?.prompts ?? null, given, readTemplate);
  if (unused !== null) return refused([`${unused.message}; ${unused.help}`], checked.diagnostics);
  if (checked.plan === null) return refused(['the workflow has errors'], checked.diagnostics);
  const refusal = await refuseUntrusted(options, checked.plan);
  if (refusal !== null) return refused([refusal], []);
  const { defaults } = project.context;
  const started = await startRun({
    deps: project.deps,
    ids: project.ids,
    plan: checked.plan,
    workflowText: bytes,
    baseRef: options.baseRef ?? 'HEAD',
    inputs,
    title: options.title ?? null,
    baseline: options.baseline ?? true,
    defaults: defaultsToRecord(defaults),
    wait: false,
    signal: options.signal ?? new AbortController().signal,
    observer: {
      onEvents: (events) => {
        for (const event of events) options.onEvent?.(event);
      },
      onLine: () => {},
    },
    onGate: gateHandler(project, options.onGate),
    onCreated: () => {},
  });
  if (!started.ok)
    return refused(
      started.obstacles.map((obstacle) => obstacle.message),
      [],
    );
  return resultOf(started.runId, started.end);
}

/** Why the run may not start; null if the repository is trusted to execute what its files say. */
async function refuseUntrusted(
  { repo, workflow, trust }: RunWorkflowOptions,
  plan: Plan,
): Promise<string | null> {
  if (trust === true) return null;
  const opened = await createServices(packageVersion()).openTrust(repo, {
    configuration: true,
    workflows: [{ plan, path: await realpath(workflow) }],
    allWorkflows: false,
    work: false,
    suite: null,
  });
  if (!opened.ok) return opened.obstacle.message;
  const { parts, grantedBy, repository } = opened.value;
  const missing = grantedBy === null ? parts.filter(({ state }) => state !== 'trusted') : [];
  if (missing.length === 0) return null;
  const names = missing.map(({ kind, name }) => (kind === name ? kind : `${kind} ${name}`));
  return `${repository} is not trusted with what it would execute (${names.join(', ')}); run conductor trust there, or pass trust: true`;
}

function refused(problems: readonly string[], diagnostics: readonly Diagnostic[]): RunWorkflowResult {
  return { kind: 'refused', problems, diagnostics };
}

function gateHandler(project: OpenProject, onGate: RunWorkflowOptions['onGate']) {
  if (onGate === undefined) return null;
  return async (awaiting: AwaitingView, view: { readonly runId: string }): Promise<void> => {
    const reply = await onGate(awaiting);
    const read = await project.store.read(view.runId);
    if (reply === null || !read.ok) return;
    await answerGate({
      record: read.run,
      clock: project.clock,
      workspace: project.deps.workspace,
      repoRoot: project.repoRoot,
      answerer: await project.answerer(),
      accepted: project.answers,
      answer: reply.approve ? 'gate_approved' : 'gate_rejected',
      by: reply.by,
      comment: reply.comment ?? null,
    });
  };
}

function resultOf(runId: string, end: DriveEnd): RunWorkflowResult {
  switch (end.kind) {
    case 'interrupted':
      return { kind: 'interrupted', runId };
    case 'waiting':
      return {
        kind: 'waiting',
        runId,
        stepId: end.awaiting.stepId,
        reason: end.awaiting.reason,
        until: null,
      };
    case 'parked':
      return { kind: 'waiting', runId, ...end.parked };
    case 'ended':
      return { kind: 'ended', runId, ...pick(end), branch: end.view.started.branch_name };
  }
}

function pick({ end }: Extract<DriveEnd, { kind: 'ended' }>) {
  return { lifecycle: end.lifecycle, outcome: end.outcome, termination: end.termination };
}
