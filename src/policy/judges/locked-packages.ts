import { isJsonObject, parseJsonObject } from '../../text/json.ts';
import type { Part } from './command-part.ts';

/**
 * The packages of a lock file that a check depends on: the runner with its dependencies, and the assertion
 * libraries. If one of them is replaced, the checks are no longer those of the base. Added packages don't count.
 */
export function lockedPackages(folder: string, program: string): Part[] {
  const inFolder = (name: string) => (folder === '' ? name : `${folder}/${name}`);
  return LOCK_FILES.map(([name, read]) => ({
    paths: [inFolder(name)],
    name: program,
    differs: (base, now) => {
      const kept = new Set(now === null ? [] : read(now, program));
      return read(base, program).some((locked) => !kept.has(locked));
    },
  }));
}

/** One text per package that belongs to a check: its location, version and source. */
type ReadLock = (text: string, program: string) => readonly string[];

const LOCK_FILES: readonly (readonly [string, ReadLock])[] = [
  ['package-lock.json', readNpm],
  ['npm-shrinkwrap.json', readNpm],
  ['yarn.lock', (text, program) => readBlocks(text, program, /^(?=\S)/m, /^"?(@?[^@\s"]+)@/)],
  [
    'pnpm-lock.yaml',
    (text, program) =>
      readBlocks(text, program, /^(?= {2}\S)/m, /^ {2}['"]?\/?(@?[^@\s'"/]+(?:\/[^@\s'"/]+)?)[@/]/),
  ],
  ['uv.lock', (text, program) => readBlocks(text, program, /^(?=\[\[package\]\])/m, /^name = "([^"]+)"/m)],
  [
    'poetry.lock',
    (text, program) => readBlocks(text, program, /^(?=\[\[package\]\])/m, /^name = "([^"]+)"/m),
  ],
  ['pdm.lock', (text, program) => readBlocks(text, program, /^(?=\[\[package\]\])/m, /^name = "([^"]+)"/m)],
  ['requirements.txt', readRequirements],
  ['requirements-dev.txt', readRequirements],
  ['requirements-test.txt', readRequirements],
];

/** Assertion libraries, besides the runner itself. */
const ASSERTION_LIBRARY =
  /^(?:chai|chai-.*|expect|should|assert|power-assert|sinon|@vitest\/.*|@jest\/.*|jest-.*|pluggy|pytest|_pytest)$/;

function isPartOfCheck(name: string, program: string): boolean {
  return (
    name === program ||
    ASSERTION_LIBRARY.test(name) ||
    (program === 'playwright' && name.startsWith('@playwright/'))
  );
}

/** npm's `packages` lists the dependencies of each package, so everything that the runner depends on can be found. */
function readNpm(text: string, program: string): readonly string[] {
  const packages = parseJsonObject(text)?.packages;
  if (!isJsonObject(packages)) return [];
  const pending = Object.keys(packages).filter((place) => {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(place)?.[1];
    return name !== undefined && isPartOfCheck(name, program);
  });
  const places = new Set(pending);
  for (const place of pending) {
    const needed = isJsonObject(packages[place]) ? packages[place].dependencies : null;
    for (const name of isJsonObject(needed) ? Object.keys(needed) : []) {
      const found = findPlace(packages, place, name);
      if (found === null || places.has(found)) continue;
      places.add(found);
      pending.push(found);
    }
  }
  return pending.map((place) => {
    const entry = packages[place];
    const { version, resolved, integrity, link } = isJsonObject(entry) ? entry : {};
    return JSON.stringify([place, version, resolved, integrity, link]);
  });
}

/** The nearest `node_modules` that contains the package, in Node's lookup order. */
function findPlace(packages: Readonly<Record<string, unknown>>, from: string, name: string): string | null {
  let folder = from;
  for (;;) {
    const found = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (Object.hasOwn(packages, found)) return found;
    if (folder === '') return null;
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1));
  }
}

/** Lines that identify a package, in lock files made of blocks. */
const IDENTITY = /^\s*(?:name|version|resolved|integrity|resolution|source|checksum)\b.*$/gm;

function readBlocks(text: string, program: string, start: RegExp, head: RegExp): readonly string[] {
  return text.split(start).flatMap((block) => {
    const name = head.exec(block)?.[1];
    if (name === undefined || !isPartOfCheck(name, program)) return [];
    return [[name, ...[...block.matchAll(IDENTITY)].map(([line]) => line.trim())].join('\n')];
  });
}

function readRequirements(text: string, program: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/\s*(?:#.*)?$/, '').trim())
    .filter((line) => isPartOfCheck(/^[\w.-]+/.exec(line)?.[0] ?? '', program));
}
