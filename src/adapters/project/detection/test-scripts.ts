import type { DetectedValidator } from '../../../contracts/config/detected-validator.ts';
import type { ProjectFiles } from './found-commands.ts';

/** Common paths of scripts that run the tests of a repository, most common first. */
export const TEST_SCRIPTS = [
  'script/test',
  'scripts/test',
  'scripts/test.sh',
  'scripts/tests.sh',
  'scripts/run-tests.sh',
  'scripts/run_tests.sh',
  'bin/test',
  'test.sh',
  'tests.sh',
  'run-tests.sh',
  'run_tests.sh',
  'runtests.sh',
  'run-tests',
  'run_tests.py',
  'runtests.py',
  'test/run.sh',
  'tests/run.sh',
  'tests/run-tests.sh',
  'tests/run_tests.sh',
  'tests/test.sh',
  'ci/test.sh',
  'check.sh',
  'scripts/check.sh',
] as const;

/** A script in the repository that runs the tests, with the interpreter of its shebang line. */
export function findTestScript(files: ProjectFiles): DetectedValidator[] {
  const path = TEST_SCRIPTS.find((name) => files.has(name));
  if (path === undefined) return [];
  const interpreter = interpreterOf(path, files.get(path) ?? '');
  return interpreter === null ? [] : [{ name: 'tests', command: [interpreter, path], source: path }];
}

function interpreterOf(path: string, text: string): string | null {
  const [, named, viaEnv] = /^#!\s*(?:\S*\/)?([\w.-]+)(?:[ \t]+(?:-S[ \t]+)?([\w.-]+))?/.exec(text) ?? [];
  const program = named === 'env' ? viaEnv : named;
  if (program !== undefined) return program;
  if (path.endsWith('.sh')) return 'sh';
  return path.endsWith('.py') ? 'python3' : null;
}
