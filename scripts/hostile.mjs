// Starts hostile agents in temporary repositories, without and with a sandbox, and records what became of each act; then
// the agents that want a pass without doing the work.
// Some of them run with the tests; see docs/internals/hostile-agents.md.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runLongSuite } from './long-suite.mjs';

const USAGE = `npm run hostile -- [--only NAME] [--table FILE]

  --only NAME   only this agent, as a failure names it
  --table FILE  writes the results of all agents into this page
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
  process.stderr.write(`--table needs all agents: remove --only\n\n${USAGE}`);
  process.exit(2);
}

const MATRIX = 'test/hostile/hostile.slow.test.ts';

runLongSuite(values.only === undefined ? [MATRIX, 'test/e2e/cheats-'] : MATRIX, {
  HOSTILE_ALL: '1',
  HOSTILE_ONLY: values.only,
  HOSTILE_TABLE: values.table === undefined ? undefined : resolve(values.table),
});
