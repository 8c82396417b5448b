import type { Status } from '../../contracts/run/run-files.ts';
import { type GateAnswer, readAnswer } from '../../runtime/gates/open-gates.ts';
import { deriveStatus } from '../../runtime/record/derived-files.ts';
import { readRecordedPlan } from '../../runtime/record/recorded-run.ts';
import { findParked } from '../../runtime/record/run-view.ts';
import type { OpenRun } from './open-run.ts';

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
    answer: view.awaiting === null ? null : await readAnswer(record.directory, view.awaiting),
  };
}

/** The document of `status RUN --json`. */
export function composeStatusDocument({ view, record }: OpenRun, { status }: CurrentStatus) {
  return {
    // Runs of schema version 1 have no title, but the document always has the field.
    title: null,
    ...status,
    waiting_until: findParked(view)?.until ?? null,
    driver_pid: record.driverPid,
  };
}
