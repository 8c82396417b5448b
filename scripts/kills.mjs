// Kills conductor in the middle of real runs, removals and commands on work items, and checks that they end as if they were
// never killed. Shorter forms of the same suites run with the tests; see docs/internals/kills.md.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runLongSuite } from './long-suite.mjs';

const USAGE = `npm run kills -- [--count N] [--seed N] [--only N] [--table FILE]

  --count N     kills of runs in all (200)
  --seed N      which ones (1)
  --only N      only the run of this number, as a failure names it
  --table FILE  writes the results into this Markdown page
`;

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    table: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
for (const name of ['count', 'seed', 'only'])
  if (values[name] !== undefined && !/^\d+$/.test(values[name])) {
    process.stderr.write(`--${name} takes a whole number\n\n${USAGE}`);
    process.exit(2);
  }

runLongSuite(
  values.only === undefined ? 'test/kills' : 'test/kills/kills.slow.test.ts',
  {
    KILLS_TOTAL: values.count,
    KILLS_SEED: values.seed,
    KILLS_ONLY: values.only,
    KILLS_TABLE: values.table === undefined ? undefined : resolve(values.table),
  },
  // A moment is a share of the duration of a run, which must not depend on other tests.
  { options: ['--no-file-parallelism'] },
);
