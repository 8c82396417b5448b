import type { BaselineRecord } from '../../../contracts/run/baseline.ts';
import type { PlanValidator, ValidationStep } from '../../../kernel/plan.ts';
import type { ValidatorResult } from '../../../ports/validator.ts';
import { findingLines, newFindings } from '../../../reports/finding-lines.ts';
import type { RunContext } from '../../run-context.ts';
import { keyOfValidator, resolveValidator } from './run-validators.ts';
import type { TriedValidator } from './validator-tries.ts';

/**
 * Whether a validator is `optional: true`: it runs only if the repository has a command for it, and only failures that
 * are new since the baseline count. A linter that was already red must not make every change fail.
 */

export function isOptional(planned: PlanValidator): boolean {
  return planned.kind === 'named' && planned.optional === true;
}

/** Validators that a run needs. If all are optional and none can run, all are: the step would pass without a check. */
export function findNeededValidators(
  validators: readonly PlanValidator[],
  isRunnable: (planned: PlanValidator) => boolean,
): readonly PlanValidator[] {
  const required = validators.filter((planned) => !isOptional(planned));
  return required.length > 0 || validators.some(isRunnable) ? required : validators;
}

/** The step with the validators that run. If none is left, all stay: a step without checks must not pass. */
export function withDueValidators(
  { deps }: RunContext,
  step: ValidationStep,
  baseline: BaselineRecord | null,
): ValidationStep {
  const due = step.validators.filter((planned) => {
    if (!isOptional(planned)) return true;
    const atBase = baseline?.validators.find(({ key }) => key === keyOfValidator(step.id, planned));
    return resolveValidator(deps.project, planned) !== null && atBase?.ran !== false;
  });
  return due.length === 0 ? step : { ...step, validators: due };
}

/** The findings of an optional validator; null if it passed, or if its output is too long to compare. */
export async function readFindings(
  { directory }: RunContext,
  { outcome, stdoutPath, stderrPath }: ValidatorResult,
  checkout: string,
): Promise<string[] | null> {
  if (outcome === 'completed') return null;
  const paths = [stdoutPath, stderrPath].filter((path) => path !== null);
  const texts = await Promise.all(paths.map((path) => directory.read(path.slice(directory.path.length + 1))));
  return findingLines(
    texts.map((text) => text ?? ''),
    checkout,
  );
}

/** Lets optional validators pass that already failed at the base and report nothing new. */
export async function forgiveKnownFailures(
  context: RunContext,
  step: ValidationStep,
  results: readonly TriedValidator[],
  { baseline, checkout }: { readonly baseline: BaselineRecord | null; readonly checkout: string },
): Promise<TriedValidator[]> {
  return Promise.all(
    results.map(async (tried): Promise<TriedValidator> => {
      const planned = step.validators.find(({ id }) => id === tried.last.id);
      if (planned === undefined || !isOptional(planned) || tried.last.outcome !== 'error') return tried;
      const atBase = baseline?.validators.find(({ key }) => key === keyOfValidator(step.id, planned));
      const now = await readFindings(context, tried.last, checkout);
      if (atBase?.findings == null || now === null || newFindings(atBase.findings, now).length > 0)
        return tried;
      const reason = `exited ${tried.last.exitCode ?? 'without a code'}, as at the base, and reports nothing new`;
      return { failed: [], last: { ...tried.last, outcome: 'completed', exitCode: null, reason } };
    }),
  );
}

/** Ids of validators that passed only because they failed in the same way at the base. */
export function forgivenIds(results: readonly TriedValidator[]): string[] {
  return results.flatMap(({ last }) =>
    last.outcome === 'completed' && last.exitCode === null ? [last.id] : [],
  );
}
