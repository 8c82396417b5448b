// Drives real agents against a scripted model. Without the agents the suite is skipped; see scripts/install-agents.mjs.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runLongSuite } from './long-suite.mjs';

const USAGE = `npm run agents:real -- [--short] [--table FILE] [--at-least COUNT]

  --short           a part of it, as the tests do
  --table FILE      writes what came of each fault into the page
  --at-least COUNT  fails when fewer cases than this have passed, however few there were to run
`;

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    table: { type: 'string' },
    'at-least': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
if (values.short && values.table !== undefined) {
  process.stderr.write(`the table is of all of them: leave --short out\n\n${USAGE}`);
  process.exit(2);
}

runLongSuite(
  'test/real-agents',
  {
    REAL_AGENTS_ALL: values.short ? undefined : '1',
    FAULTS_TABLE: values.table === undefined ? undefined : resolve(values.table),
  },
  // Each of them is large, and several at once take longer than one after the other.
  { atLeast: Number(values['at-least'] ?? 0), options: ['--no-file-parallelism'] },
);
