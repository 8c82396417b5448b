import type { RunDirectory } from '../../ports/run-store.ts';
import { parseJson } from '../../text/json.ts';
import { type ReportFile, type ReportFiles, readReportFiles } from '../evidence/report-files.ts';
import type { RunView, StepView } from '../record/run-view.ts';

/** A proposal as its report states it, with the files that were captured for it. */
export interface ReportedProposal {
  readonly id: string | null;
  readonly goldenPath: string | null;
  readonly kind: string | null;
  readonly validator: string;
  readonly stepId: string;
  readonly attempt: number;
  readonly proposed: ReportFile | null;
  readonly diff: ReportFile | null;
  /** Whether the report names a file with the proposed bytes. */
  readonly namesBytes: boolean;
  readonly pixels: number | null;
}

/** The proposals that wait for a gate: those in the latest report of each validator. */
export async function pendingProposals(
  directory: RunDirectory,
  { state, steps }: Pick<RunView, 'state' | 'steps'>,
): Promise<readonly ReportedProposal[]> {
  if (state.pendingGoldens.length === 0) return [];
  const latest = new Map<string, readonly ReportedProposal[]>();
  for (const step of steps.filter(isEndedValidation))
    for (const files of await readReportFiles(directory, step))
      latest.set(files.key, await listProposals(directory, step, files));
  return state.pendingGoldens.flatMap((key) => latest.get(key) ?? []);
}

function isEndedValidation({ opcode, termination }: StepView): boolean {
  return opcode === 'RUN_VALIDATION' && termination !== null;
}

export async function listProposals(
  directory: RunDirectory,
  { stepId, attempt }: Pick<StepView, 'stepId' | 'attempt'>,
  files: ReportFiles,
): Promise<readonly ReportedProposal[]> {
  const report = recordOf(parseJson((await directory.read(files.report)) ?? ''));
  return valuesOf(report.proposed_goldens).map((entry) => {
    const fields = typeof entry === 'string' ? { golden_path: entry } : recordOf(entry);
    const captured = (reference: unknown) => files.files.find((file) => file.reference === reference) ?? null;
    return {
      id: textOf(fields.id),
      goldenPath: textOf(fields.golden_path),
      kind: textOf(fields.kind),
      validator: files.key,
      stepId,
      attempt,
      proposed: captured(fields.proposed_path),
      diff: captured(fields.diff_ref),
      namesBytes: textOf(fields.proposed_path) !== null,
      pixels: pixelsOf(fields, report),
    };
  });
}

const PIXEL_KEYS = ['pixels', 'pixel_count', 'diff_pixels', 'different_pixels', 'changed_pixels'];
const PIXELS_TEXT = /(\d+)(?: (?:of|out of) \d+)? pixels?\b/i;

/** The number of differing pixels: from the proposal itself, or from a case's observation that names the golden. */
function pixelsOf(fields: Fields, report: Fields): number | null {
  for (const key of PIXEL_KEYS) {
    const value = fields[key];
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  }
  const observations = valuesOf(report.cases)
    .flatMap((each) => valuesOf(recordOf(each).observations))
    .filter((text) => typeof text === 'string');
  for (const name of [textOf(fields.golden_path), textOf(fields.id)]) {
    const naming = observations.find((text) => name !== null && text.includes(name));
    const count = PIXELS_TEXT.exec(naming ?? '')?.[1];
    if (count !== undefined) return Number(count);
  }
  return null;
}

type Fields = Readonly<Record<string, unknown>>;

function recordOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** A report may contain a single proposal instead of a list. */
function valuesOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  if (typeof value === 'string') return value === '' ? [] : [value];
  return Object.values(recordOf(value));
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
