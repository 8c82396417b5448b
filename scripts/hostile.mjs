// Lets hostile agents loose on throw-away repositories, without and with a sandbox, and looks at what became of each.
// A part of the same suite runs with the tests; see docs/hostile-agents.md.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runLongSuite } from './long-suite.mjs';

const USAGE = `npm run hostile -- [--only NAME] [--table FILE]

  --only NAME   this agent alone, as a failure names it
  --table FILE  writes what came of all of them into the page
`;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    table: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
if (values.only !== undefined && values.table !== undefined) {
  process.stderr.write(`the table is of all of them: leave --only out\n\n${USAGE}`);
  process.exit(2);
}

runLongSuite('test/hostile/hostile.test.ts', {
  HOSTILE_ALL: '1',
  HOSTILE_ONLY: values.only,
  HOSTILE_TABLE: values.table === undefined ? undefined : resolve(values.table),
});
