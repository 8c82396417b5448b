import type { FewerChecks } from '../../contracts/planner/planner-input.ts';
import { baselineVerdict } from '../record/preparation-text.ts';
import type { RunView, StepView } from '../record/run-view.ts';
import type { RunContext } from '../run-context.ts';
import {
  describeChecks,
  describeJudges,
  type ValidationRecord,
  validationRecordSchema,
} from '../verify/check-record.ts';
import { readEvidenceJson } from './evidence.ts';

type Source = Pick<RunContext, 'directory' | 'view'>;

/**
 * What validations found out about the current files: the latest record of each step, oldest first. A workflow may
 * validate in several steps, with reviews in between, so all of them count. Validations before an approved gate don't:
 * the approver has seen their results.
 */
export async function standingChecks({ directory, view }: Source): Promise<ValidationRecord[]> {
  const { steps, state } = view();
  const approved = steps.findLastIndex(({ termination }) => termination === 'gate_approved');
  const latest = new Map<string, StepView>();
  for (const step of steps.slice(approved + 1)) {
    if (step.opcode !== 'RUN_VALIDATION' || step.termination === null) continue;
    latest.delete(step.stepId);
    latest.set(step.stepId, step);
  }
  const records: ValidationRecord[] = [];
  for (const step of latest.values()) {
    const stored = await readEvidenceJson(directory, step, 'validation_report');
    const { data } = validationRecordSchema.safeParse(stored);
    if (data?.tree !== undefined && data.tree === state.tree) records.push(data);
  }
  return records;
}

/** Everything in these records that casts doubt on a passing verdict. */
export function joinDoubts(records: readonly ValidationRecord[]): {
  readonly judge_changed: string[];
  readonly fewer_checks: FewerChecks | null;
} {
  const fewer = records.flatMap(({ fewer_checks: found }) => found ?? []);
  const total = (key: 'base' | 'now') => fewer.reduce((sum, found) => sum + found[key], 0);
  const all = (key: 'missing' | 'skipped') => [...new Set(fewer.flatMap((found) => found[key]))];
  return {
    judge_changed: [...new Set(records.flatMap(({ judge_changed: changed }) => changed ?? []))],
    fewer_checks:
      fewer.length === 0
        ? null
        : { base: total('base'), now: total('now'), missing: all('missing'), skipped: all('skipped') },
  };
}

/** What a reviewer should know before trusting a verdict. */
export interface CheckNotes {
  /** The results of the checks with the edits to tests and configuration, and without them. */
  readonly verdicts: readonly string[];
  readonly checks: readonly string[];
}

export async function checkNotes(source: Source): Promise<CheckNotes> {
  const records = await standingChecks(source);
  const checks = [...noteRedBaseline(source.view(), records), ...records.flatMap(describeChecks)];
  return { verdicts: [...new Set(records.flatMap(describeJudges))], checks: [...new Set(checks)] };
}

/** Both as one list. */
export async function allNotes(source: Source): Promise<string[]> {
  const { verdicts, checks } = await checkNotes(source);
  return [...verdicts, ...checks];
}

/** Only for a red baseline without a report: a report has the number of failing cases, which `describeChecks` shows. */
function noteRedBaseline({ baseline }: RunView, records: readonly ValidationRecord[]): string[] {
  if (baseline?.outcome !== 'red' || records.some((record) => (record.baseline?.failing ?? 0) > 0)) return [];
  return [baselineVerdict(baseline)];
}
