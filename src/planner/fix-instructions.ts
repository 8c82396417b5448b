import { ownValue } from '../contracts/own-value.ts';
import type { Edit, FixInstructions, Verification } from '../contracts/planner/planner-decision.ts';
import type { ReportCase } from '../contracts/run/harness-report.ts';
import type { Facts } from './table/facts.ts';
import { findUncreatedPaths, type RowFinding } from './table/rows.ts';

/** Cases listed with all of their observations; later cases get the first line only. The report has everything. */
const DETAILED_CASES = 30;
const SHORT_OBSERVATION = 300;
const EXIT_ZERO_SIGNAL = 'exit code 0';

/** Instructions for the next attempt: only what the evidence names, never a guess at a file. */
export function composeFixInstructions(facts: Facts, findings: readonly RowFinding[]): FixInstructions {
  return {
    objective: composeObjective(facts, findings),
    constraints: [
      'keep every check that passes now passing',
      'do not change tests, goldens or validators to make a check pass',
    ],
    edits: composeEdits(facts),
    verification: composeVerification(facts),
  };
}

function composeObjective({ stepIntent }: Facts, findings: readonly RowFinding[]): string {
  const problems = findings.map(({ summary }) => summary).join('; ');
  const fix = problems === '' ? 'finish the step' : `resolve: ${problems}`;
  return stepIntent === null || stepIntent.trim() === '' ? fix : `${fix} (step intent: ${stepIntent.trim()})`;
}

function composeEdits(facts: Facts): Edit[] {
  return [
    ...sortFailedCases(facts).map((item, index) => ({
      target: item.id,
      action: `make the case ${item.id} pass`,
      rationale: describeFailure(item, facts, index < DETAILED_CASES),
    })),
    ...facts.failedValidators.map(({ id, exitCode }) => ({
      target: id,
      action: `make the validator ${id} exit with 0`,
      rationale: isExplainedByCases(id, facts)
        ? `it exited with ${exitCode}; the cases above say why`
        : appendOutput(`it exited with ${exitCode}`, id, facts),
    })),
    ...facts.timeouts.map((id) => ({
      target: id,
      action: `make the validator ${id} finish within its time limit`,
      rationale: appendOutput('it timed out', id, facts),
    })),
    ...findUncreatedPaths(facts).map((path) => ({
      target: path,
      action: `create ${path}`,
      rationale:
        'the agent claims that it created this file, but the file is neither in the diff nor among the artifacts',
    })),
    ...facts.requestedChanges.flatMap(({ path, line, summary }) => {
      if (typeof path !== 'string' || path === '') return [];
      const target = typeof line === 'number' ? `${path}:${line}` : path;
      return [{ target, action: 'address the review finding', rationale: summary }];
    }),
  ];
}

/** Puts regressions first: this run broke them, so they are the most likely to be fixable. */
function sortFailedCases({ failedCases, regressions }: Facts): ReportCase[] {
  return [
    ...failedCases.filter(({ id }) => regressions.has(id)),
    ...failedCases.filter(({ id }) => !regressions.has(id)),
  ];
}

/** The location of the case and its observations. */
function describeFailure(
  { id, observations, location }: ReportCase,
  { regressions }: Facts,
  isDetailed: boolean,
): string {
  const text = (observations ?? [])
    .map((each) => each.trim())
    .join('\n')
    .trim();
  const seen = text === '' ? 'the harness report lists it as failed' : text;
  const place = typeof location === 'string' && location.trim() !== '' ? `${location.trim()}: ` : '';
  const fact = `${place}${isDetailed ? seen : shortenToFirstLine(seen)}`;
  return regressions.has(id) ? `it passed at the base; ${fact}` : fact;
}

function shortenToFirstLine(text: string): string {
  const line = text.split('\n', 1)[0] ?? '';
  return line.length > SHORT_OBSERVATION ? `${line.slice(0, SHORT_OBSERVATION)}…` : line;
}

/** Whether the failed cases come from this validator, so that its output would only repeat them. */
function isExplainedByCases(id: string, { failedCases, failedValidators, reportSources }: Facts): boolean {
  if (failedCases.length === 0 || reportSources?.includes(id) !== true) return false;
  if (failedCases.some(isFileLoadFailure)) return false;
  return failedValidators.filter((other) => reportSources.includes(other.id)).length === 1;
}

/** A report lists a file that failed to load as a case of its own; often only the output says why. */
function isFileLoadFailure({ id, location }: ReportCase): boolean {
  return typeof location === 'string' && location.trim().replace(/(?::\d+)+$/, '') === id;
}

function appendOutput(fact: string, id: string, { output }: Facts): string {
  const text = (ownValue(output, id) ?? '').trim();
  return text === '' ? fact : `${fact}; the end of its output:\n${text}`;
}

/** Falls back to all validators that ran if none failed, and to the diff if no validator is known. */
function composeVerification(facts: Facts): Verification[] {
  const cases = sortFailedCases(facts);
  const failed = [...facts.failedValidators.map(({ id }) => id), ...facts.timeouts];
  // A case without a command of its own is checked by the validators that report cases.
  const reporting = cases.every(hasCommand) ? [] : listReportingValidators(facts);
  const checks = mergeDuplicates([
    ...listReproductions(cases),
    ...composeCommandChecks(facts, [...failed, ...reporting]),
  ]);
  if (checks.length > 0) return checks;
  const all = [facts.validatorIds, Object.keys(facts.commands ?? {})]
    .map((ids) => composeCommandChecks(facts, ids))
    .find((lines) => lines.length > 0);
  if (all !== undefined) return all;
  return [{ command: 'git diff --stat', expected_signal: 'it lists the requested change' }];
}

function listReproductions(cases: readonly ReportCase[]): Verification[] {
  return cases
    .filter(hasCommand)
    .map(({ id, repro }) => ({ command: repro, expected_signal: `the case ${id} passes` }));
}

/** Merges duplicate commands. A command that covers several cases succeeds by its exit code. */
function mergeDuplicates(checks: readonly Verification[]): Verification[] {
  const signals = new Map<string, string>();
  for (const { command, expected_signal: signal } of checks)
    signals.set(command, signals.has(command) ? EXIT_ZERO_SIGNAL : signal);
  return [...signals].map(([command, signal]) => ({ command, expected_signal: signal }));
}

function hasCommand(item: ReportCase): item is ReportCase & { readonly repro: string } {
  return typeof item.repro === 'string' && item.repro.trim() !== '';
}

function listReportingValidators({ reportSources, validatorIds }: Facts): readonly string[] {
  return reportSources ?? validatorIds;
}

/** A validator id is not a command: it is a substitute only in envelopes that have no `commands`. */
function composeCommandChecks({ commands }: Facts, ids: readonly string[]): Verification[] {
  const lines = ids.map((id) => (commands === null ? id : (ownValue(commands, id) ?? '')));
  return [...new Set(lines)]
    .filter((line) => line.trim() !== '')
    .map((command) => ({ command, expected_signal: EXIT_ZERO_SIGNAL }));
}
