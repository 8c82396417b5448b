// Checks every property with more cases than the tests do; those are new ones each time, except where a test names a seed.
import { parseArgs } from 'node:util';
import { runLongSuite } from './long-suite.mjs';

const USAGE = `npm run properties -- [--times N]

  --times N  how many times the cases that npm test checks (20)
`;

const { values } = parseArgs({
  options: { times: { type: 'string', default: '20' }, help: { type: 'boolean', default: false } },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
if (!/^[1-9]\d*$/.test(values.times)) {
  process.stderr.write(`--times takes a whole number\n\n${USAGE}`);
  process.exit(2);
}

runLongSuite(['test/unit', 'test/integration/workspace/restore-property.slow.test.ts'], {
  PROPERTY_TIMES: values.times,
});
