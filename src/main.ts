#!/usr/bin/env node
import { packageVersion } from './package-root.ts';

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
