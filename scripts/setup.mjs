// Installs and builds, each only when something it depends on has changed. Needs Node, npm and nothing else.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build, installation } from './freshness.mjs';

const root = join(import.meta.dirname, '..');

function run(what, command, args) {
  const npm = process.env.npm_execpath;
  const [program, argv] =
    command === 'npm' && npm !== undefined ? [process.execPath, [npm, ...args]] : [command, args];
  const result = spawnSync(program, argv, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  if (result.status === 0) return;
  process.stderr.write(
    `${result.stdout ?? ''}${what} failed: ${result.error?.message ?? `exit ${result.status}`}\n`,
  );
  process.exit(1);
}

const packages = installation.read();
if (!installation.isMark(packages)) {
  process.stderr.write('installing (once) …\n');
  run('npm ci', 'npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  installation.mark(packages);
}

const sources = build.read();
if (!build.isMark(sources)) {
  process.stderr.write('building …\n');
  run('the build', process.execPath, [join(root, 'scripts', 'build.mjs')]);
  build.mark(sources);
}
