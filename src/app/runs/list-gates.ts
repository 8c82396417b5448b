import { isExpectedFailure } from '../../contracts/expected-failure.ts';
import type { RecordProblem, RunDirectory, RunRecord } from '../../ports/run-store.ts';
import { type GateRequest, gateRequestPath, readGateRequest } from '../../runtime/gates/gate-request.ts';
import { type GateAnswer, hasExpired, readAnswer } from '../../runtime/gates/open-gates.ts';
import type { AwaitingView } from '../../runtime/record/run-view.ts';
import type { Records } from '../opened.ts';
import { openRun } from './open-run.ts';

/** A gate with what a reviewer is shown. */
export interface GateDetails {
  readonly directory: RunDirectory;
  readonly awaiting: AwaitingView;
  /** Null if it can't be read. */
  readonly request: GateRequest | null;
  /** The answer that no process has acted on yet; null if there is none. */
  readonly answer: GateAnswer | null;
}

export interface ListedGate extends GateDetails {
  readonly runId: string;
  readonly title: string | null;
  readonly workflowId: string;
  readonly isExpired: boolean;
}

export interface ListedGates {
  readonly gates: readonly ListedGate[];
  /** Runs whose gates are unknown, because their record can't be read. */
  readonly unreadable: readonly { readonly runId: string; readonly problem: RecordProblem | Error }[];
  /** All runs of the repository. */
  readonly runIds: readonly string[];
}

export async function readGate(
  { directory, inbox }: Pick<RunRecord, 'directory' | 'inbox'>,
  awaiting: AwaitingView,
): Promise<GateDetails> {
  return {
    directory,
    awaiting,
    request: await readGateRequest(directory, awaiting),
    answer: await readAnswer(inbox, awaiting),
  };
}

/** The open gates of all runs. A record that can't be read must not hide the gates of the others. */
export async function listGates(records: Records): Promise<ListedGates> {
  const listed = await records.store.list();
  const gates: ListedGate[] = [];
  const unreadable: { runId: string; problem: RecordProblem | Error }[] = [];
  for (const { runId, status } of listed) {
    // The log is the truth: a crash may have left a status from before the gate was opened.
    if (status !== null && status.outcome !== null) continue;
    const opened = await openRun(records, runId).catch((error: unknown) => {
      if (!isExpectedFailure(error)) throw error;
      return { ok: false as const, problem: error };
    });
    if (!opened.ok) {
      // A folder without a log is left by a run that never started, and has no gates.
      if (opened.problem instanceof Error || opened.problem.kind !== 'missing')
        unreadable.push({ runId, problem: opened.problem });
      continue;
    }
    const { view, record } = opened.run;
    if (view.awaiting === null) continue;
    const gate = await readGate(record, view.awaiting);
    gates.push({
      ...gate,
      runId,
      title: view.title,
      workflowId: view.started.workflow_id,
      isExpired: gate.answer === null && hasExpired(view.awaiting, await record.inbox.now()),
    });
  }
  return { gates, unreadable, runIds: listed.map(({ runId }) => runId) };
}

/** The document of `gates --json`. */
export function gatesDocument({ gates }: ListedGates) {
  return {
    gates: gates.map(({ runId, title, workflowId, awaiting, answer, isExpired, directory }) => ({
      run_id: runId,
      title,
      workflow_id: workflowId,
      step_id: awaiting.stepId,
      gate: awaiting.gate,
      reason: awaiting.reason,
      approvers: awaiting.approvers,
      requested_at: awaiting.requestedAt,
      expires_at: awaiting.expiresAt,
      expired: isExpired,
      answer: answer?.answer ?? null,
      request: directory.resolve(gateRequestPath(awaiting)),
    })),
  };
}
