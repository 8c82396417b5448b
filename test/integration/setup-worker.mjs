// Prepares a checkout, or reserves ports, in a process of its own. Its only argument is JSON.
import { resolveProgram } from '../../dist/src/adapters/process/program.js';
import { createSupervisor } from '../../dist/src/adapters/process/supervisor.js';
import { createCheckoutSetup } from '../../dist/src/adapters/setup/checkout-setup.js';

const { deps, request, ports } = JSON.parse(process.argv[2] ?? '{}');
const setup = createCheckoutSetup({
  ...deps,
  supervisor: createSupervisor(),
  resolveProgram,
  captureLimitBytes: 1_000_000,
  graceMs: 200,
});
if (ports === undefined) {
  const result = await setup.prepare({
    ...request,
    signal: new AbortController().signal,
    onLine: (line) => process.stdout.write(`line ${line}\n`),
  });
  process.stdout.write(`${JSON.stringify(result)}\n`);
} else {
  const reserved = [];
  for (const each of ports) reserved.push(await setup.reservePorts(each));
  process.stdout.write(`${JSON.stringify(reserved)}\n`);
  // The ports are held by this process: it runs until its input is closed.
  process.stdin.resume();
}
