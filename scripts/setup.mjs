// Installs and builds, each only when something it depends on has changed. Needs Node, npm and nothing else.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const at = (...parts) => join(root, ...parts);

function digest(paths) {
  const hash = createHash('sha256').update(process.version);
  for (const path of paths) hash.update(`${path}\0`).update(readFileSync(path));
  return hash.digest('hex');
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function isFresh(stamp, wanted) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
}

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

const installStamp = at('node_modules', '.installed');
const installWanted = digest([at('package-lock.json')]);
if (!isFresh(installStamp, installWanted)) {
  process.stderr.write('installing (once) …\n');
  run('npm ci', 'npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  writeFileSync(installStamp, installWanted);
}

const buildStamp = at('dist', '.built');
const sources = ['src', 'harness', 'testing', 'web'].flatMap((folder) => filesBelow(at(folder)));
const buildWanted = digest([
  ...sources,
  ...['package-lock.json', 'package.json', 'tsconfig.json', 'tsconfig.build.json', 'scripts/build.mjs'].map(
    (name) => at(name),
  ),
]);
if (!isFresh(buildStamp, buildWanted)) {
  process.stderr.write('building …\n');
  run('the build', process.execPath, [at('scripts', 'build.mjs')]);
  writeFileSync(buildStamp, buildWanted);
}
