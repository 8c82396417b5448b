// Packs the project, installs the packed file into an empty folder with an empty cache, and measures `node_modules`.
// Exits 1 if the package with its dependencies takes more than the limit. `--at DIR` measures the installation in DIR instead.
import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** In units of 1,048,576 bytes, as `du -m` counts. */
const LIMIT_MB = 60;
const ROOT = join(import.meta.dirname, '..');

function run(args, cwd) {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} exited with ${status}: ${stderr}`);
  return stdout.trim();
}

function install(place) {
  const file = run(['pack', '--silent', '--pack-destination', place], ROOT).split('\n').at(-1);
  const folder = join(place, 'empty');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const options = ['--no-audit', '--no-fund', '--loglevel=error', '--cache', join(place, 'cache')];
  const start = performance.now();
  run(['install', ...options, join(place, file)], folder);
  return { folder, seconds: (performance.now() - start) / 1_000 };
}

/** Bytes of the files below a folder: their content, and the disk blocks that they and their folders take. */
function measure(folder) {
  const total = { files: 0, content: 0, disk: 0 };
  for (const path of readdirSync(folder, { recursive: true })) {
    const found = lstatSync(join(folder, path));
    total.disk += found.blocks * 512;
    if (found.isDirectory()) continue;
    total.files += 1;
    total.content += found.size;
  }
  return total;
}

const at = process.argv.indexOf('--at');
const place = at === -1 ? mkdtempSync(join(tmpdir(), 'conductor-size-')) : null;
try {
  const { folder, seconds } = place === null ? { folder: process.argv[at + 1] } : install(place);
  const { files, content, disk } = measure(join(folder, 'node_modules'));
  const megabytes = (bytes) => (bytes / 1024 / 1024).toFixed(1);
  const took = seconds === undefined ? '' : `, installed in ${seconds.toFixed(0)} s`;
  const isTooLarge = Math.max(content, disk) > LIMIT_MB * 1024 * 1024;
  process.stdout.write(
    `install size: ${megabytes(content)} MB in ${files} files, ${megabytes(disk)} MB on disk${took}; the limit is ${LIMIT_MB} MB\n`,
  );
  if (isTooLarge) process.exitCode = 1;
} finally {
  if (place !== null) rmSync(place, { recursive: true, force: true });
}
