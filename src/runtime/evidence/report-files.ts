import * as z from 'zod';
import type { RunDirectory } from '../../ports/run-store.ts';
import type { ValidatorResult } from '../../ports/validator.ts';
import type { StepView } from '../record/run-view.ts';
import { type Evidence, readAllEvidenceJson } from './evidence.ts';

const REFERENCES_ROLE = 'harness_references';

const reportFilesSchema = z.object({
  /** Identifies the validator across visits. */
  key: z.string(),
  /** The captured report; relative to the run directory, like all paths here. */
  report: z.string(),
  files: z.array(
    z.object({ reference: z.string(), path: z.string(), sha256: z.string(), bytes: z.number() }),
  ),
  problems: z.array(z.string()),
});

/** The captured files that a report refers to. */
export type ReportFiles = z.infer<typeof reportFilesSchema>;
export type ReportFile = ReportFiles['files'][number];

/** Adds the files that a validator's report refers to to the evidence, with a map from references to copies. */
export async function recordReportFiles(
  evidence: Evidence,
  key: string,
  { id, harnessReport, references }: ValidatorResult,
  name: string,
): Promise<void> {
  if (harnessReport === null) return;
  const copies = new Map<string, Awaited<ReturnType<Evidence['file']>>>();
  for (const { path, role } of references?.files ?? [])
    if (!copies.has(path)) copies.set(path, await evidence.file(role, path));
  const files = (references?.files ?? []).flatMap(({ reference, path }) => {
    const digest = copies.get(path);
    return digest === undefined ? [] : [{ reference, ...digest }];
  });
  await evidence.json(REFERENCES_ROLE, name, {
    validator: id,
    key,
    report: `${evidence.folder}${harnessReport.path.slice(evidence.path.length)}`,
    files,
    problems: references?.problems ?? [],
  });
}

/** The reports of one attempt at a validation step. */
export async function readReportFiles(
  directory: RunDirectory,
  step: Pick<StepView, 'stepId' | 'attempt'>,
): Promise<readonly ReportFiles[]> {
  const documents = await readAllEvidenceJson(directory, step, REFERENCES_ROLE);
  return documents.flatMap((document) => reportFilesSchema.safeParse(document).data ?? []);
}
