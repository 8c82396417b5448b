import { stepFolderOf } from '../../contracts/run/run-files.ts';
import { didYouMean } from '../../diagnostics/did-you-mean.ts';
import type { StepView } from '../../runtime/record/run-view.ts';
import { UseCaseError } from '../use-case-error.ts';
import { attemptName, type OpenRun } from './open-run.ts';

/** Files that a running step writes. No manifest lists them until the step has ended. */
const LOG_FILE = /(?:(?:^|\/)transcript\.(?:txt|md)|\.stdout\.txt|\.stderr\.txt|(?:^|\/)stderr\.txt)$/;

/** The folder of a later try of the step's agent or validators, with the log in it. */
const TRY_FOLDER = /^try@(\d+)\//;

export interface LogFile {
  readonly step: StepView;
  /** Relative to the folder of the step. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
}

/** The logs of a run so far; `wanted` limits them to a step (`fix`) or one attempt at it (`fix@2`). */
export async function listLogs(
  { view, record }: OpenRun,
  wanted: string | null,
): Promise<readonly LogFile[]> {
  const files: LogFile[] = [];
  for (const step of view.steps) {
    if (wanted !== null && wanted !== step.stepId && wanted !== attemptName(step)) continue;
    const folder = stepFolderOf(step.stepId, step.attempt);
    const names = (await record.directory.list(folder)).map((path) => path.slice(folder.length + 1));
    for (const name of names.filter(isLog).sort(byTry))
      files.push({ step, name, path: record.directory.resolve(`${folder}/${name}`) });
  }
  return files;
}

/** Throws if the run has not reached this step. */
export function expectStep({ view }: OpenRun, wanted: string): void {
  const known = [...new Set(view.steps.flatMap((step) => [step.stepId, attemptName(step)]))];
  if (known.includes(wanted)) return;
  const near = didYouMean(wanted, known);
  throw new UseCaseError(
    `run ${view.runId} has not reached a step "${wanted}"`,
    near === null ? `steps so far: ${known.join(', ')}` : `did you mean ${near}?`,
  );
}

/** The document of `logs --json`. */
export function logsDocument({ view }: OpenRun, files: readonly LogFile[]) {
  return {
    run_id: view.runId,
    logs: files.map(({ step, name, path }) => ({
      step_id: step.stepId,
      attempt: step.attempt,
      name,
      path,
    })),
  };
}

export function isLog(name: string): boolean {
  const isDirect = !name.includes('/') || /^try@\d+\/[^/]+$/.test(name);
  return isDirect && LOG_FILE.test(name);
}

function byTry(one: string, other: string): number {
  const [first, second] = [tryOf(one), tryOf(other)];
  if (first !== second) return first - second;
  return one < other ? -1 : 1;
}

/** 0 for files of the first try, which have no folder of their own. */
export function tryOf(name: string): number {
  return Number(TRY_FOLDER.exec(name)?.[1] ?? 0);
}
