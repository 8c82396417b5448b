// A suite that the tests run in a short form, in its long one.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs the tests of files or folders with settings in the environment, and exits as they do, or when too few passed. */
export function runLongSuite(tests, settings, { atLeast = 0, options = [] } = {}) {
  const root = join(import.meta.dirname, '..');
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  const folder = mkdtempSync(join(tmpdir(), 'conductor-suite-'));
  const report = join(folder, 'report.json');
  const reporters = ['--reporter=verbose', '--reporter=json', `--outputFile.json=${report}`];
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', ...reporters, ...options, ...[tests].flat()],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...Object.fromEntries(given) },
    },
  );
  const passed = passedIn(report);
  rmSync(folder, { recursive: true, force: true });
  if (passed < atLeast) process.stderr.write(`${passed} cases passed, and ${atLeast} were to\n`);
  process.exit(passed < atLeast ? 1 : (status ?? 1));
}

function passedIn(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8')).numPassedTests;
  } catch {
    return 0;
  }
}
