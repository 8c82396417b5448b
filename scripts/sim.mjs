// Runs random workflows on the real runtime in a simulated world where everything goes wrong, and checks the
// laws. The same suite runs, shorter, with the tests; see docs/internals/simulator.md. SEED=N repeats one run.
import { parseArgs } from 'node:util';
import { runLongSuite } from './long-suite.mjs';

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

runLongSuite('test/sim', { SIM_RUNS: values.runs });
