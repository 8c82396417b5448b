import {
  type CaseStatus,
  countCases,
  REPORT_VERSION,
  type UxFlag,
} from '../src/contracts/run/harness-report.ts';
import type { Attempt, Proposal } from './attempt.ts';
import type { Case } from './case.ts';

export interface CaseResult {
  readonly id: string;
  readonly kind: Case['kind'];
  readonly status: CaseStatus;
  readonly repro: string;
  readonly observations: readonly string[];
  readonly artifacts: readonly string[];
  readonly duration_ms: number;
}

export interface HarnessReport {
  readonly suite_id: string;
  readonly version: string;
  readonly generated_at: string;
  readonly cases: readonly CaseResult[];
  readonly summary: {
    readonly passed: number;
    readonly failed: number;
    readonly flaky: number;
    readonly skipped: number;
    readonly duration_ms: number;
  };
  readonly ux_flags: readonly UxFlag[];
  readonly proposed_goldens: readonly Proposal[];
}

/** A case with all of its attempts. */
export interface TriedCase {
  readonly case: Pick<Case, 'id' | 'kind'>;
  readonly repro: string;
  readonly attempts: readonly Attempt[];
  readonly durationMs: number;
}

export function composeReport(
  suiteId: string,
  tried: readonly TriedCase[],
  when: { readonly generatedAt: string; readonly durationMs: number },
): HarnessReport {
  const cases = tried.map(composeResult);
  const last = tried.flatMap(({ attempts }) => attempts.at(-1) ?? []);
  return {
    suite_id: suiteId,
    version: REPORT_VERSION,
    generated_at: when.generatedAt,
    cases,
    summary: countCases(cases, when.durationMs),
    ux_flags: last.flatMap(({ uxFlags }) => uxFlags),
    // The result of a failed case must not become a golden.
    proposed_goldens: deduplicate(last.flatMap((attempt) => (hasPassed(attempt) ? attempt.proposals : []))),
  };
}

function hasPassed({ problems, skipped }: Attempt): boolean {
  return problems.length === 0 && skipped === null;
}

function deduplicate(proposals: readonly Proposal[]): Proposal[] {
  return [...new Map(proposals.map((proposal) => [proposal.id, proposal])).values()];
}

export function composeResult({ case: { id, kind }, repro, attempts, durationMs }: TriedCase): CaseResult {
  const last = attempts.at(-1);
  const earlier = attempts
    .slice(0, -1)
    .flatMap(({ problems }, index) => problems.map((problem) => `try ${index + 1}: ${problem}`));
  return {
    id,
    kind,
    status: statusOf(attempts),
    repro,
    observations: [
      ...earlier,
      ...(last?.problems ?? []),
      ...(last === undefined || last.skipped === null ? [] : [last.skipped]),
      ...(last?.observations ?? []),
    ],
    artifacts: last?.artifacts ?? [],
    duration_ms: durationMs,
  };
}

/** A case that passes only on a retry is `flaky`. */
function statusOf(attempts: readonly Attempt[]): CaseStatus {
  const last = attempts.at(-1);
  if (last === undefined || last.skipped !== null) return 'skipped';
  if (last.problems.length > 0) return 'failed';
  return attempts.length > 1 ? 'flaky' : 'passed';
}

/** 0 if nothing failed; a suite without cases has not verified anything. */
export function exitCodeOf({ cases, summary }: HarnessReport): 0 | 1 {
  return summary.failed > 0 || cases.length === 0 ? 1 : 0;
}
