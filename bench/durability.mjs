// What it costs to remember every step, beside others in the same run. Exits 1 when a limit is broken, 2 when
// nothing could be measured. `--short` measures fewer rounds.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { driveNoOp, noOpPlan, openStore } from './durability/conductor.mjs';
import { countFlushes } from './durability/flushes.mjs';
import { measureListing, measureRecovery, measureWaiting } from './durability/records.mjs';
import { median } from './measure.mjs';
import { exitWith } from './outcome.mjs';
import { align, firstThatHolds } from './report.mjs';

const SHORT = process.argv.includes('--short');
const STEPS = 10;
const AT_ONCE = 64;
const ROUNDS = SHORT ? 3 : 9;
const RUNS_IN_A_ROW = SHORT ? 10 : 30;
/** The short form measures few rounds, often on a busy machine, where the ratio of throughputs was seen to vary by a factor of two. */
const SLACK = SHORT ? 2 : 1;

function installPeers() {
  const folder = join(import.meta.dirname, 'peers');
  if (existsSync(join(folder, 'node_modules', 'xstate'))) return;
  const npm = spawnSync('npm', ['ci', '--ignore-scripts'], { cwd: folder, encoding: 'utf8' });
  if (npm.status !== 0) throw new Error(`the peers can't be installed: ${npm.stderr.trim()}`);
}

function measureOne(id, folder) {
  const program = join(import.meta.dirname, 'durability', 'contend.mjs');
  const args = [program, id, folder, String(RUNS_IN_A_ROW)];
  const child = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (child.status !== 0) throw new Error(`${id} can't be measured: ${child.stderr.trim()}`);
  return JSON.parse(child.stdout);
}

/** Every contender in each round, each first in turn: what disturbs one disturbs all. */
function measureAll(contenders, folder) {
  const samples = contenders.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const offset of contenders.keys()) {
      const index = (offset + round) % contenders.length;
      const place = join(folder, `${round}-${index}`);
      samples[index].push(measureOne(contenders[index].id, place));
      rmSync(place, { recursive: true });
    }
  }
  const rows = contenders.map(({ name }, index) => ({
    name,
    single: median(samples[index].map(({ single }) => single)),
    throughput: median(samples[index].map(({ throughput }) => throughput)),
    around: median(samples[index].map(({ around }) => around)),
  }));
  const [, langGraph, , own] = rows;
  const { broken } = compareWithLimits(ratiosOf(own, langGraph));
  return rows.map((row) => ({ ...row, broken }));
}

function ratiosOf(own, langGraph) {
  return [
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
  ];
}

function tableOf(rows) {
  const [raw, langGraph] = rows;
  const cells = rows.map(({ name, single, throughput }) => [
    name,
    single.toFixed(2),
    (single / raw.single).toFixed(2),
    (single / langGraph.single).toFixed(2),
    throughput.toFixed(0),
    (throughput / raw.throughput).toFixed(2),
    (throughput / langGraph.throughput).toFixed(1),
  ]);
  const head = [
    '10 steps that do nothing',
    'ms a step',
    'to raw',
    'to LangGraph',
    `steps/s, ${AT_ONCE} at once`,
    'to raw',
    'to LangGraph',
  ];
  return align([head, ...cells]);
}

function compareWithLimits(limits) {
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
    const contenders = [
      { name: 'raw append and fdatasync', id: 'raw' },
      { name: 'LangGraph.js, SqliteSaver', id: 'langgraph' },
      { name: 'XState, SQLite FULL', id: 'xstate' },
      { name: 'conductor', id: 'conductor' },
    ];
    const rows = await firstThatHolds(() => measureAll(contenders, folder));
    const [, langGraph, , own] = rows;
    process.stdout.write(
      `${tableOf(rows)}\n${ROUNDS} rounds, node ${process.versions.node}; to make and close a run of conductor takes ${own.around.toFixed(1)} ms besides\n\n`,
    );
    const store = openStore(join(folder, 'flushes'));
    const flushes = await countFlushes(() => driveNoOp(store, noOpPlan(STEPS)));
    const recovery = await measureRecovery(join(folder, 'recovery'), SHORT ? 3 : 9);
    const listing = await measureListing(join(folder, 'listing'), SHORT ? 3 : 9);
    const { text, broken } = compareWithLimits([
      { what: 'flushes a step, those of start and end included', value: flushes / STEPS, limit: 2, unit: '' },
      ...ratiosOf(own, langGraph),
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

await exitWith(main);
