import type { RecordProblem, RunRecord } from '../../ports/run-store.ts';
import { type RunView, viewRun } from '../../runtime/record/run-view.ts';
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
