import type { MechanicalOutcome } from '../../../contracts/vocabulary.ts';
import type { ValidatorResult } from '../../../ports/validator.ts';
import type { Evidence } from '../../evidence/evidence.ts';
import type { CheckFacts } from '../../verify/check-record.ts';
import { flakyIdsOf, isFlaky, type TriedValidator, triesOf } from './validator-tries.ts';

/** Records all files of the validators, with one report about all of them. */
export async function recordValidationEvidence(
  evidence: Evidence,
  results: readonly TriedValidator[],
  outcome: MechanicalOutcome,
  facts: CheckFacts,
): Promise<void> {
  const converted: string[] = [];
  for (const { last, failed } of results) {
    for (const result of failed) await recordResult(evidence, result, false);
    const report = await recordResult(evidence, last, true);
    if (report !== null && last.harnessReport?.converted === true) converted.push(report);
  }
  const report = { ...composeValidationReport(results, outcome), converted_reports: converted, ...facts };
  await evidence.json('validation_report', 'validation.json', report, { required: true, important: true });
}

/** Records files of validators that ran outside a validation: in the baseline, or with tests restored to the base. */
export async function recordValidatorFiles(
  evidence: Evidence,
  results: readonly TriedValidator[],
  role: string,
): Promise<void> {
  for (const { last, failed } of results)
    for (const { stdoutPath, stderrPath, artifacts } of [...failed, last])
      for (const path of [stdoutPath, stderrPath, ...artifacts.map((artifact) => artifact.path)])
        if (path !== null) await evidence.file(role, path);
}

/**
 * Records the files of one try. The report gets its role only if the try counts, because the planner reads by role.
 * Returns the path of the report that counts.
 */
async function recordResult(
  evidence: Evidence,
  result: ValidatorResult,
  counts: boolean,
): Promise<string | null> {
  let report: string | null = null;
  if (result.stdoutPath !== null)
    await evidence.file('validation_stdout', result.stdoutPath, { important: true });
  if (result.stderrPath !== null) await evidence.file('validation_stderr', result.stderrPath);
  for (const artifact of result.artifacts) {
    const isReport = counts && artifact.path === result.harnessReport?.path;
    const role = isReport ? 'harness_report' : roleOf(artifact.name);
    const required = counts && artifact.required;
    const { path } = await evidence.file(role, artifact.path, { required, important: isReport });
    if (isReport) report = path;
  }
  return report;
}

function roleOf(name: string): string {
  return /\.(png|jpe?g|webp)$/i.test(name) ? 'harness_screenshot' : 'validation_artifact';
}

/** The stored form of the results; the planner's envelope is filled from it. */
export function composeValidationReport(tried: readonly TriedValidator[], outcome: MechanicalOutcome) {
  const results = tried.map(({ last }) => last);
  return {
    mechanical_outcome: outcome,
    exit_codes: Object.fromEntries(
      results.flatMap(({ id, exitCode, startCode }) => {
        const code = exitCode ?? startCode ?? null;
        return code === null ? [] : [[id, code]];
      }),
    ),
    timeouts: results
      .filter((result) => result.outcome === 'killed_timeout' || result.outcome === 'killed_idle')
      .map((result) => result.id),
    required_artifacts: results.flatMap((result) => result.requiredArtifacts),
    missing_artifacts: results.flatMap((result) => result.missingArtifacts),
    flaky: flakyIdsOf(tried),
    notes: results.flatMap(({ id, references }) =>
      (references?.problems ?? []).map((problem) => `${id}: ${problem}`),
    ),
    validators: tried.map((each) => ({
      id: each.last.id,
      outcome: each.last.outcome,
      exit_code: each.last.exitCode,
      duration_ms: each.last.durationMs,
      reason: each.last.reason,
      attempts: triesOf(each),
      flaky: isFlaky(each),
      failed_tries: each.failed.map(({ exitCode, durationMs, reason }) => ({
        exit_code: exitCode,
        duration_ms: durationMs,
        reason,
      })),
    })),
  };
}
