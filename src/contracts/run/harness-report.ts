import * as z from 'zod';

/**
 * A harness report in two forms. The full form is what a harness should write. The loose form is what the planner
 * reads: it requires only what an evaluation needs, and nothing inside a report of another major version, so that a
 * newer report leads to a planner decision and not to a parse error.
 */

const CASE_KINDS = ['cli', 'web', 'docs', 'vscode_ui', 'unit'] as const;
const CASE_STATUSES = ['passed', 'failed', 'skipped', 'flaky'] as const;
/** The counts that a summary must have; skipped cases are optional. */
const COUNTED = ['passed', 'failed', 'flaky'] as const;
const REFERENCE_KEYS = ['golden_path', 'proposed_path', 'diff_ref'] as const;
const UX_SEVERITIES = ['info', 'warning', 'error'] as const;

const caseStatusSchema = z.enum(CASE_STATUSES).describe('How the case ended.');
export type CaseStatus = z.infer<typeof caseStatusSchema>;

export const proposedGoldenSchema = z.union([
  z.string().describe('Path of the golden file that would change.'),
  z.looseObject({
    id: z.string().nullish().describe('Identifier of the proposal.'),
    golden_path: z.string().nullish().describe('The golden file that would change.'),
    proposed_path: z.string().nullish().describe('The file that would replace it.'),
    kind: z.string().nullish().describe('What kind of golden it is.'),
    diff_ref: z.string().nullish().describe('Artifact that shows the difference.'),
  }),
]);

export const uxFlagSchema = z.looseObject({
  severity: z.enum(UX_SEVERITIES).describe('info, warning or error.'),
  area: z.string().nullish().describe('Part of the interface, such as accessibility.'),
  description: z.string().nullish().describe('What was observed.'),
  evidence_ref: z.string().nullish().describe('Artifact that shows it.'),
});
export type UxFlag = z.infer<typeof uxFlagSchema>;

const reportCaseSchema = z.looseObject({
  id: z.string().describe('Identifier of the case.'),
  status: caseStatusSchema,
  repro: z.string().nullish().describe('Command or steps to reproduce it.'),
  observations: z.array(z.string()).nullish().describe('Notes or failure messages.'),
  location: z.string().nullish().catch(null).describe('A path in the repository, with a line if known.'),
  artifacts: z.array(z.string()).nullish().describe('Supporting files, relative to the run directory.'),
});
export type ReportCase = z.infer<typeof reportCaseSchema>;

const readSummarySchema = z.looseObject({
  passed: z.number().optional().describe('Passed cases; if missing, none.'),
  failed: z.number().optional().describe('Failed cases; if missing, none.'),
  flaky: z.number().optional().describe('Flaky cases; if missing, none.'),
});

/** The content of a report with major version 1. */
export const supportedReportSchema = z.looseObject({
  suite_id: z.string().describe('Identifier of the suite.'),
  cases: z.array(reportCaseSchema).describe('Results of the cases.'),
  summary: readSummarySchema.describe('Counts over the cases.'),
  ux_flags: z.array(uxFlagSchema).nullish().describe('Concerns about the user interface.'),
  proposed_goldens: z
    .array(proposedGoldenSchema)
    .nullish()
    .describe('Goldens that the harness would change.'),
});
export type SupportedReport = z.infer<typeof supportedReportSchema>;

/** Limits the issues listed for one report. */
const MAX_ISSUES = 100;

/** The keys that every report must have, and `proposed_goldens`, which count in any version. */
export const looseHarnessReportSchema = z
  .looseObject({
    suite_id: z.string().describe('Identifier of the suite.'),
    version: z.unknown().optional().describe('Schema version of the report; 1.x is supported.'),
    cases: z.array(z.unknown()).describe('Results of the cases.'),
    summary: z.looseObject({}).describe('Counts over the cases.'),
    proposed_goldens: z.array(z.unknown()).nullish().describe('Goldens that the harness would change.'),
  })
  .superRefine((report, context) => {
    if (!isSupportedVersion(report.version)) return;
    const read = supportedReportSchema.safeParse(report);
    for (const issue of (read.error?.issues ?? []).slice(0, MAX_ISSUES)) {
      context.addIssue({ code: 'custom', path: [...issue.path], message: issue.message });
    }
  });
export type LooseHarnessReport = z.infer<typeof looseHarnessReportSchema>;

export function isSupportedVersion(version: unknown): boolean {
  if (typeof version !== 'string' && typeof version !== 'number') return false;
  return /^1(\.|$)/.test(String(version).trim());
}

