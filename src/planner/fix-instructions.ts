import type { ReadCase } from '../contracts/harness-report.ts';
import type { Edit, FixInstructions, Verification } from '../contracts/planner-decision.ts';
import type { Facts } from './facts.ts';
import { type Found, unseenPaths } from './rows.ts';

/** What the next attempt gets to work from: only what the evidence names, never a guess at a file. */
export function composeFixInstructions(facts: Facts, found: readonly Found[]): FixInstructions {
  return {
    objective: objectiveOf(facts, found),
    constraints: [
      'keep every check that passes now passing',
      'do not change tests, goldens or validators to make a check pass',
    ],
    edits: editsOf(facts),
    verification: verificationOf(facts),
  };
}

function objectiveOf({ stepIntent }: Facts, found: readonly Found[]): string {
  const wrong = found.map(({ summary }) => summary).join('; ');
  const fix = wrong === '' ? 'finish the step' : `resolve: ${wrong}`;
  return stepIntent === null || stepIntent.trim() === ''
    ? fix
    : `${fix} (the step was asked: ${stepIntent.trim()})`;
}

function editsOf(facts: Facts): Edit[] {
  return [
    ...facts.failedCases.map((item) => ({
      target: item.id,
      action: `make the case ${item.id} pass`,
      rationale: observed(item),
    })),
    ...facts.failedValidators.map(({ id, exitCode }) => ({
      target: id,
      action: `make the validator ${id} exit with 0`,
      rationale: `it exited with ${exitCode}`,
    })),
    ...facts.timeouts.map((id) => ({
      target: id,
      action: `make the validator ${id} finish within its time limit`,
      rationale: 'it ran out of time',
    })),
    ...unseenPaths(facts).map((path) => ({
      target: path,
      action: `create ${path}`,
      rationale:
        'the agent claims to have created it, and it is neither in the change nor among the artifacts',
    })),
    ...facts.requestedChanges.flatMap(({ path, line, summary }) => {
      if (typeof path !== 'string' || path === '') return [];
      const target = typeof line === 'number' ? `${path}:${line}` : path;
      return [{ target, action: 'resolve the finding of the review', rationale: summary }];
    }),
  ];
}

function observed({ observations }: ReadCase): string {
  const text = (observations ?? []).join('; ').replace(/\s+/g, ' ').trim();
  return text === '' ? 'the harness report lists it as failed' : text;
}

/** Where nothing failed, all validators that ran are the check; where none ran, the change itself is. */
function verificationOf(facts: Facts): Verification[] {
  const cases = facts.failedCases.map(({ id, repro }) => ({
    command: typeof repro === 'string' && repro.trim() !== '' ? repro : id,
    expected_signal: `the case ${id} passes`,
  }));
  const failed = [...facts.failedValidators.map(({ id }) => id), ...facts.timeouts];
  const validators = cases.length + failed.length > 0 ? failed : facts.validatorIds;
  const checks = [
    ...cases,
    ...[...new Set(validators)].map((command) => ({ command, expected_signal: 'exit code 0' })),
  ];
  if (checks.length > 0) return checks;
  return [{ command: 'git diff --stat', expected_signal: 'the change that was asked for is listed' }];
}
