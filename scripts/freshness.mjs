// Whether what is installed and built still belongs to the files it was made from.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const at = (...parts) => join(root, ...parts);

const SETTINGS = [
  'package-lock.json',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'scripts/build.mjs',
];

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

/** The file holds the digest of what its folder was made from, taken before it was made. */
function madeFrom(stamp, read) {
  return {
    read,
    isMark: (wanted) => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted,
    mark: (wanted) => writeFileSync(stamp, wanted),
  };
}

export const installation = madeFrom(at('node_modules', '.installed'), () =>
  digest([at('package-lock.json')]),
);

export const build = madeFrom(at('dist', '.built'), () =>
  digest([
    ...['src', 'harness', 'testing', 'web'].flatMap((folder) => filesBelow(at(folder))),
    ...SETTINGS.map((name) => at(name)),
  ]),
);
