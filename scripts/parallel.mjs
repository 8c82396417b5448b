// Fifty runs at once from one repository, in five processes that drive ten each. The same suite runs, with fewer, with the
// tests.
import { parseArgs } from 'node:util';
import { runLongSuite } from './long-suite.mjs';

const USAGE = `npm run parallel -- [--runs N] [--processes N]

  --runs N       runs in all (50)
  --processes N  processes that drive them (5)
`;

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '50' },
    processes: { type: 'string', default: '5' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
for (const name of ['runs', 'processes'])
  if (!/^[1-9]\d*$/.test(values[name])) {
    process.stderr.write(`--${name} takes a whole number above 0\n\n${USAGE}`);
    process.exit(2);
  }

runLongSuite('test/e2e/parallel-runs.slow.test.ts', {
  PARALLEL_RUNS: values.runs,
  PARALLEL_PROCESSES: values.processes,
});
