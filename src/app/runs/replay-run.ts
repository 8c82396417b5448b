import type { Plan } from '../../kernel/plan.ts';
import { type Replay, replayLog } from '../../kernel/replay.ts';
import { type Comparison, compareWithPlan } from '../../kernel/replay-against.ts';
import type { RunRecord } from '../../ports/run-store.ts';
import { readRecordedPlan, recordedDefaults } from '../../runtime/record/recorded-run.ts';
import type { RunView } from '../../runtime/record/run-view.ts';
import { type DerivedFindings, verifyDerived } from '../../runtime/verify/verify-derived.ts';
import { type CheckedWorkflow, checkWorkflow } from '../../workflow/check-workflow.ts';
import type { Source } from '../../workflow/yaml/source-text.ts';

export interface OpenRecord {
  readonly record: RunRecord;
  readonly view: RunView;
}

export type ReplayedRun =
  | { readonly ok: true; readonly replay: Replay; readonly derived: DerivedFindings }
  /** The workflow that the run was started with is missing or changed. */
  | { readonly ok: false; readonly message: string };

/** Repeats the decisions of a recorded run, event by event, and compares the files derived from its log. */
export async function replayRun({ record, view }: OpenRecord): Promise<ReplayedRun> {
  const recorded = await readRecordedPlan(record.directory, view);
  if (!recorded.ok) return recorded;
  const replay = replayLog(recorded.plan, record.events);
  const derived = await verifyDerived(
    {
      directory: record.directory,
      events: record.events,
      view,
      driven: record.driver !== null,
      files: new Set(await record.directory.list('.')),
    },
    recorded.plan,
  );
  return { ok: true, replay, derived };
}

/**
 * Checks another workflow with the limits of the recorded run, so that only the workflow makes a difference. Names are
 * not resolved, because nothing of it is started.
 */
export function checkForReplay(view: RunView, source: Source): CheckedWorkflow {
  return checkWorkflow(source, { defaults: recordedDefaults(view), names: null, inputs: null });
}

/** The path that a recorded run would take through another workflow. */
export function replayAgainst({ record }: OpenRecord, plan: Plan): Comparison {
  return compareWithPlan(plan, record.events);
}
