// Prints, as JSON, the milliseconds that one command spends on the trust check and on escaping a long text. Each is
// measured once, in a new process, after the project was opened: as in `conductor run`.
import { createServices } from '../../dist/src/wiring.js';

const [root] = process.argv.slice(2);
const services = createServices('bench');
const opened = await services.openProject(root);
if (!opened.ok) throw new Error(opened.obstacle.message);
// A command has loaded these by then.
await import('../../dist/src/app/trust.js');
const { escapeUnsafe } = await import('../../dist/src/text/outside-text.js');

const wanted = { configuration: true, workflows: [], allWorkflows: true, work: true, suite: null };
const trustStart = performance.now();
const trust = await services.openTrust(root, wanted);
const trustMs = performance.now() - trustStart;
if (!trust.ok) throw new Error(trust.obstacle.message);

const text = 'A line of output with \u001b[31mcolour\u001b[0m and a zero\u200bwidth character.\n'.repeat(
  1000,
);
const textStart = performance.now();
const escaped = escapeUnsafe(text);
const textMs = performance.now() - textStart;
if (escaped.includes('\u001b')) throw new Error('the text was not escaped');

process.stdout.write(`${JSON.stringify({ trustMs, textMs })}\n`);
