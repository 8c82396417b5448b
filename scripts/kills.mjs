// Kills the conductor in the middle of real runs and looks whether `resume` makes them end as if nothing had
// happened. The same suite runs, shorter, with the tests; see docs/kills.md.
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const USAGE = `npm run kills -- [--count N] [--seed N] [--only N] [--table FILE]

  --count N     kills in all (200)
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

const root = join(import.meta.dirname, '..');
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', '--reporter=verbose', 'test/kills/kills.test.ts'],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      KILLS_TOTAL: values.count,
      KILLS_SEED: values.seed,
      ...(values.only === undefined ? {} : { KILLS_ONLY: values.only }),
      ...(values.table === undefined ? {} : { KILLS_TABLE: resolve(values.table) }),
    },
  },
);
process.exit(status ?? 1);
