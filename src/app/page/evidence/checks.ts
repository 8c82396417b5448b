import type { CaseFilter, CheckedCase, ChecksDocument } from '../../../contracts/http/evidence-page.ts';
import { storedNotesSchema, storedValidationSchema } from '../../../contracts/http/stored-evidence.ts';
import type { BaselineRecord, BaselineValidator } from '../../../contracts/run/baseline.ts';
import type { RunEvent, ValidatorEnd } from '../../../contracts/run/event.ts';
import {
  isSupportedVersion,
  type ReportCase,
  supportedReportSchema,
} from '../../../contracts/run/harness-report.ts';
import { compareCases, type ReportsByValidator } from '../../../reports/compare-cases.ts';
import { readBaseline } from '../../../runtime/effects/validation/baseline-record.ts';
import { readEvidenceJson } from '../../../runtime/evidence/evidence.ts';
import { readReportFiles } from '../../../runtime/evidence/report-files.ts';
import type { StepView } from '../../../runtime/record/run-view.ts';
import { parseJson } from '../../../text/json.ts';
import { attemptName, type OpenRun } from '../../runs/open-run.ts';

/** Longer messages are cut: the output of the validator has all of it. */
const MAX_MESSAGE = 8_000;

/** The results of one validation, with the cases of its reports and of the baseline. */
export interface ValidationFacts {
  readonly step: StepView;
  readonly validators: readonly ValidatorEnd[];
  /** By the key of the validator. */
  readonly cases: ReadonlyMap<string, readonly ReportCase[]>;
  readonly baseline: BaselineRecord | null;
}

export async function readValidation({ record }: OpenRun, step: StepView): Promise<ValidationFacts> {
  const { directory, events } = record;
  const cases = new Map<string, readonly ReportCase[]>();
  for (const { key, report } of await readReportFiles(directory, step))
    cases.set(key, casesIn(parseJson((await directory.read(report)) ?? '')));
  return {
    step,
    validators: findValidatorEnds(events, step),
    cases,
    baseline: await readBaseline({ directory, events: () => events }),
  };
}

function findValidatorEnds(events: readonly RunEvent[], step: StepView): readonly ValidatorEnd[] {
  for (const event of events)
    if (
      (event.event_type === 'step_completed' || event.event_type === 'step_failed') &&
      event.step_id === step.stepId &&
      event.payload.attempt === step.attempt
    )
      return event.payload.validators;
  return [];
}

function casesIn(report: unknown): readonly ReportCase[] {
  const parsed = supportedReportSchema.safeParse(report);
  return parsed.success && isSupportedVersion(parsed.data.version) ? parsed.data.cases : [];
}

/** The results of a validation, and a page of its cases. */
export async function readChecks(
  run: OpenRun,
  step: StepView,
  { filter, text, offset, limit }: CasesRequest,
): Promise<ChecksDocument> {
  const { directory } = run.record;
  const facts = await readValidation(run, step);
  const report = storedValidationSchema.safeParse(
    await readEvidenceJson(directory, step, 'validation_report'),
  );
  const policy = storedNotesSchema.safeParse(await readEvidenceJson(directory, step, 'policy_summary'));
  const details = new Map((report.data?.validators ?? []).map((each) => [each.id, each]));
  const baseline = new Map((facts.baseline?.validators ?? []).map((each) => [each.key, each]));
  const cases = compareWithBase(facts);
  const wanted = text.toLowerCase();
  const shown = cases.filter(
    (each) => matches(each, filter) && (wanted === '' || each.name.toLowerCase().includes(wanted)),
  );
  const having = (change: CheckedCase['change']) => cases.filter((each) => each.change === change).length;
  return {
    run_id: run.view.runId,
    step: attemptName(step),
    outcome: mechanicalOutcome(facts, step),
    validators: facts.validators.map(({ id, key, outcome, exit_code, tries, flaky }) => ({
      id,
      outcome,
      exit_code,
      duration_ms: details.get(id)?.duration_ms ?? null,
      reason: details.get(id)?.reason ?? null,
      tries: tries ?? 1,
      flaky: flaky === true,
      counts: countsOf(facts.cases.get(key) ?? null),
      baseline: baselineOf(baseline.get(key)),
    })),
    notes: policy.success ? policy.data.notes : [],
    changes: {
      regressions: having('regression'),
      fixed: having('fixed'),
      added: having('added'),
      missing: having('missing'),
    },
    counts: countAll(cases),
    total: shown.length,
    offset,
    cases: shown.slice(offset, offset + limit),
  };
}

export interface CasesRequest {
  readonly filter: CaseFilter;
  /** A part of the name; empty for all. */
  readonly text: string;
  readonly offset: number;
  readonly limit: number;
}

