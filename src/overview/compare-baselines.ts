import type { BaselineSummary } from '../contracts/run/run-summary.ts';

type Validator = BaselineSummary['validators'][number];

export interface BaselineChanges {
  /** Failing cases, or validators without a report. */
  readonly newlyFailing: readonly string[];
  readonly fixed: readonly string[];
}

/**
 * Compares the validators that ran in both baselines: of a validator that ran in only one of them, a change isn't known.
 * Null if nothing changed.
 */
export function compareBaselines(latest: BaselineSummary, before: BaselineSummary): BaselineChanges | null {
  const earlier = new Map(before.validators.map((validator) => [validator.id, validator]));
  const compared = latest.validators.flatMap((now) => {
    const then = earlier.get(now.id);
    return then === undefined ? [] : [compareValidators(now, then)];
  });
  const changes = {
    newlyFailing: compared.flatMap(({ newlyFailing }) => newlyFailing),
    fixed: compared.flatMap(({ fixed }) => fixed),
  };
  const isSame = changes.newlyFailing.length + changes.fixed.length === 0;
  return isSame && !isAbilityChanged(latest, before) ? null : changes;
}

function isAbilityChanged(latest: BaselineSummary, before: BaselineSummary): boolean {
  return (latest.outcome === 'unable') !== (before.outcome === 'unable');
}

function compareValidators(now: Validator, then: Validator): BaselineChanges {
  if (now.failed !== then.failed)
    return now.failed
      ? { newlyFailing: nameFailing(now), fixed: [] }
      : { newlyFailing: [], fixed: nameFailing(then) };
  // Without cases on one side, there is nothing to compare.
  if (now.failing_cases.length === 0 || then.failing_cases.length === 0)
    return { newlyFailing: [], fixed: [] };
  return { newlyFailing: listMissing(now, then), fixed: listMissing(then, now) };
}

function nameFailing({ id, failing_cases: cases }: Validator): readonly string[] {
  return cases.length === 0 ? [id] : cases;
}

/** The failing cases of one that are not among those of the other; a list that is cut says nothing about what follows it. */
function listMissing({ failing_cases: cases }: Validator, other: Validator): readonly string[] {
  const last = other.more_failing_cases > 0 ? other.failing_cases.at(-1) : undefined;
  return cases.filter((each) => !other.failing_cases.includes(each) && (last === undefined || each <= last));
}
