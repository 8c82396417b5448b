// Runs random workflows on the real runtime in a simulated world where everything goes wrong, and checks the
// laws. The same suite runs, shorter, with the tests; see docs/crashtest.md. SEED=N repeats one run.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const USAGE = `npm run sim -- [--runs N]

  --runs N  how many runs, from seed 1 on (10000)
`;

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '10000' }, help: { type: 'boolean', default: false } },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
if (!/^[1-9]\d*$/.test(values.runs)) {
  process.stderr.write(`--runs takes a whole number\n\n${USAGE}`);
  process.exit(2);
}

const root = join(import.meta.dirname, '..');
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', 'test/sim'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, SIM_RUNS: values.runs },
});
process.exit(status ?? 1);
