// Installs the packages of the engine postgres for its tests, in the versions that their lock file names. They are apart
// from the other packages because pg-boss declares a later Node than conductor does; without them the tests are skipped.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const place = join(import.meta.dirname, '..', 'test', 'engine-postgres');

if (['pg', 'pg-boss'].every((name) => existsSync(join(place, 'node_modules', name))))
  process.stdout.write('pg, pg-boss: there\n');
else {
  process.stdout.write('pg, pg-boss: installing (once) …\n');
  const { status } = spawnSync('npm', ['ci', '--loglevel=error'], { cwd: place, stdio: 'inherit' });
  if (status !== 0) process.exitCode = status ?? 1;
}
