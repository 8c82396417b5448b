#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { packageVersion } from './package-root.ts';

// Most commands end before optimised code would pay for its compilation; long runs mostly wait for other processes.
// Without it, `validate` of 50 steps takes at least a tenth longer; bench/run.mjs measures both.
setFlagsFromString('--interrupt-budget=1000000');

/** The only place that imports adapters and surfaces together. Commands load their modules lazily. */
async function main(argv: readonly string[]): Promise<void> {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    process.stdout.write(`${packageVersion()}\n`);
    return;
  }
  const { runCommandLine } = await import('./surfaces/cli/program.ts');
  process.exitCode = await runCommandLine(argv, {
    version: packageVersion(),
    services: async () => {
      const { closeInheritedDescriptors } = await import('./adapters/process/descriptors.ts');
      closeInheritedDescriptors();
      return (await import('./wiring.ts')).createServices(packageVersion());
    },
  });
}

await main(process.argv.slice(2));
