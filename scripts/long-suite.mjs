// A suite that the tests run in a short form, in its long one.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Runs the tests of a file or folder with settings in the environment, and exits as they do. */
export function runLongSuite(tests, settings) {
  const root = join(import.meta.dirname, '..');
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  const { status } = spawnSync(process.execPath, [vitest, 'run', '--reporter=verbose', tests], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...Object.fromEntries(given) },
  });
  process.exit(status ?? 1);
}
