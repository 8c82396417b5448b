import { stringify } from 'yaml';
import type { Command } from '../contracts/config/setup-config.ts';
import { type DetectedSetup, detectSetup } from './detect-setup.ts';
import { LOCK_FILES, listsDependencies, type TopFiles } from './lock-files.ts';

/** The `setup` section of a configuration file, as text. */
export function setupBlock(setup: DetectedSetup): string {
  const run = setup.run.map((command) => formatFlow(command));
  const oneLine = `  run: [${run.join(', ')}]`;
  return [
    'setup:',
    ...(run.length === 1 || oneLine.length <= 100
      ? [oneLine]
      : ['  run:', ...run.map((command) => `    - ${command}`)]),
    `  cache: { key: ${formatFlow(setup.key)}, paths: ${formatFlow(setup.paths)} }`,
    '',
  ].join('\n');
}

/** The section with a comment that explains why it is needed, for a new configuration. */
export function explainedSetupBlock(setup: DetectedSetup): string {
  const named = setup.sources.join(' and ');
  return [
    '# A run works in checkouts of its own, which have none of the packages in yours. These commands install them, as',
    `# ${named} ${setup.sources.length === 1 ? 'says' : 'say'}; \`paths\` are kept for the next run as long as the files in \`key\` stay the same.`,
    ...(setup.hasVirtualEnvironment
      ? ['# A virtual environment names its own path, so every checkout gets a new one.']
      : []),
    setupBlock(setup),
  ].join('\n');
}

export interface SetupAdvice {
  readonly hasLockFileWithDependencies: boolean;
  /** The lock files that list dependencies. */
  readonly lockFiles: readonly string[];
  /** The section to add to the configuration; empty if no lock file was found. */
  readonly block: string;
}

/** What to add to the configuration of a repository without `setup`. */
export function missingSetupAdvice(files: TopFiles): SetupAdvice {
  const setup = detectSetup(files);
  const lockFiles = LOCK_FILES.filter((name) => {
    const text = files.get(name);
    return text !== undefined && listsDependencies(name, text);
  });
  return {
    hasLockFileWithDependencies: lockFiles.length > 0,
    lockFiles,
    block: setup === null ? '' : setupBlock(setup),
  };
}

function formatFlow(words: Command | readonly string[]): string {
  return stringify(words, {
    collectionStyle: 'flow',
    flowCollectionPadding: false,
    lineWidth: 0,
  }).trimEnd();
}
