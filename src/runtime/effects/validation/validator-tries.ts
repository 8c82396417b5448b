import type { ValidatorResult } from '../../../ports/validator.ts';

/** A validator with all of its tries. The last one determines its outcome. */
export interface TriedValidator {
  readonly last: ValidatorResult;
  /** The earlier tries, oldest first; all of them failed. */
  readonly failed: readonly ValidatorResult[];
}

/** Retries a validator while it fails, up to `retries` times and while there is time left. */
export async function runTries(
  retries: number,
  run: (count: number, failedCases: readonly string[]) => Promise<ValidatorResult>,
  hasTime: () => boolean,
): Promise<TriedValidator> {
  const failed: ValidatorResult[] = [];
  for (let count = 1; ; count += 1) {
    const last = await run(count, failedCasesOf(failed));
    if (count > retries || !isWorthRetrying(last) || !hasTime()) return { last, failed };
    failed.push(last);
  }
}

/** A timeout would only happen again and use up the step's time, and what could not start will not start. */
function isWorthRetrying({ outcome, stdoutPath }: ValidatorResult): boolean {
  return outcome === 'error' && stdoutPath !== null;
}

export function triedOnce(last: ValidatorResult): TriedValidator {
  return { last, failed: [] };
}

export function triesOf({ failed }: TriedValidator): number {
  return failed.length + 1;
}

/** It failed and then passed on the same files, so the pass isn't reliable. */
export function isFlaky({ last, failed }: TriedValidator): boolean {
  return last.outcome === 'completed' && failed.length > 0;
}

/** Cases that a report calls flaky, or that failed on one try and passed on the last one. */
export function flakyCasesOf({ last, failed }: TriedValidator): string[] {
  const failedBefore = new Set(failedCasesOf(failed));
  const passedAfter = casesWith(last, 'passed').filter((id) => failedBefore.has(id));
  return [...new Set([...casesWith(last, 'flaky'), ...passedAfter])];
}

export function failedCasesOf(tries: readonly ValidatorResult[]): string[] {
  return tries.flatMap((result) => casesWith(result, 'failed'));
}

/** All flaky ids: those of validators, then those of cases. */
export function flakyIdsOf(tried: readonly TriedValidator[]): string[] {
  const validators = tried.filter(isFlaky).map(({ last }) => last.id);
  return [...new Set([...validators, ...tried.flatMap(flakyCasesOf)])];
}

/** Proposals of an earlier try count, even if the last try left no report. */
export function collectProposals({ last, failed }: TriedValidator): number | null {
  const reported = [...failed, last].findLast((result) => result.harnessReport !== null);
  return reported?.harnessReport?.proposals ?? null;
}

/** A validator writes the report, so its content is unchecked: entries without an id or this status are skipped. */
function casesWith({ harnessReport }: ValidatorResult, wanted: string): string[] {
  const cases: unknown = harnessReport?.value.cases;
  if (!Array.isArray(cases)) return [];
  return cases.flatMap((each: unknown) => {
    if (typeof each !== 'object' || each === null || !('id' in each) || !('status' in each)) return [];
    return each.status === wanted && typeof each.id === 'string' ? [each.id] : [];
  });
}
