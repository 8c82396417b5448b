import { readdirSync } from 'node:fs';
import { cp, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmbeddedEngine } from '../../src/adapters/run-store/embedded-engine.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import type { ReadResult, RunRecord } from '../../src/ports/run-store.ts';
import { type RunView, viewRun } from '../../src/runtime/record/run-view.ts';

/** A run that a version of the conductor once left, to be read by every later one. */
export interface RecordedRun {
  /** `v1/refined`: the version of its events, and what became of it. */
  readonly name: string;
  readonly runId: string;
  readonly runsDir: string;
  readonly path: string;
}

const VERSIONS = ['v1', 'v2'];

export const RECORDED_RUNS: readonly RecordedRun[] = VERSIONS.flatMap((version) =>
  readdirSync(join(import.meta.dirname, version)).map((name) => {
    const runsDir = join(import.meta.dirname, version, name);
    const [runId = ''] = readdirSync(runsDir);
    return { name: `${version}/${name}`, runId, runsDir, path: join(runsDir, runId) };
  }),
);

export function recordedRun(name: string): RecordedRun {
  const found = RECORDED_RUNS.find((run) => run.name === name);
  if (found === undefined) throw new Error(`no recorded run ${name}`);
  return found;
}

export function readRecord({ runsDir, runId }: RecordedRun): Promise<ReadResult> {
  return createEmbeddedEngine({ repoRoot: runsDir, runsDir, clock: systemClock }).read(runId);
}

export async function openRecord(
  run: RecordedRun,
): Promise<{ readonly record: RunRecord; readonly view: RunView }> {
  const read = await readRecord(run);
  if (!read.ok) throw new Error(`${run.name} can't be read: ${read.problem.kind}`);
  const view = viewRun(read.run.events);
  if (view === null) throw new Error(`${run.name} has no start`);
  return { record: read.run, view };
}

/** A copy to be damaged. */
export async function copyRun(
  run: RecordedRun,
): Promise<{ readonly copy: RecordedRun; readonly remove: () => Promise<void> }> {
  const runsDir = await realpath(await mkdtemp(join(tmpdir(), 'conductor-record-')));
  await cp(run.runsDir, runsDir, { recursive: true });
  return {
    copy: { ...run, runsDir, path: join(runsDir, run.runId) },
    remove: () => rm(runsDir, { recursive: true, force: true }),
  };
}
