// Writes the packages of other platforms into the lock file where npm left them out.
//
// npm drops an optional package that its registry does not have, and `npm ci` then refuses the lock file on
// every machine. Their names and exact versions stand with the packages that ask for them, and which platform
// they are for stands in their names; npm skips them where that platform is not this one.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SYSTEMS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const PROCESSORS = [
  'arm',
  'arm64',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
];

/** Adds what is missing and returns the names. Throws for a package whose platform its name does not tell. */
export function completeLock(lock) {
  const added = [];
  for (const [path, { optionalDependencies = {}, dev }] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const found = findLocked(lock.packages, path, name);
      // Of several versions of one package, one has the top, and the others lie below who asks for them.
      if (found !== null && (found.version === version || !/^\d/.test(version))) continue;
      const folder = found === null ? '' : `${path}/`;
      lock.packages[`${folder}node_modules/${name}`] = entryOf(name, version, dev);
      added.push(name);
    }
  }
  const byPath = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1));
  lock.packages = Object.fromEntries(byPath);
  return added;
}

/** Looks where Node would: beside the package that asks, then further out. */
function findLocked(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    const found = packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`];
    if (found !== undefined) return found;
    if (folder === '') return null;
  }
}

function entryOf(name, version, dev) {
  const words = name.slice(name.indexOf('/') + 1).split('-');
  const os = SYSTEMS.filter((system) => words.includes(system));
  const cpu = PROCESSORS.filter((processor) => words.includes(processor));
  const libc = words.some((word) => word.startsWith('musl'))
    ? ['musl']
    : words.some((word) => word.startsWith('gnu'))
      ? ['glibc']
      : [];
  if (os.length + cpu.length === 0 || !/^\d+\.\d+\.\d+/.test(version))
    throw new Error(`${name}@${version} can't be written into the lock file by its name alone`);
  return {
    version,
    ...(cpu.length === 0 ? {} : { cpu }),
    ...(dev === true ? { dev } : {}),
    ...(libc.length === 0 || !os.includes('linux') ? {} : { libc }),
    optional: true,
    ...(os.length === 0 ? {} : { os }),
  };
}

if (process.argv[1] === import.meta.filename) {
  const path = join(import.meta.dirname, '..', 'package-lock.json');
  const lock = JSON.parse(readFileSync(path, 'utf8'));
  const added = completeLock(lock);
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
  process.stdout.write(`${added.length} packages written into the lock file\n`);
}
