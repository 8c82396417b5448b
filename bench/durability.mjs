// What it costs to remember every step, beside others in the same run. Exits 1 when a limit is broken, 2 when
// nothing could be measured. `--short` measures fewer rounds.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { driveNoOp, noOpPlan, openStore } from './durability/conductor.mjs';
import { countFlushes } from './durability/flushes.mjs';
import { createLangGraph, createRaw, createXState } from './durability/peers.mjs';
import { measureListing, measureRecovery, measureWaiting } from './durability/records.mjs';
import { median } from './measure.mjs';
import { align } from './report.mjs';

const SHORT = process.argv.includes('--short');
const STEPS = 10;
const AT_ONCE = 64;
const ROUNDS = SHORT ? 3 : 9;
const RUNS_IN_A_ROW = SHORT ? 10 : 30;
/** A few rounds on a machine that does other things as well say less, so they are held to less. */
const SLACK = SHORT ? 1.5 : 1;

function installPeers() {
  const folder = join(import.meta.dirname, 'peers');
  if (existsSync(join(folder, 'node_modules', 'xstate'))) return;
  const npm = spawnSync('npm', ['ci', '--ignore-scripts'], { cwd: folder, encoding: 'utf8' });
  if (npm.status !== 0) throw new Error(`the peers can't be installed: ${npm.stderr.trim()}`);
}

function createConductor() {
  const plan = noOpPlan(STEPS);
  return {
    prepare: async (folder) => openStore(folder),
    run: (store) => driveNoOp(store, plan),
    close: async () => {},
  };
}

/** Milliseconds a step with one run at a time, and steps a second with many at once. */
async function measureOne({ prepare, run, close }, folder) {
  mkdirSync(folder);
  const place = await prepare(folder, STEPS);
  await run(place, STEPS);
  const start = performance.now();
  for (let index = 0; index < RUNS_IN_A_ROW; index += 1) await run(place, STEPS);
  const single = (performance.now() - start) / (RUNS_IN_A_ROW * STEPS);
  const many = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, () => run(place, STEPS)));
  const throughput = (AT_ONCE * STEPS * 1000) / (performance.now() - many);
  await close(place);
  return { single, throughput };
}

/** Every contender in each round, each first in turn: what disturbs one disturbs all. */
async function measureAll(contenders, folder) {
  const samples = contenders.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const offset of contenders.keys()) {
      const index = (offset + round) % contenders.length;
      const place = join(folder, `${round}-${index}`);
      samples[index].push(await measureOne(contenders[index].engine, place));
      rmSync(place, { recursive: true });
    }
  }
  return contenders.map(({ name }, index) => ({
    name,
    single: median(samples[index].map(({ single }) => single)),
    throughput: median(samples[index].map(({ throughput }) => throughput)),
  }));
}

function tableOf(rows, langGraph) {
  const cells = rows.map(({ name, single, throughput }) => [
    name,
    single.toFixed(2),
    (single / langGraph.single).toFixed(2),
    throughput.toFixed(0),
    (throughput / langGraph.throughput).toFixed(1),
  ]);
  const head = [
    '10 steps that do nothing',
    'ms a step',
    'to LangGraph',
    `steps/s, ${AT_ONCE} at once`,
    'to LangGraph',
  ];
  return align([head, ...cells]);
}

function judge(limits) {
  const cells = limits.map(({ what, value, limit, unit, atLeast = false }) => {
    const stretched = atLeast ? limit / SLACK : limit * SLACK;
    const holds = atLeast ? value >= stretched : value <= stretched;
    const digits = value < 10 ? 2 : 0;
    return [
      what,
      `${value.toFixed(digits)} ${unit}`.trim(),
      `${atLeast ? '>=' : '<='} ${Number(stretched.toFixed(2))}`,
      holds ? 'ok' : 'BROKEN',
    ];
  });
  return {
    text: align([['what', 'measured', 'limit', ''], ...cells]),
    broken: cells.some((row) => row[3] !== 'ok'),
  };
}

async function main() {
  if (!existsSync(join(import.meta.dirname, '..', 'dist', 'src')))
    throw new Error('nothing is built; npm run setup builds it');
  installPeers();
  const folder = mkdtempSync(join(tmpdir(), 'conductor-durability-'));
  try {
    const conductor = createConductor();
    const contenders = [
      { name: 'raw append and fdatasync', engine: createRaw() },
      { name: 'LangGraph.js, SqliteSaver', engine: await createLangGraph() },
      { name: 'XState, SQLite FULL', engine: await createXState() },
      { name: 'conductor', engine: conductor },
    ];
    const rows = await measureAll(contenders, folder);
    const [, langGraph, , own] = rows;
    process.stdout.write(`${tableOf(rows, langGraph)}\n${ROUNDS} rounds, node ${process.versions.node}\n\n`);
    const store = openStore(join(folder, 'flushes'));
    const flushes = await countFlushes(() => conductor.run(store));
    const recovery = await measureRecovery(join(folder, 'recovery'), SHORT ? 3 : 9);
    const listing = await measureListing(join(folder, 'listing'), SHORT ? 3 : 9);
    const { text, broken } = judge([
      { what: 'flushes a step, those of start and end included', value: flushes / STEPS, limit: 3, unit: '' },
      {
        what: 'time of one run to that of LangGraph',
        value: own.single / langGraph.single,
        limit: 0.6,
        unit: '',
      },
      {
        what: `throughput of ${AT_ONCE} runs to that of LangGraph`,
        value: own.throughput / langGraph.throughput,
        limit: 10,
        unit: '',
        atLeast: true,
      },
      { what: `recovery of ${recovery.events} events`, value: recovery.ms, limit: 300, unit: 'ms' },
      {
        what: `memory of a run that waits`,
        value: measureWaiting(join(folder, 'waiting')),
        limit: 100,
        unit: 'kB',
      },
      { what: `list of ${listing.runs} runs`, value: listing.ms, limit: 500, unit: 'ms' },
    ]);
    process.stdout.write(`${text}\n`);
    return broken ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
