// What a report over 2,000 ended runs costs beyond reading their logs once, and that a second report reads no log of an
// ended run again. Exits 1 when a limit is broken, 2 when nothing could be measured. `--short` uses 200 runs.
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exitWith } from './outcome.mjs';

const RUNS = process.argv.includes('--short') ? 200 : 2_000;
/** What the report may add to reading the logs, and what a report from kept summaries may take. */
const LIMIT_MS = 1_000;
const NOW = new Date('2026-11-18T06:00:00.000Z');
const FIRST_PREV = '0'.repeat(64);

/** Copies a recorded run under another id, with a log that chains again. */
function copyRun(recorded, runsDir, at) {
  const runId = `01a1e5be-${at.toString(16).padStart(4, '0')}-7000-8000-000000000000`;
  const folder = join(runsDir, runId);
  cpSync(recorded, folder, { recursive: true });
  let prev = FIRST_PREV;
  let text = '';
  for (const line of readFileSync(join(recorded, 'events.ndjson'), 'utf8').trimEnd().split('\n')) {
    const event = JSON.stringify({ ...JSON.parse(line), run_id: runId, prev });
    prev = createHash('sha256').update(event).digest('hex');
    text += `${event}\n`;
  }
  writeFileSync(join(folder, 'events.ndjson'), text);
}

async function time(work) {
  const start = performance.now();
  const value = await work();
  return { ms: performance.now() - start, value };
}

async function main() {
  const root = join(import.meta.dirname, '..');
  const built = join(root, 'dist', 'src');
  if (!existsSync(built)) throw new Error('nothing is built; npm run setup builds it');
  const { createEmbeddedEngine } = await import(join(built, 'adapters', 'run-store', 'embedded-engine.js'));
  const { createSummaryCache } = await import(join(built, 'adapters', 'run-store', 'summary-cache.js'));
  const { reportRuns } = await import(join(built, 'app', 'report.js'));
  const folder = mkdtempSync(join(tmpdir(), 'conductor-bench-report-'));
  try {
    const recordedRuns = join(root, 'test', 'replay', 'v2', 'prepared-again');
    const recorded = join(recordedRuns, readdirSync(recordedRuns)[0]);
    const runsDir = join(folder, '.tnh', 'run');
    mkdirSync(runsDir, { recursive: true });
    for (let at = 0; at < RUNS; at += 1) copyRun(recorded, runsDir, at);
    const clock = { now: () => NOW };
    let reads = 0;
    const open = () => {
      const store = createEmbeddedEngine({ repoRoot: folder, runsDir, clock });
      const read = (runId) => {
        reads += 1;
        return store.read(runId);
      };
      const summaries = createSummaryCache(runsDir);
      return {
        records: { repoRoot: folder, clock, store: { ...store, read }, summaries },
        repoOption: null,
        readQuestions: async () => ({ ok: true, value: [] }),
        isOnDefaultBranch: async () => false,
        diskUse: async () => ({ runs_bytes: 0, workspaces_bytes: 0, is_complete: true }),
      };
    };
    const scope = { kind: 'since', since: '2026-01-01T00:00:00.000Z' };
    const { store } = open().records;
    const logs = await time(async () => {
      for (const runId of await store.match('')) await store.read(runId);
    });
    reads = 0;
    const first = await time(() => reportRuns([open()], scope, NOW));
    const firstReads = reads;
    reads = 0;
    const second = await time(() => reportRuns([open()], scope, NOW));
    const added = first.ms - logs.ms;
    console.log(`${RUNS} runs; reading the logs once takes ${Math.round(logs.ms)} ms`);
    console.log(`first report: ${Math.round(added)} ms beyond the logs, ${firstReads} logs read`);
    console.log(`second report: ${Math.round(second.ms)} ms, ${reads} logs read`);
    const reported = first.value.sections.reduce((sum, section) => sum + section.runs.length, 0);
    const isSame = JSON.stringify(first.value) === JSON.stringify(second.value);
    if (reported !== RUNS || !isSame) throw new Error('the reports do not have all runs, or differ');
    return added > LIMIT_MS || second.ms > LIMIT_MS || reads > 0 ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await exitWith(main);
