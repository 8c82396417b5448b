import { type ImplementorResult, implementorResultSchema } from '../../contracts/work/work-results.ts';
import { checkBlockedSummary } from './blocked-summary.ts';
import { parseForm } from './form-problems.ts';
import type { Checked, ContractProblem } from './problem-codes.ts';
import { checkValidationSummary } from './validation-summary.ts';

export function checkImplementorResult(value: unknown): Checked<ImplementorResult> {
  const form = parseForm(implementorResultSchema, value, { role: 'WR201', outcome: 'WR202' });
  // Without a valid structure it is unknown which rules apply.
  if (!form.ok) return form;
  const problems = [...checkPatch(form.value), ...checkSummary(form.value)];
  return problems.length === 0 ? { ok: true, result: form.value } : { ok: false, problems };
}

function checkPatch({ outcome, patch }: ImplementorResult): readonly ContractProblem[] {
  if (outcome !== 'completed')
    return patch === null
      ? []
      : [
          {
            path: 'patch',
            code: 'WR205',
            message: `a ${outcome} result must not have a patch`,
          },
        ];
  if (patch !== null && patch.trim() !== '') return [];
  const what = patch === null ? 'null' : 'empty';
  return [{ path: 'patch', code: 'WR203', message: `a completed result needs a patch, but it is ${what}` }];
}

function checkSummary({ outcome, summary }: ImplementorResult): readonly ContractProblem[] {
  if (summary.trim() === '')
    return [{ path: 'summary', code: 'WR204', message: `the summary of a ${outcome} result is empty` }];
  switch (outcome) {
    case 'completed':
      return [];
    case 'blocked':
      return checkBlockedSummary(summary);
    case 'validation-failure':
      return checkValidationSummary(summary);
  }
}
