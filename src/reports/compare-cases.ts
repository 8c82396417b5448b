import type { Baseline, FewerChecks } from '../contracts/planner/planner-input.ts';
import {
  type CaseStatus,
  isSupportedVersion,
  supportedReportSchema,
} from '../contracts/run/harness-report.ts';

/**
 * Compares the reports of the base commit with the current ones, case by case. A case is identified by its
 * validator and its id; ids may repeat (parameterised tests), so equal ids are counted, not paired.
 */

export interface ComparedReport {
  readonly cases: readonly { readonly id: string; readonly status: CaseStatus }[];
}

/** Reports by the id of the validator that wrote them. */
export type ReportsByValidator = ReadonlyMap<string, ComparedReport>;

export interface CaseComparison {
  /** Counts over all reports of the base; null if there are none. */
  readonly baseline: Baseline | null;
  /** Ids of the cases that passed at the base and fail now. */
  readonly regressions: readonly string[];
  readonly fewerChecks: FewerChecks | null;
  /**
   * Ids of the cases that run now but did not run at the base, including those of validators without a report at
   * the base.
   */
  readonly added: readonly string[];
  /**
   * Every case that ran at the base passed, and no case was added, so the tests can't show whether the task was
   * done. False if no validator has a report for both.
   */
  readonly testsShowNothing: boolean;
  /** Validators that have a report at the base but none now; their cases are not compared. */
  readonly unreported: readonly string[];
}

/** The comparable part of a stored report; null for reports of another version and for any other value. */
export function readComparedReport(value: unknown): ComparedReport | null {
  const parsed = supportedReportSchema.safeParse(value);
  return parsed.success && isSupportedVersion(parsed.data.version) ? parsed.data : null;
}

export function countBaseline(reports: ReportsByValidator): Baseline | null {
  if (reports.size === 0) return null;
  const statuses = [...reports.values()].flatMap(({ cases }) => cases.map(({ status }) => status));
  return {
    failing: statuses.filter((status) => status === 'failed').length,
    passing: statuses.filter(isPass).length,
    total: statuses.length,
  };
}

/**
 * `validatorFailed`: whether any validator failed now, with or without a report. Then that failure has to be fixed
 * first, and missing cases are not reported as fewer checks.
 */
export function compareCases(
  base: ReportsByValidator,
  now: ReportsByValidator,
  { validatorFailed }: { readonly validatorFailed: boolean },
): CaseComparison {
  const pairs = [...base].flatMap(([validator, report]) => {
    const current = now.get(validator);
    return current === undefined ? [] : [compareReports(report, current)];
  });
  const ran = { base: sum(pairs, 'ranAtBase'), now: sum(pairs, 'ranNow') };
  const missing = unique(pairs.flatMap((pair) => pair.missing));
  const skipped = unique(pairs.flatMap((pair) => pair.skipped));
  const unknownAtBase = [...now].flatMap(([validator, report]) =>
    base.has(validator) ? [] : report.cases.filter(({ status }) => status !== 'skipped').map(({ id }) => id),
  );
  const added = unique([...pairs.flatMap((pair) => pair.added), ...unknownAtBase]);
  const fails = validatorFailed || pairs.some((pair) => pair.failsNow);
  const isFewer = pairs.length > 0 && (missing.length + skipped.length > 0 || ran.now === 0);
  return {
    baseline: countBaseline(base),
    regressions: unique(pairs.flatMap((pair) => pair.regressions)),
    fewerChecks: isFewer && !fails ? { ...ran, missing, skipped } : null,
    added,
    testsShowNothing:
      pairs.length > 0 && added.length === 0 && pairs.every(({ failedAtBase }) => !failedAtBase),
    unreported: [...base.keys()].filter((validator) => !now.has(validator)),
  };
}

/**
 * Renames cases of the base whose file was only renamed, because runners put the file path into the id. A case
 * without a current counterpart keeps its id.
 */
export function moveCases(
  base: ReportsByValidator,
  now: ReportsByValidator,
  renames: ReadonlyMap<string, string>,
): ReportsByValidator {
  if (renames.size === 0) return base;
  return new Map(
    [...base].map(([validator, { cases }]) => {
      const current = new Set(now.get(validator)?.cases.map(({ id }) => id));
      const moved = cases.map((item) => {
        const id = movedId(item.id, renames);
        return id !== null && current.has(id) ? { ...item, id } : item;
      });
      return [validator, { cases: moved }] as const;
    }),
  );
}

function movedId(id: string, renames: ReadonlyMap<string, string>): string | null {
  for (const [from, to] of renames)
    if (id.startsWith(from) && !/^[\w./-]/.test(id.slice(from.length))) return to + id.slice(from.length);
  return null;
}

