import * as z from 'zod';
import type { RunDirectory } from '../../ports/run-store.ts';
import { parseJson } from '../../text/json.ts';
import { readEvidenceJson, readManifest, type StepKey } from './evidence.ts';

type Report = Readonly<Record<string, unknown>>;

const validationSchema = z.object({
  exit_codes: z.record(z.string(), z.int()),
  converted_reports: z.array(z.string()).default([]),
});

/**
 * The reports of a validation that the planner sees. A report without failures next to a failed validator would look
 * like a contradiction to it. A converted report covers only its own runner, so it is omitted then: the evaluation is
 * about the validator that failed.
 */
export async function judgedReports(directory: RunDirectory, step: StepKey): Promise<readonly Report[]> {
  const manifest = await readManifest(directory, step);
  const stored = manifest?.artifacts.filter(({ role }) => role === 'harness_report') ?? [];
  const parsed = validationSchema.safeParse(await readEvidenceJson(directory, step, 'validation_report'));
  const converted = parsed.success ? parsed.data.converted_reports : [];
  const someFailed = parsed.success && Object.values(parsed.data.exit_codes).some((code) => code !== 0);
  const reports: Report[] = [];
  for (const { path } of stored) {
    const value = parseJson((await directory.read(path)) ?? '');
    if (typeof value !== 'object' || value === null) continue;
    const report = value as Report;
    if (someFailed && converted.includes(path) && !hasFailedCase(report)) continue;
    reports.push(report);
  }
  return reports;
}

function hasFailedCase({ cases }: Report): boolean {
  return (
    Array.isArray(cases) &&
    cases.some(
      (item: unknown) =>
        typeof item === 'object' && item !== null && 'status' in item && item.status === 'failed',
    )
  );
}
