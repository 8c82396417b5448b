// Gives honest agents ordinary tasks in temporary repositories, without and with a sandbox, and checks that no run ends
// worse than with a question to a person. Some of them run with the tests; see docs/internals/honest-agents.md.
import { parseArgs } from 'node:util';
import { runLongSuite } from './long-suite.mjs';

const USAGE = `npm run honest -- [--only TASK]

  --only TASK  only this task, as a failure names it, without what follows the last colon
`;

const { values } = parseArgs({
  options: { only: { type: 'string' }, help: { type: 'boolean', default: false } },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}

runLongSuite('test/honest/honest.slow.test.ts', { HONEST_ALL: '1', HONEST_ONLY: values.only });