interface ReportComparison {
  readonly ranAtBase: number;
  readonly ranNow: number;
  readonly failedAtBase: boolean;
  readonly failsNow: boolean;
  readonly missing: readonly string[];
  readonly skipped: readonly string[];
  readonly added: readonly string[];
  readonly regressions: readonly string[];
}

/** How often the cases of one id ended with each status. */
interface Tally {
  /** As written in the report. */
  readonly id: string;
  passed: number;
  failed: number;
  skipped: number;
}

function compareReports(base: ComparedReport, now: ComparedReport): ReportComparison {
  const before = tally(base);
  const after = tally(now);
  const added = [...after].filter(([key, item]) => ran(item) > ran(before.get(key)));
  const fewer = [...before].flatMap(([key, item]) => countFewer(item, after.get(key)));
  const regressions = [...after].filter(([key, item]) => isRegression(before.get(key), item));
  const isMissing = ({ id }: Tally) => !isReplaced(before.get(keyOf(id)), now, added.length > 0);
  return {
    ranAtBase: totalRan(before),
    ranNow: totalRan(after),
    failedAtBase: [...before.values()].some(({ failed }) => failed > 0),
    failsNow: [...after.values()].some(({ failed }) => failed > 0),
    missing: fewer.filter(({ missing, item }) => missing > 0 && isMissing(item)).map(({ item }) => item.id),
    skipped: fewer.filter(({ skipped }) => skipped > 0).map(({ item }) => item.id),
    added: added.map(([, { id }]) => id),
    regressions: regressions.map(([, { id }]) => id),
  };
}

function tally({ cases }: ComparedReport): Map<string, Tally> {
  const tallies = new Map<string, Tally>();
  for (const { id, status } of cases) {
    const key = keyOf(id);
    const item = tallies.get(key) ?? { id, passed: 0, failed: 0, skipped: 0 };
    tallies.set(key, item);
    if (isPass(status)) item.passed += 1;
    else item[status] += 1;
  }
  return tallies;
}

/** A flaky case passed eventually. */
function isPass(status: CaseStatus): status is 'passed' | 'flaky' {
  return status === 'passed' || status === 'flaky';
}

/** Runners print unnamed parameters by their memory address, which differs between processes. */
function keyOf(id: string): string {
  return id.replace(/\b0x[0-9a-f]{6,}\b/gi, '0x');
}

function ran(item: Tally | undefined): number {
  return item === undefined ? 0 : item.passed + item.failed;
}

function totalRan(tallies: ReadonlyMap<string, Tally>): number {
  return [...tallies.values()].reduce((total, item) => total + ran(item), 0);
}

interface Fewer {
  readonly item: Tally;
  readonly missing: number;
  readonly skipped: number;
}

/** Only cases that ran at the base can be missing: a skipped case checked nothing. */
function countFewer(before: Tally, after: Tally | undefined): Fewer[] {
  const drop = ran(before) - ran(after);
  if (drop <= 0) return [];
  const skipped = Math.min(drop, Math.max(0, (after?.skipped ?? 0) - before.skipped));
  return [{ item: before, missing: drop - skipped, skipped }];
}

function isRegression(before: Tally | undefined, after: Tally): boolean {
  return before !== undefined && after.failed > before.failed && after.passed < before.passed;
}

/** Ids that reports use for a failure of the whole run, which isn't a test. */
const WHOLE_RUN = /^(?:exit code \d+|error \d+|bail out|plan)(?: \(\d+\))?$/;

/** Reports list a file or Go package that failed to load or build as if it were a case. */
const WHOLE_FILE = /^\S+\.(?:[cm]?[jt]sx?|py|rb|php|go|rs|java|kt|TestMain)$/;

/**
 * Whether a failed case of the base was not a test but the failure of a file or of the run, and disappeared because
 * that was fixed. The file must have cases now, or the report new ones; a deleted file has neither.
 */
function isReplaced(before: Tally | undefined, now: ComparedReport, hasNewCases: boolean): boolean {
  if (before === undefined || before.passed > 0) return false;
  if (WHOLE_RUN.test(before.id)) return true;
  if (!WHOLE_FILE.test(before.id)) return false;
  const isInside = (id: string) =>
    id.startsWith(before.id) && /^\s*(?:>|›|::|\.)/.test(id.slice(before.id.length));
  return hasNewCases || now.cases.some(({ id, status }) => status !== 'skipped' && isInside(id));
}

function sum(pairs: readonly ReportComparison[], key: 'ranAtBase' | 'ranNow'): number {
  return pairs.reduce((total, pair) => total + pair[key], 0);
}

function unique(ids: readonly string[]): string[] {
  return [...new Set(ids)];
}
