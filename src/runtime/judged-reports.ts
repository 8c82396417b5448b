import * as z from 'zod';
import type { RunDirectory } from '../ports/run-store.ts';
import { parseJson } from '../text/json.ts';
import { readEvidenceJson, readManifest, type StepKey } from './evidence.ts';

type Report = Readonly<Record<string, unknown>>;

const validationSchema = z.object({
  exit_codes: z.record(z.string(), z.int()),
  converted_reports: z.array(z.string()).default([]),
});

/**
 * The reports of a validation that the planner is shown. A report without a failure beside a validator that failed
 * is a contradiction for it. One that was converted speaks for its own runner alone and vouches for no other, so it
 * is left out there: the validator that failed is what is to be judged.
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
    if (someFailed && converted.includes(path) && !tellsOfFailure(report)) continue;
    reports.push(report);
  }
  return reports;
}

function tellsOfFailure({ cases }: Report): boolean {
  return (
    Array.isArray(cases) &&
    cases.some(
      (item: unknown) =>
        typeof item === 'object' && item !== null && 'status' in item && item.status === 'failed',
    )
  );
}
