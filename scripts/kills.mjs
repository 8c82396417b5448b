// Kills the conductor in the middle of real runs and of commands on work items, and looks whether they end as if nothing had
// happened. The same suites run, shorter, with the tests; see docs/kills.md.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runLongSuite } from './long-suite.mjs';

const USAGE = `npm run kills -- [--count N] [--seed N] [--only N] [--table FILE]

  --count N     kills of runs in all (200)
  --seed N      which ones (1)
  --only N      the run of this number alone, as a failure names it
  --table FILE  writes what came of them as Markdown
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
  values.only === undefined ? 'test/kills' : 'test/kills/kills.test.ts',
  {
    KILLS_TOTAL: values.count,
    KILLS_SEED: values.seed,
    KILLS_ONLY: values.only,
    KILLS_TABLE: values.table === undefined ? undefined : resolve(values.table),
  },
  // A moment is a share of the time that a run takes, which must not hang on what else goes on.
  { options: ['--no-file-parallelism'] },
);
