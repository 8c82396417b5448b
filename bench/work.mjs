// What it costs to apply a plan of 500 work items: all in one transaction, beside one transaction for each. Exits 1 when a
// limit is broken, 2 when nothing could be measured. `--short` measures fewer rounds.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from './measure.mjs';
import { exitWith } from './outcome.mjs';
import { compareWithLimits, formatTable } from './report.mjs';

const ROUNDS = process.argv.includes('--short') ? 3 : 9;
const ITEMS = 500;
/** The whole plan in one write must be there at once for who waits for it. */
const LIMIT_MS = 1000;
const AT = '2026-01-02T03:04:05.000Z';

function writesOf(at, earlier) {
  const fields = {
    title: `Item ${at}`,
    body: `## Objective\n\n${'Words of a plan. '.repeat(60)}\n`,
    type: 'implement',
    priority: 'medium',
    complexity: 'low',
    otherLabels: [],
  };
  const create = { kind: 'create_item', ref: `t${at}`, at: AT, fields };
  return at === 0 ? [create] : [create, { kind: 'link_item', item: `t${at}`, blockedBy: [earlier] }];
}

async function time(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function measureRound(openProvider, folder) {
  const one = openProvider(join(folder, 'one.db'));
  const many = openProvider(join(folder, 'many.db'));
  try {
    for (const provider of [one, many]) await provider.setUpLabels([]);
    const numbers = Array.from({ length: ITEMS }, (_, at) => at);
    const together = numbers.flatMap((at) => writesOf(at, `t${at - 1}`));
    return {
      many: await time(async () => {
        for (const at of numbers) await many.write(`w${at}`, writesOf(at, String(at)));
      }),
      one: await time(() => one.write('plan', together)),
    };
  } finally {
    await one.close();
    await many.close();
  }
}

async function main() {
  const built = join(import.meta.dirname, '..', 'dist', 'src', 'adapters', 'work-local');
  if (!existsSync(built)) throw new Error('nothing is built; npm run setup builds it');
  const { createWorkDatabase } = await import(join(built, 'database.js'));
  const { createLocalProvider } = await import(join(built, 'local-provider.js'));
  const openProvider = (path) =>
    createLocalProvider({ database: createWorkDatabase(path), revisions: null, check: null });
  const folder = mkdtempSync(join(tmpdir(), 'conductor-work-'));
  try {
    const rounds = [];
    for (let round = 0; round <= ROUNDS; round += 1)
      rounds.push(await measureRound(openProvider, join(folder, String(round))));
    // The first one warms up.
    const measured = rounds.slice(1);
    const medians = [median(measured.map(({ many }) => many)), median(measured.map(({ one }) => one))];
    const rows = compareWithLimits(
      [
        { name: `${ITEMS} items in ${ITEMS} transactions`, limit: null },
        { name: `${ITEMS} items in one transaction`, limit: 0.5 },
      ],
      medians,
    );
    const inTime = medians[1] <= LIMIT_MS;
    process.stdout.write(
      `${formatTable(rows)}\n${ROUNDS} rounds, node ${process.versions.node}; one transaction took ${medians[1].toFixed(0)} ms of ${LIMIT_MS}: ${inTime ? 'ok' : 'BROKEN'}\n`,
    );
    return inTime && !rows.some(({ broken }) => broken) ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await exitWith(main);