function mechanicalOutcome({ validators }: ValidationFacts, step: StepView): ChecksDocument['outcome'] {
  const [worst] = validators.filter(({ outcome }) => outcome !== 'completed');
  if (worst !== undefined) return worst.outcome;
  return step.termination === 'completed' ? 'completed' : null;
}

function baselineOf(found: BaselineValidator | undefined) {
  if (found === undefined) return null;
  const cases = casesIn(found.report);
  return {
    ran: found.ran,
    outcome: found.outcome,
    exit_code: found.exit_code,
    counts: countsOf(cases.length === 0 ? null : cases),
  };
}

type Counts = NonNullable<ChecksDocument['validators'][number]['counts']>;

function countsOf(cases: readonly Pick<ReportCase, 'status'>[] | null): Counts | null {
  return cases === null ? null : countAll(cases);
}

function countAll(cases: readonly { readonly status: CheckedCase['status'] }[]): Counts {
  const ran = cases.filter(({ status }) => status !== 'missing');
  const count = (wanted: CheckedCase['status']) => ran.filter(({ status }) => status === wanted).length;
  return {
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    flaky: count('flaky'),
    total: ran.length,
  };
}

/** Every case with what it was on the base commit; what needs a look comes first. */
export function compareWithBase({ validators, cases, baseline }: ValidationFacts): readonly CheckedCase[] {
  const base = new Map((baseline?.validators ?? []).map(({ key, report }) => [key, casesIn(report)]));
  const compared = validators.flatMap(({ id, key }) => {
    const now = cases.get(key) ?? [];
    const before = base.get(key);
    return before === undefined || (before.length === 0 && now.length > 0 && !hasReport(baseline, key))
      ? now.map((each) => describeCase(id, each, null, null))
      : compareReports(id, before, now);
  });
  return RANKS.flatMap((isOfRank) => compared.filter((each) => isOfRank(each)));
}

function hasReport(baseline: BaselineRecord | null, key: string): boolean {
  const report = baseline?.validators.find((each) => each.key === key)?.report;
  return report !== null && report !== undefined;
}

const RANKS: readonly ((each: CheckedCase) => boolean)[] = [
  ({ change }) => change === 'regression',
  ({ change, status }) => change !== 'regression' && status === 'failed',
  ({ status }) => status === 'missing',
  ({ status }) => status === 'flaky',
  ({ status }) => status === 'skipped',
  ({ change, status }) => status === 'passed' && change === 'fixed',
  ({ change, status }) => status === 'passed' && change === 'added',
  ({ change, status }) => status === 'passed' && change !== 'fixed' && change !== 'added',
];

/** Cases with equal ids, as of parameterised tests, are paired in their order. */
function compareReports(
  validator: string,
  before: readonly ReportCase[],
  now: readonly ReportCase[],
): readonly CheckedCase[] {
  const reports = (list: readonly ReportCase[]): ReportsByValidator =>
    new Map([[validator, { cases: list }]]);
  const { regressions } = compareCases(reports(before), reports(now), { validatorFailed: true });
  const regressed = new Set(regressions);
  const left = new Map<string, ReportCase[]>();
  for (const each of before) {
    const same = left.get(each.id);
    if (same === undefined) left.set(each.id, [each]);
    else same.push(each);
  }
  const compared = now.map((each) => {
    const old = left.get(each.id)?.shift() ?? null;
    const change = changeOf(old, each, regressed.has(each.id));
    return describeCase(validator, each, old?.status ?? null, change);
  });
  const missing = [...left.values()].flat().filter(({ status }) => status !== 'skipped');
  return [
    ...compared,
    ...missing.map((old) => ({
      ...describeCase(validator, old, old.status, 'missing'),
      status: 'missing' as const,
    })),
  ];
}

function changeOf(old: ReportCase | null, now: ReportCase, isRegression: boolean): CheckedCase['change'] {
  if (isRegression && now.status === 'failed') return 'regression';
  if (old === null) return 'added';
  return old.status === 'failed' && (now.status === 'passed' || now.status === 'flaky') ? 'fixed' : 'same';
}

function describeCase(
  validator: string,
  { id, status, observations, location, repro }: ReportCase,
  baseline: CheckedCase['baseline'],
  change: CheckedCase['change'],
): CheckedCase {
  const message = (observations ?? []).join('\n');
  return {
    name: id,
    validator,
    status,
    baseline,
    change,
    message: message === '' ? null : message.slice(0, MAX_MESSAGE),
    place: location ?? null,
    repro: repro ?? null,
  };
}

function matches({ status, change }: CheckedCase, filter: CaseFilter): boolean {
  switch (filter) {
    case 'all':
      return true;
    case 'changed':
      return change !== null && change !== 'same';
    case 'failed':
      return status === 'failed' || status === 'missing';
    case 'passed':
    case 'skipped':
    case 'flaky':
      return status === filter;
  }
}