const fullCaseSchema = z.looseObject({
  id: z.string().min(1).describe('Unique identifier of the case.'),
  kind: z.enum(CASE_KINDS).describe('Type of the test.'),
  status: caseStatusSchema,
  repro: z.string().describe('Command or steps to reproduce it.'),
  observations: z.array(z.string()).describe('Notes or failure messages.'),
  location: z.string().optional().describe('A path in the repository, with a line if known.'),
  artifacts: z.array(z.string()).describe('Supporting files, relative to the run directory.'),
});

const fullSummarySchema = z.looseObject({
  passed: z.int().nonnegative().describe('Number of passed cases.'),
  failed: z.int().nonnegative().describe('Number of failed cases.'),
  flaky: z.int().nonnegative().describe('Number of flaky cases.'),
  duration_ms: z.number().nonnegative().describe('Duration of the suite in milliseconds.'),
});

/** The full form: all required fields, as a harness should write them. */
export const harnessReportSchema = z
  .looseObject({
    suite_id: z.string().min(1).describe('Identifier of the suite.'),
    version: z.string().min(1).describe('Schema version of the report, such as 1.0.0.'),
    generated_at: z.iso
      .datetime({ offset: true, local: true })
      .describe('When the harness ran, in ISO 8601.'),
    cases: z.array(fullCaseSchema).describe('Results of the cases.'),
    summary: fullSummarySchema.describe('Counts over the cases, and timing.'),
    ux_flags: z.array(uxFlagSchema).optional().describe('Concerns about the user interface.'),
    proposed_goldens: z
      .array(proposedGoldenSchema)
      .optional()
      .describe('Goldens that the harness would change; a reviewer must accept them.'),
  })
  .superRefine((report, context) => {
    const found = [...findDuplicateIds(report.cases), ...findWrongCounts(report), ...findStrayPaths(report)];
    for (const issue of found.slice(0, MAX_ISSUES)) context.addIssue({ code: 'custom', ...issue });
  });
export type HarnessReport = z.infer<typeof harnessReportSchema>;

interface ReportIssue {
  readonly path: (string | number)[];
  readonly message: string;
}

function findDuplicateIds(cases: readonly { readonly id: string }[]): ReportIssue[] {
  const seen = new Set<string>();
  return cases.flatMap(({ id }, index) => {
    if (!seen.has(id)) {
      seen.add(id);
      return [];
    }
    const message = `the case id ${JSON.stringify(id)} is used more than once`;
    return [{ path: ['cases', index, 'id'], message }];
  });
}

function findWrongCounts({
  cases,
  summary,
}: {
  readonly cases: readonly { readonly status: CaseStatus }[];
  readonly summary: Readonly<Record<(typeof COUNTED)[number], number>>;
}): ReportIssue[] {
  const counts = countCases(cases, 0);
  return COUNTED.flatMap((status) => {
    const stated = summary[status];
    if (stated === counts[status]) return [];
    return [{ path: ['summary', status], message: `it is ${stated}, but the cases have ${counts[status]}` }];
  });
}

/** References are relative to the run directory, goldens to the repository; neither may leave its folder. */
function findStrayPaths({ cases, ux_flags = [], proposed_goldens = [] }: ReferringReport): ReportIssue[] {
  const stray = (name: string | null | undefined, ...path: (string | number)[]): ReportIssue[] => {
    const leaves = name?.startsWith('/') === true || name?.split('/').includes('..') === true;
    return leaves ? [{ path, message: `the path ${JSON.stringify(name)} is absolute or has \`..\`` }] : [];
  };
  return [
    ...cases.flatMap(({ artifacts }, at) =>
      artifacts.flatMap((name, index) => stray(name, 'cases', at, 'artifacts', index)),
    ),
    ...ux_flags.flatMap(({ evidence_ref }, at) => stray(evidence_ref, 'ux_flags', at, 'evidence_ref')),
    ...proposed_goldens.flatMap((entry, at) =>
      typeof entry === 'string'
        ? stray(entry, 'proposed_goldens', at)
        : REFERENCE_KEYS.flatMap((key) => stray(entry[key], 'proposed_goldens', at, key)),
    ),
  ];
}

interface ReferringReport {
  readonly cases: readonly { readonly artifacts: readonly string[] }[];
  readonly ux_flags?: readonly UxFlag[] | undefined;
  readonly proposed_goldens?: readonly z.infer<typeof proposedGoldenSchema>[] | undefined;
}

/** The version of reports that conductor writes. */
export const REPORT_VERSION = '1.0.0';

/** The summary counts of a report. */
export function countCases(cases: readonly { readonly status: CaseStatus }[], durationMs: number) {
  const count = (status: CaseStatus): number => cases.filter((one) => one.status === status).length;
  return {
    passed: count('passed'),
    failed: count('failed'),
    flaky: count('flaky'),
    skipped: count('skipped'),
    duration_ms: durationMs,
  };
}
