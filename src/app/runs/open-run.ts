import type { Status } from '../../contracts/run/run-files.ts';
import type { RecordProblem, RunRecord } from '../../ports/run-store.ts';
import { type GateAnswer, readAnswer } from '../../runtime/gates/open-gates.ts';
import { deriveStatus } from '../../runtime/record/derived-files.ts';
import { readRecordedPlan } from '../../runtime/record/recorded-run.ts';
import { findParked, type RunView, viewRun } from '../../runtime/record/run-view.ts';
import type { Records } from '../opened.ts';

/** A recorded run and its state, as its log has them. */
export interface OpenRun {
  readonly records: Records;
  readonly record: RunRecord;
  readonly view: RunView;
}

export type OpenedRun =
  | { readonly ok: true; readonly run: OpenRun }
  | { readonly ok: false; readonly problem: RecordProblem };

/** Reads the run with this id. A log without the start of a run counts as missing. */
export async function openRun(records: Records, runId: string): Promise<OpenedRun> {
  const read = await records.store.read(runId);
  if (!read.ok) return read;
  const view = viewRun(read.run.events);
  return view === null
    ? { ok: false, problem: { kind: 'missing' } }
    : { ok: true, run: { records, record: read.run, view } };
}

/** `implement`, or `implement@2` for the second attempt: the name of the step's evidence folder. */
export function attemptName({
  stepId,
  attempt,
}: {
  readonly stepId: string;
  readonly attempt: number;
}): string {
  return attempt === 1 ? stepId : `${stepId}@${attempt}`;
}

export interface CurrentStatus {
  readonly status: Status;
  /** The answer to the open gate that no process has acted on yet; null if there is none. */
  readonly answer: GateAnswer | null;
}

/** The status of a run now, derived from its log. */
export async function readStatus({ view, record, records }: OpenRun): Promise<CurrentStatus> {
  const recorded = await readRecordedPlan(record.directory, view);
  return {
    status: deriveStatus(view, recorded.ok ? recorded.plan : null, records.clock.now()),
    answer: view.awaiting === null ? null : await readAnswer(record.inbox, view.awaiting),
  };
}

/** The document of `status RUN --json`. */
export function composeStatusDocument({ view, record }: OpenRun, { status }: CurrentStatus) {
  return {
    // Runs of schema version 1 have no title, but the document always has the field.
    title: null,
    ...status,
    waiting_until: findParked(view)?.until ?? null,
    driver_pid: record.driver?.pid ?? null,
    ...(view.notifications.length === 0 ? {} : { notifications: view.notifications }),
  };
}
