import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pipeline, Revision } from '../../contracts/work/work-item.ts';
import { sha256Hex } from '../../node/sha256.ts';
import type { Confinement } from '../../ports/sandbox.ts';
import type {
  RunnableValidator,
  ValidatorPlace,
  ValidatorResult,
  ValidatorRunner,
} from '../../ports/validator.ts';
import type { Revisions } from '../../ports/work/revisions.ts';

/** The last lines of a check's output are part of the reason; the full output is in its folder. */
const TAIL_LINES = 30;
const TAIL_CHARACTERS = 4_000;

const STEP = 'checks';

export interface PipelineDeps {
  readonly repoRoot: string;
  /** `.tnh/work` of the repository. */
  readonly workDir: string;
  readonly revisions: Revisions;
  readonly runner: ValidatorRunner;
  /** Installs what the checks need; returns why that failed, or null. */
  readonly prepare: (place: ValidatorPlace, mark: string, signal: AbortSignal) => Promise<string | null>;
  /** The validators to run in a checkout. */
  readonly validators: (checkout: string) => Promise<readonly RunnableValidator[]>;
  readonly confine: (
    place: ValidatorPlace,
    harnessDir: string,
  ) => Promise<{ readonly confinement: Confinement | null; readonly refusal: string | null }>;
  readonly env: Readonly<Record<string, string>>;
  readonly entrypoints: readonly string[];
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  /** Kills processes that an interrupted pipeline left running under a mark. */
  readonly sweep: (mark: string) => Promise<unknown>;
}

/** Runs the repository's validators on a clean checkout of the revision. */
export function createPipeline(deps: PipelineDeps) {
  return async (revision: Revision, signal: AbortSignal): Promise<Pipeline | null> => {
    const name = `${revision.id}-${revision.headSHA.slice(0, 7)}`;
    const folder = join(deps.workDir, 'pipelines', name);
    const located = {
      runId: `checks-${name}`,
      runDir: folder,
      repoRoot: deps.repoRoot,
      entrypoints: deps.entrypoints,
    };
    const harnessDir = join(folder, 'harness');
    // An interrupted process may have left a partial record and programs that still write to it.
    await deps.sweep(markOf(located));
    await rm(folder, { recursive: true, force: true });
    await mkdir(harnessDir, { recursive: true });
    try {
      const request = { name, commit: revision.headSHA, harnessDir };
      const place: ValidatorPlace = {
        ...located,
        checkoutPath: await deps.revisions.checkOut(request, signal),
      };
      const results = await runChecks(deps, place, harnessDir, signal);
      if (results === null || signal.aborted) return null;
      const pipeline = summarizeChecks(results, `.tnh/work/pipelines/${name}`);
      await writeFile(
        join(folder, 'pipeline.json'),
        `${JSON.stringify({ revision: revision.id, headSHA: revision.headSHA, ...pipeline }, null, 2)}\n`,
      );
      return pipeline;
    } finally {
      await deps.revisions.removeCheckout(name);
    }
  };
}

/** The path is part of the mark, because another clone may have the same revision at the same commit. */
function markOf({ runId, runDir }: Pick<ValidatorPlace, 'runId' | 'runDir'>): string {
  const place = sha256Hex(runDir).slice(0, 12);
  return `work/${place}/${runId}`;
}

/** The result of one check; `reason` is null if it passed. */
interface CheckResult {
  readonly id: string;
  readonly reason: string | null;
}

async function runChecks(
  deps: PipelineDeps,
  place: ValidatorPlace,
  harnessDir: string,
  signal: AbortSignal,
): Promise<readonly CheckResult[] | null> {
  const setupFailure = await deps.prepare(place, markOf(place), signal);
  if (signal.aborted) return null;
  if (setupFailure !== null) return [{ id: 'setup', reason: setupFailure }];
  const { confinement, refusal } = await deps.confine(place, harnessDir);
  if (refusal !== null) return [{ id: STEP, reason: refusal }];
  const checked: CheckResult[] = [];
  for (const validator of await deps.validators(place.checkoutPath)) {
    const result = await runWithRetries(deps, place, validator, confinement, signal);
    if (result.outcome === 'cancelled') return null;
    checked.push({ id: validator.id, reason: await explainFailure(result) });
  }
  return checked;
}

/** Repeats a failing check up to `retries` times, unless it could not be started. */
async function runWithRetries(
  deps: PipelineDeps,
  place: ValidatorPlace,
  validator: RunnableValidator,
  confinement: Confinement | null,
  signal: AbortSignal,
): Promise<ValidatorResult> {
  const retries = validator.kind === 'command' ? (validator.retries ?? 0) : 0;
  for (let attempt = 1; ; attempt += 1) {
    const evidenceDir = join(place.runDir, attempt === 1 ? 'artifacts' : `artifacts@${attempt}`);
    await mkdir(evidenceDir, { recursive: true });
    const result = await deps.runner.run({
      validator,
      place,
      stepId: STEP,
      attempt,
      evidenceDir,
      confinement,
      env: deps.env,
      timeoutMs: deps.timeoutMs,
      idleTimeoutMs: deps.idleTimeoutMs,
      mark: markOf(place),
      signal,
      onStop: async () => undefined,
      onLine: () => undefined,
    });
    if (attempt > retries || result.outcome !== 'error' || result.stdoutPath === null) return result;
  }
}

/** Without any checks the pipeline fails, because the work is unverified. */
function summarizeChecks(results: readonly CheckResult[], url: string): Pipeline {
  if (results.length === 0)
    return {
      status: 'failure',
      url,
      reason: 'the repository has no checks: configure `validators` in .tnh/config.yaml',
    };
  const failed = results.flatMap(({ id, reason }) => (reason === null ? [] : [`${id}: ${reason}`]));
  return failed.length === 0
    ? { status: 'success', url, reason: null }
    : { status: 'failure', url, reason: failed.join('\n\n') };
}

async function explainFailure(result: ValidatorResult): Promise<string | null> {
  const missing = result.missingArtifacts.map((name) => `artifact ${name} is missing`);
  const cases = listFailedCases(result).map((id) => `its report says that ${id} failed`);
  const passed = result.outcome === 'completed' && missing.length + cases.length === 0;
  if (passed) return null;
  const why = [result.reason ?? [], missing, cases].flat().join('; ');
  const output = await Promise.all([result.stdoutPath, result.stderrPath].map(readTail));
  return [why === '' ? result.outcome : why, ...output.filter((text) => text !== '')].join('\n');
}

/** A failed case in the report counts even if the exit code is 0. */
function listFailedCases({ harnessReport }: ValidatorResult): string[] {
  const cases: unknown = harnessReport?.value.cases;
  if (!Array.isArray(cases)) return [];
  return cases.flatMap((each: unknown) => {
    if (typeof each !== 'object' || each === null || !('status' in each)) return [];
    return each.status === 'failed' ? ['id' in each ? String(each.id) : 'a case'] : [];
  });
}

async function readTail(path: string | null): Promise<string> {
  if (path === null) return '';
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-TAIL_LINES).join('\n').slice(-TAIL_CHARACTERS);
}
