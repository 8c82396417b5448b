import { ownValue } from '../../contracts/own-value.ts';
import type { EventPayload } from '../../contracts/run/event.ts';
import { type Metadata, RUN_FILES_SCHEMA_VERSION, type Status } from '../../contracts/run/run-files.ts';
import type { LifecycleState } from '../../contracts/vocabulary.ts';
import type { Plan } from '../../kernel/plan.ts';
import type { Stage } from '../../kernel/state.ts';
import type { RunDirectory } from '../../ports/run-store.ts';
import { toJson } from '../json.ts';
import { findParked, type RunView } from './run-view.ts';

export function lifecycleOf(view: RunView): LifecycleState {
  if (view.end !== null) return view.end.lifecycle;
  const { kind } = view.state.stage;
  return kind === 'waiting' || kind === 'parked' ? 'waiting' : 'running';
}

const IN_PROGRESS: readonly Stage['kind'][] = ['running', 'evaluated', 'waiting', 'parked'];

export function deriveStatus(view: RunView, plan: Plan | null, now: Date): Status {
  const { stage } = view.state;
  const active = IN_PROGRESS.includes(stage.kind) && 'stepId' in stage ? stage : null;
  const until = view.endedAt === null ? now.getTime() : Date.parse(view.endedAt);
  return {
    run_id: view.runId,
    ...titleOf(view.started),
    workflow_id: view.started.workflow_id,
    started_at: view.startedAt,
    updated_at: view.endedAt ?? now.toISOString(),
    lifecycle_state: lifecycleOf(view),
    outcome: view.end?.outcome ?? null,
    current_step_id: active?.stepId ?? null,
    last_completed_step_id: view.lastCompletedStepId,
    active_opcode: active?.opcode ?? null,
    active_runner_family: active === null ? null : view.runnerFamily,
    active_attempt: active?.attempt ?? null,
    worktree_path: view.started.worktree_path,
    last_route_target: view.routes.at(-1)?.to ?? null,
    last_decision:
      view.lastDecision === null
        ? null
        : {
            status: view.lastDecision.status,
            next_step: view.lastDecision.next_step,
            refinement_requested: view.lastDecision.refinement_requested,
          },
    refinement: refinementOf(view, plan),
    awaiting:
      view.awaiting === null
        ? null
        : {
            step_id: view.awaiting.stepId,
            gate: view.awaiting.gate,
            requested_at: view.awaiting.requestedAt,
            expires_at: view.awaiting.expiresAt,
          },
    termination: view.end?.termination ?? null,
    blocking_reason: blockingReason(view),
    ...prUrlOf(view),
    elapsed_seconds: Math.max(0, Math.round((until - Date.parse(view.startedAt)) / 100) / 10),
  };
}

function refinementOf(view: RunView, plan: Plan | null): Status['refinement'] {
  for (const step of plan?.steps ?? []) {
    if (step.opcode !== 'EVALUATE' || step.revision === null) continue;
    return {
      spent: ownValue(view.state.refinements, step.revision.step) ?? 0,
      max: step.revision.maxAttempts,
    };
  }
  return null;
}

const WAITS_UNTIL = '; the run waits until ';

/** The parts of a parked run's reason; null for any other reason. */
export function splitParkedReason(blockingReason: string): {
  readonly reason: string;
  readonly until: string;
} | null {
  const at = blockingReason.lastIndexOf(WAITS_UNTIL);
  const until = blockingReason.slice(at + WAITS_UNTIL.length);
  return at === -1 || Number.isNaN(Date.parse(until)) ? null : { reason: blockingReason.slice(0, at), until };
}

/** Why the run doesn't continue: the gate's question, the time it waits for, the end's reason or the last failure. */
export function blockingReason(view: RunView): string | null {
  if (view.awaiting !== null) return view.awaiting.reason;
  const parked = findParked(view);
  if (parked !== null) return `${parked.reason}${WAITS_UNTIL}${parked.until}`;
  if (view.end === null || view.end.lifecycle === 'completed') return null;
  if (view.end.reason !== null) return view.end.reason;
  const last = view.steps.findLast((step) => step.opcode !== 'STOP' && step.reason !== null);
  return last?.reason ?? null;
}

/** Files of schema version 1 have no title. */
function titleOf({ title }: EventPayload<'run_started'>): { readonly title?: string } {
  return title === undefined ? {} : { title };
}

function prUrlOf({ published }: RunView): { readonly pr_url?: string } {
  return published === null ? {} : { pr_url: published.url };
}

/** The metadata that is known when a run starts. */
export function initialMetadata(
  runId: string,
  startedAt: string,
  started: EventPayload<'run_started'>,
  place: MetadataPlace,
): Metadata {
  // A run keeps the schema version that it was started with: the files of an ended run must still match its log.
  const filesVersion = started.schema_version === 1 ? 1 : RUN_FILES_SCHEMA_VERSION;
  return {
    schema_version: filesVersion,
    run_id: runId,
    ...titleOf(started),
    workflow_id: started.workflow_id,
    workflow_version: started.workflow_version,
    workflow_digest: started.workflow_digest,
    started_at: startedAt,
    ended_at: null,
    entry_step: started.entry_step,
    last_step_id: null,
    termination: null,
    outcome: null,
    artifacts_root: place.artifactsRoot,
    workspace: {
      repo_root: place.repoRoot,
      worktree_path: started.worktree_path,
      branch_name: started.branch_name,
      base_ref: started.base_ref,
      base_sha: started.base_sha,
      head_sha: null,
    },
    schema_versions: {
      events: started.schema_version,
      metadata: filesVersion,
      status: filesVersion,
      manifest: filesVersion,
    },
    usage: { input_tokens: null, output_tokens: null, cost_usd: null },
  };
}

export function deriveMetadata(view: RunView, place: MetadataPlace): Metadata {
  const { usage } = view.state;
  const initial = initialMetadata(view.runId, view.startedAt, view.started, place);
  return {
    ...initial,
    workspace: { ...initial.workspace, head_sha: view.headSha },
    ended_at: view.endedAt,
    last_step_id: view.steps.at(-1)?.stepId ?? null,
    termination: view.end?.termination ?? null,
    outcome: view.end?.outcome ?? null,
    ...prUrlOf(view),
    usage: {
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cost_usd: usage.costUsd,
    },
  };
}

export interface MetadataPlace {
  readonly repoRoot: string;
  readonly artifactsRoot: string;
}

export async function writeStatus(directory: RunDirectory, status: Status): Promise<void> {
  await directory.write('status.json', toJson(status));
}

/** Written at the start and at the end of a run; in between, only `status.json` changes. */
export async function writeMetadata(directory: RunDirectory, metadata: Metadata): Promise<void> {
  await directory.write('metadata.json', toJson(metadata), { durable: true });
}

/** The content of `final-state.txt`; null while the run has not ended. */
export function deriveFinalState(view: RunView): string | null {
  if (view.end === null) return null;
  const { lifecycle, outcome, termination } = view.end;
  return `${lifecycle} ${outcome} ${termination}\n`;
}

export async function writeFinalState(directory: RunDirectory, view: RunView): Promise<void> {
  const line = deriveFinalState(view);
  if (line !== null) await directory.write('final-state.txt', line, { durable: true });
}
