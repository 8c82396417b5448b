// Drives several runs at once in one process, as a program does that uses the library. Prints one JSON document.
import { join } from 'node:path';

const { runWorkflow } = await import(join(import.meta.dirname, '../../dist/lib/index.js'));
const [, , repo, ...workflows] = process.argv;

const results = await Promise.all(workflows.map((workflow) => runWorkflow({ repo, workflow, trust: true })));
process.stdout.write(JSON.stringify(results));
