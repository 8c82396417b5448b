import { copyFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mergeReports } from '../../planner/merge-reports.ts';
import type { CapturedArtifact, HarnessReportCapture } from '../../ports/validator.ts';
import type { ArtifactMatch } from './artifact-search.ts';
import { stampFile } from './file-stamp.ts';
import type { Roots } from './roots.ts';

export const JOINED_REPORT = 'harness_report.json';

export interface PublishPlace {
  readonly roots: Roots;
  /** The folder with the copies of the validator's artifacts. */
  readonly folder: string;
  /** Stamps of reports that conductor itself copied to the run directory; they don't count as new reports. */
  readonly published: Map<string, string>;
}

export type UsableReport = HarnessReportCapture & { readonly match: ArtifactMatch };

export async function publishOnly(
  [report]: readonly UsableReport[],
  context: PublishPlace,
): Promise<HarnessReportCapture | null> {
  if (report === undefined) return null;
  const { path, value, proposals, match } = report;
  if (match.realPath !== publishedPath(context)) await publishReport(path, context);
  return { path, value, proposals };
}

/** Merges all reports of a validator, so that a failure in any of them counts. */
export async function joinReports(
  reports: readonly UsableReport[],
  context: PublishPlace,
): Promise<HarnessReportCapture> {
  const value = mergeReports(reports.map((report) => report.value)) ?? {};
  const path = joinedReportPath(context.folder);
  await writeFile(path, `${JSON.stringify(value, null, 2)}\n`);
  await publishReport(path, context);
  return { path, value, proposals: reports.reduce((sum, report) => sum + report.proposals, 0) };
}

export function joinedArtifact({ path }: HarnessReportCapture): CapturedArtifact {
  return { path, name: JOINED_REPORT, required: false };
}

/** The path of a merged report, beside the folder of the validator's artifacts. */
export function joinedReportPath(folder: string): string {
  return `${folder}.${JOINED_REPORT}`;
}

/** Copies the latest report of a run to its well-known path. */
export async function publishReport(
  path: string,
  context: Pick<PublishPlace, 'roots' | 'published'>,
): Promise<void> {
  const target = publishedPath(context);
  await rm(target, { recursive: true, force: true });
  await copyFile(path, target);
  const stamp = await stampFile(target);
  if (stamp !== null) context.published.set(target, stamp);
}

function publishedPath({ roots }: Pick<PublishPlace, 'roots'>): string {
  return join(roots.run, 'harness_report.json');
}
