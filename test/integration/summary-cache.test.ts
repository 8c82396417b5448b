import { appendFile, cp, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect } from 'vitest';
import { createEmbeddedEngine } from '../../src/adapters/run-store/embedded-engine.ts';
import { createSummaryCache } from '../../src/adapters/run-store/summary-cache.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { type SummarizedRuns, summarizeRuns } from '../../src/app/runs/summaries.ts';
import { RECORDED_RUNS, recordedRun } from '../replay/recorded-runs.ts';

interface Scene {
  readonly runsDir: string;
  readonly cache: string;
  /** Summarizes all runs, and says how many logs were read. */
  readonly summarize: () => Promise<SummarizedRuns & { readonly reads: number }>;
}

const test = base.extend<{ scene: Scene }>({
  scene: async ({ task: _task }, use) => {
    const runsDir = await realpath(await mkdtemp(join(tmpdir(), 'conductor-summaries-')));
    for (const run of RECORDED_RUNS) await cp(run.path, join(runsDir, run.runId), { recursive: true });
    const summarize = async () => {
      const store = createEmbeddedEngine({ repoRoot: runsDir, runsDir, clock: systemClock });
      let reads = 0;
      const counted: typeof store = {
        ...store,
        read: (runId) => {
          reads += 1;
          return store.read(runId);
        },
      };
      const found = await summarizeRuns({ store: counted, summaries: createSummaryCache(runsDir) });
      return { ...found, reads };
    };
    await use({ runsDir, cache: join(runsDir, 'summaries.ndjson'), summarize });
    await rm(runsDir, { recursive: true, force: true });
  },
});

const ALL = RECORDED_RUNS.length;

test('the log of an ended run is read once', async ({ scene }) => {
  const first = await scene.summarize();
  const second = await scene.summarize();
  expect([first.reads, second.reads]).toEqual([ALL, 0]);
  expect(second.runs).toEqual(first.runs);
  expect(first.runs).toHaveLength(ALL);
});

test('a log that changed after the end of its run is read again', async ({ scene }) => {
  await scene.summarize();
  const log = join(scene.runsDir, recordedRun('v2/published').runId, 'events.ndjson');
  const lines = (await readFile(log, 'utf8')).trimEnd().split('\n');
  // The last line reports a notification, which may come after the end.
  await writeFile(log, `${lines.slice(0, -1).join('\n')}\n`);
  const { reads, runs } = await scene.summarize();
  expect(reads).toBe(1);
  expect(runs).toHaveLength(ALL);
});

test.each([
  ['a torn last line', async (path: string) => appendFile(path, '{"log_bytes":12,"summ')],
  ['lines that are no summaries', async (path: string) => appendFile(path, 'x\n{}\n[]\nnull\n')],
])('%s of the cache are skipped', async (_name, damage) => {
  const runsDir = await realpath(await mkdtemp(join(tmpdir(), 'conductor-summaries-')));
  try {
    const run = recordedRun('v2/prepared-again');
    await cp(run.path, join(runsDir, run.runId), { recursive: true });
    const store = createEmbeddedEngine({ repoRoot: runsDir, runsDir, clock: systemClock });
    const records = { store, summaries: createSummaryCache(runsDir) };
    const before = await summarizeRuns(records);
    await damage(join(runsDir, 'summaries.ndjson'));
    expect((await summarizeRuns(records)).runs).toEqual(before.runs);
  } finally {
    await rm(runsDir, { recursive: true, force: true });
  }
});

test('entries of another version count as missing', async ({ scene }) => {
  await scene.summarize();
  const text = await readFile(scene.cache, 'utf8');
  await writeFile(scene.cache, text.replaceAll(/"schema_version":\d+/g, '"schema_version":99'));
  expect((await scene.summarize()).reads).toBe(ALL);
  expect((await scene.summarize()).reads).toBe(0);
});

test('a log that is corrupt is named and hides no other run', async ({ scene }) => {
  const { runId } = recordedRun('v2/unprepared');
  await writeFile(join(scene.runsDir, runId, 'events.ndjson'), '{}\n');
  const { runs, unreadable } = await scene.summarize();
  expect(runs).toHaveLength(ALL - 1);
  expect(unreadable).toMatchObject([{ runId, problem: { kind: 'corrupt', line: 1 } }]);
});
