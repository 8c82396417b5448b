import * as z from 'zod';
import { baselineSchema, fewerChecksSchema } from '../../contracts/planner/planner-input.ts';
import { MECHANICAL_OUTCOMES } from '../../contracts/vocabulary.ts';
import { formatCount } from '../../text/count-of.ts';
import { nameSome } from '../../text/name-some.ts';
import { failingText } from '../record/preparation-text.ts';

/** How a validator ended with the changed test files restored to their base version. */
const withBaseSchema = z.object({
  id: z.string(),
  outcome: z.string(),
  exit_code: z.int().nullable(),
  /** Cases that pass only with the edits. */
  failed_cases: z.array(z.string()),
});

const judgesSchema = z.object({
  /** Tests and runner configuration that the change edits, deletes or adds. */
  changed: z.array(z.string()),
  /** Parts of commands that the change edits, such as `package.json: scripts.test`. */
  commands: z.array(z.string()),
  /** Source files with inline tests that the change edits. */
  inline: z.array(z.string()).default([]),
  /** Places where the change makes code detect test runs or modify test tools: `src/add.js: JEST_WORKER_ID`. */
  probes: z.array(z.string()).default([]),
  /** The second pass, with the files in `changed` restored to the base; null if there was none. */
  with_base: z.array(withBaseSchema).nullable(),
});
export type JudgesRecord = z.infer<typeof judgesSchema>;

/** What a RUN_VALIDATION records beyond exit codes. All optional: records of earlier versions lack it. */
const checkFactsSchema = z.object({
  /** The tree that was validated. */
  tree: z.string().optional(),
  commands: z.record(z.string(), z.string()).optional(),
  output: z.record(z.string(), z.string()).optional(),
  report_sources: z.array(z.string()).optional(),
  baseline: baselineSchema.nullish(),
  regressions: z.array(z.string()).optional(),
  judge_changed: z.array(z.string()).optional(),
  fewer_checks: fewerChecksSchema.nullish(),
  environment_failures: z.array(z.string()).optional(),
  /** Optional validators that fail as they did at the base and report nothing new. */
  known_failures: z.array(z.string()).optional(),
  judges: judgesSchema.optional(),
  tests_show_nothing: z.boolean().optional(),
  setup_keys: z.array(z.string()).optional(),
});
export type CheckFacts = z.infer<typeof checkFactsSchema>;

export const validationRecordSchema = z.object({
  mechanical_outcome: z.enum(MECHANICAL_OUTCOMES),
  exit_codes: z.record(z.string(), z.int()),
  timeouts: z.array(z.string()),
  required_artifacts: z.array(z.string()),
  missing_artifacts: z.array(z.string()),
  /** Earlier versions did not record it. */
  flaky: z.array(z.string()).default([]),
  ...checkFactsSchema.shape,
});
export type ValidationRecord = z.infer<typeof validationRecordSchema>;

/** How many ids one line names; the record lists them all. */
const MAX_NAMED = 8;

/** What a reviewer should know about the checks besides what determines the verdict. */
export function describeChecks(record: ValidationRecord): string[] {
  return [
    ...baselineLines(record),
    ...fewerLines(record),
    ...(record.tests_show_nothing === true
      ? ["all tests passed at the base and no test was added: the tests don't show whether the task was done"]
      : []),
    ...(record.setup_keys ?? []).map((path) => `${path} changed, so setup ran again for the checks`),
    ...(record.known_failures ?? []).map(
      (id) => `${id} fails as it did at the base and reports nothing new, so it does not count`,
    ),
    ...(record.environment_failures ?? []).map(
      (id) => `${id} ran at the base and can't start now, and the change is not the reason`,
    ),
  ];
}

function baselineLines({ baseline, regressions = [] }: ValidationRecord): string[] {
  const lines = baseline == null || baseline.failing === 0 ? [] : [failingText(baseline)];
  if (regressions.length > 0) lines.push(`passed at the base and fail now: ${named(regressions)}`);
  return lines;
}

/** Describes the results with the change's edits to tests, configuration and commands, and without them. */
export function describeJudges({ judges, judge_changed = [] }: ValidationRecord): string[] {
  if (judges === undefined) return [];
  const { changed, commands, inline, probes, with_base } = judges;
  const lines = [
    ...commands.map((part) => `the change edits the command of a check: ${part}`),
    ...inline.map((path) => `the change edits tests inside of ${path}, which can't be run as at the base`),
    ...probes.map((place) => `the change adds code that may behave differently under test: ${place}`),
  ];
  if (changed.length === 0 || with_base === null) return lines;
  const failed = with_base.filter(({ outcome }) => outcome !== 'completed');
  if (failed.length === 0)
    return [...lines, `the change edits ${named(changed)}; the checks pass with and without these edits`];
  if (judge_changed.length === 0) return lines;
  return [
    ...lines,
    `the change edits ${named(changed)}, so the checks ran with the edits and once more with these files as at the base`,
    `with the edits: ${with_base.map(({ id }) => `${id} passed`).join('; ')}`,
    `with the files of the base: ${with_base.map(describeEnd).join('; ')}`,
  ];
}

/** `tests failed (exit code 1), 2 tests pass only with the edits: a, b`. */
function describeEnd({ id, outcome, exit_code, failed_cases }: z.infer<typeof withBaseSchema>): string {
  if (outcome === 'completed') return `${id} passed`;
  const end = `${id} failed (${exit_code === null ? outcome : `exit code ${exit_code}`})`;
  if (failed_cases.length === 0) return end;
  const count = failed_cases.length === 1 ? '1 test passes' : `${failed_cases.length} tests pass`;
  return `${end}, ${count} only with the edits: ${named(failed_cases)}`;
}

function fewerLines({ fewer_checks: fewer }: ValidationRecord): string[] {
  if (fewer == null) return [];
  const lines = [`${formatCount(fewer.now, 'test')} ran, ${fewer.base} ran at the base`];
  if (fewer.missing.length > 0) lines.push(`no longer there: ${named(fewer.missing)}`);
  if (fewer.skipped.length > 0) lines.push(`now skipped: ${named(fewer.skipped)}`);
  return lines;
}

function named(ids: readonly string[]): string {
  return nameSome(ids, MAX_NAMED);
}
