#!/usr/bin/env node
import { packageVersion } from './package-root.ts';

/** The only place that sees adapters and surfaces together. Verbs load what they need when they need it. */
async function main(argv: readonly string[]): Promise<void> {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    process.stdout.write(`${packageVersion()}\n`);
    return;
  }
  const { runCommandLine } = await import('./surfaces/cli/program.ts');
  process.exitCode = await runCommandLine(argv, {
    version: packageVersion(),
    services: async () => (await import('./wiring.ts')).createServices(packageVersion()),
  });
}

await main(process.argv.slice(2));
