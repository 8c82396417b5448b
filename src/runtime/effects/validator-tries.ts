import type { ValidatorResult } from '../../ports/validator.ts';

/** A validator with all of its tries. The last one says how it ended. */
export interface TriedValidator {
  readonly last: ValidatorResult;
  /** The tries before it, oldest first; all of them failed. */
  readonly failed: readonly ValidatorResult[];
}

/** Runs a validator again while it fails, as often as `retries` says and as long as there is time. */
export async function runTries(
  retries: number,
  run: (count: number, failedCases: readonly string[]) => Promise<ValidatorResult>,
  hasTime: () => boolean,
): Promise<TriedValidator> {
  const failed: ValidatorResult[] = [];
  for (let count = 1; ; count += 1) {
    const last = await run(count, failedCasesOf(failed));
    if (count > retries || !mayPassNextTime(last) || !hasTime()) return { last, failed };
    failed.push(last);
  }
}

/** What was ended for its time would only use up the step's, and what could not be started will not start. */
function mayPassNextTime({ outcome, stdoutPath }: ValidatorResult): boolean {
  return outcome === 'error' && stdoutPath !== null;
}

export function triedOnce(last: ValidatorResult): TriedValidator {
  return { last, failed: [] };
}

export function triesOf({ failed }: TriedValidator): number {
  return failed.length + 1;
}

/** It failed and then passed on the same files: a pass that nobody should lean on. */
export function isFlaky({ last, failed }: TriedValidator): boolean {
  return last.outcome === 'completed' && failed.length > 0;
}

/** Cases that a report calls flaky, or that failed on one try and passed on the last. */
export function flakyCasesOf({ last, failed }: TriedValidator): string[] {
  const failedBefore = new Set(failedCasesOf(failed));
  const passedAfter = casesWith(last, 'passed').filter((id) => failedBefore.has(id));
  return [...new Set([...casesWith(last, 'flaky'), ...passedAfter])];
}

export function failedCasesOf(tries: readonly ValidatorResult[]): string[] {
  return tries.flatMap((result) => casesWith(result, 'failed'));
}

/** What is flaky about all of them together: ids of validators, then of cases. */
export function flakyIdsOf(tried: readonly TriedValidator[]): string[] {
  const validators = tried.filter(isFlaky).map(({ last }) => last.id);
  return [...new Set([...validators, ...tried.flatMap(flakyCasesOf)])];
}

/** Proposals that were seen stay seen, even if the try after them left no report. */
export function proposalsOf({ last, failed }: TriedValidator): number | null {
  const reported = [...failed, last].findLast((result) => result.harnessReport !== null);
  return reported?.harnessReport?.proposals ?? null;
}

/** The report is whatever a validator wrote; what has no id and no status of this kind is not counted. */
function casesWith({ harnessReport }: ValidatorResult, wanted: string): string[] {
  const cases: unknown = harnessReport?.value.cases;
  if (!Array.isArray(cases)) return [];
  return cases.flatMap((each: unknown) => {
    if (typeof each !== 'object' || each === null || !('id' in each) || !('status' in each)) return [];
    return each.status === wanted && typeof each.id === 'string' ? [each.id] : [];
  });
}
