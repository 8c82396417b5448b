import { basename, dirname } from 'node:path';
import { expect } from 'vitest';
import { createEmbeddedEngine } from '../../src/adapters/run-store/embedded-engine.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { replayRun } from '../../src/app/runs/replay-run.ts';
import { verifyRun } from '../../src/app/runs/verify-run.ts';
import { viewRun } from '../../src/runtime/record/run-view.ts';

/** Whatever became of a run, its record verifies and its log is decided the same again. */
export async function expectSoundRecord(path: string): Promise<void> {
  const runsDir = dirname(path);
  const store = createEmbeddedEngine({ repoRoot: runsDir, runsDir, clock: systemClock });
  const read = await store.read(basename(path));
  expect((await verifyRun(read)).problems).toEqual([]);
  const view = read.ok ? viewRun(read.run.events) : null;
  if (!read.ok || view === null) throw new Error(`${path} holds no run`);
  const replayed = await replayRun({ record: read.run, view });
  expect(replayed).toMatchObject({ ok: true, replay: { difference: null }, derived: { problems: [] } });
}
