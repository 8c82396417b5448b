import { readlinkSync, realpathSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { packageNameIn, readCargoConfig, readDeclaredPaths } from '../../setup/declared-paths.ts';
import { PNPM_WORKSPACE, workspacePatterns } from '../../setup/detect-setup.ts';
import { type Dependency, type ForeignDependency, findForeign, pythonName } from '../../setup/foreign.ts';
import { matchesPattern } from '../../setup/owned-paths.ts';
import { isPathInside, resolveFrom } from '../../text/paths.ts';
import { findLandmarks, type Landmarks, readEntries, readText } from './checkout-walk.ts';
import { type PythonSites, readSite, seesSystemSites, sitesOfEnvironment } from './python-sites.ts';
import { createPauses, type Pauses } from './tree.ts';

export interface Scan {
  readonly foreign: readonly ForeignDependency[];
  /** Packages of the checkout itself as they are installed in it. */
  readonly installed: readonly Installed[];
}

export interface Installed {
  /** Absolute path at which programs find the package. */
  readonly path: string;
  /** Absolute path, without links, of the folder of the checkout that the package was installed from. */
  readonly source: string;
}

export interface ScanPlace {
  readonly checkout: string;
  readonly otherCheckouts: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | null;
}

/** Scans everything in and around a checkout through which programs find packages. */
export async function scanCheckout(pythonSites: PythonSites, place: ScanPlace): Promise<Scan> {
  const pauses = createPauses(place.signal);
  const checkout = await realpath(place.checkout);
  const others = await Promise.all(place.otherCheckouts.map((path) => realpath(path).catch(() => path)));
  const landmarks = await findLandmarks(checkout, pauses);
  const texts = await readManifests(checkout, [...landmarks.manifests, PNPM_WORKSPACE]);
  const own = findOwnPackages(texts);
  const collector = createCollector(checkout, place.env.HOME);
  collectLinks(collector, landmarks);
  collectDeclared(collector, texts, own);
  for (const path of landmarks.cargoConfigs)
    collector.declared(
      path,
      dirname(dirname(path)),
      readCargoConfig(await readText(join(checkout, path))),
      false,
    );
  for (const path of landmarks.modules) await collectModules(collector, path, own, pauses);
  await collectPython(collector, landmarks, await findSites(pythonSites, place, landmarks, checkout));
  await collectAbove(collector, checkout, pauses);
  const ownPackages = new Set([...own.keys()].flatMap((name) => [name, pythonName(name)]));
  return {
    foreign: findForeign(collector.dependencies, { checkout, others, ownPackages }),
    installed: collector.installed,
  };
}

type Texts = ReadonlyMap<string, string>;

async function readManifests(checkout: string, paths: readonly string[]): Promise<Texts> {
  const texts = new Map<string, string>();
  for (const path of paths) texts.set(path, await readText(join(checkout, path)));
  return texts;
}

/** The packages at the top of the checkout and in its workspace, with their folders. Others may be fixtures. */
function findOwnPackages(texts: Texts): ReadonlyMap<string, string> {
  const patterns = workspacePatterns(texts);
  const own = new Map<string, string>();
  for (const [path, text] of texts) {
    const folder = dirname(path);
    if (folder !== '.' && !patterns.some((pattern) => matchesPattern(pattern, folder))) continue;
    const name = packageNameIn(basename(path), text);
    if (name !== null) own.set(name, folder);
  }
  return own;
}

interface Collector {
  readonly checkout: string;
  readonly dependencies: Dependency[];
  readonly installed: Installed[];
  /** Adds a link on the disk, by its absolute path. */
  readonly link: (path: string, packageName: string | null, isRequired: boolean) => void;
  /**
   * Adds paths that a file names, relative to `folder`. `file` and `folder` are relative to the checkout, or absolute.
   */
  readonly declared: (
    file: string,
    folder: string,
    paths: Iterable<{ readonly path: string; readonly packageName: string | null }>,
    isRequired: boolean,
  ) => void;
}

function createCollector(checkout: string, home: string | undefined): Collector {
  const dependencies: Dependency[] = [];
  const nameOf = (path: string) => (isPathInside(checkout, path) ? relative(checkout, path) : path);
  const add = (source: string, path: string, packageName: string | null, isRequired: boolean) => {
    const real = realPathOf(path);
    const target = real ?? path;
    dependencies.push({ source: nameOf(source), target, exists: real !== null, packageName, isRequired });
  };
  return {
    checkout,
    dependencies,
    installed: [],
    link: (path, packageName, isRequired) => {
      const target = resolveFrom(dirname(path), readLinkTarget(path));
      // Most links of a package manager stay inside the checkout and need no further check.
      if (!isPathInside(checkout, target) || !isPathInside(checkout, path))
        add(path, target, packageName, isRequired);
    },
    declared: (file, folder, paths, isRequired) => {
      for (const { path, packageName } of paths) {
        const plain = decodeFileUrl(path).replace(/^~(?=\/)/, home ?? '~');
        add(
          resolveFrom(checkout, file),
          resolveFrom(resolveFrom(checkout, folder), plain),
          packageName,
          isRequired,
        );
      }
    },
  };
}

function collectLinks(collector: Collector, { links }: Landmarks): void {
  for (const path of links) collector.link(join(collector.checkout, path), null, false);
}

function collectDeclared(collector: Collector, texts: Texts, own: ReadonlyMap<string, string>): void {
  const { checkout } = collector;
  for (const [path, text] of texts) {
    const folder = dirname(path);
    const declared = readDeclaredPaths(basename(path), text);
    collector.declared(path, folder, declared, folder === '.');
    if (basename(path) !== 'package.json' || (folder !== '.' && ![...own.values()].includes(folder)))
      continue;
    for (const { path: target, packageName } of declared) {
      const source = realPathOf(resolveFrom(join(checkout, folder), decodeFileUrl(target)));
      const path =
        packageName === null ? null : findNearestPackage(checkout, join(checkout, folder), packageName);
      if (source !== null && path !== null) collector.installed.push({ path, source });
    }
  }
}

/** Where Node finds a package from a folder of the checkout: the nearest `node_modules` that has it. */
function findNearestPackage(checkout: string, folder: string, name: string): string | null {
  for (let from = folder; isPathInside(checkout, from); from = dirname(from)) {
    const path = join(from, 'node_modules', name);
    if (realPathOf(path) !== null) return path;
  }
  return null;
}

async function collectModules(
  collector: Collector,
  path: string,
  own: ReadonlyMap<string, string>,
  pauses: Pauses,
): Promise<void> {
  const { checkout } = collector;
  const { links, copies } = await findModuleLinks(join(checkout, path), pauses);
  for (const link of links) collector.link(link.path, link.name, true);
  for (const { path: copy, name } of copies) {
    const folder = own.get(name);
    if (folder !== undefined) collector.installed.push({ path: copy, source: resolveFrom(checkout, folder) });
  }
  const hidden = `${path}/.package-lock.json`;
  const text = await readText(join(checkout, hidden));
  if (text !== '')
    collector.declared(hidden, dirname(path), readDeclaredPaths('.package-lock.json', text), true);
}

/** The Python on the PATH counts unless an environment of the checkout hides it. Those of the checks always count. */
async function findSites(
  pythonSites: PythonSites,
  { env }: ScanPlace,
  { environments, isPython }: Landmarks,
  checkout: string,
): Promise<readonly string[]> {
  const isVisible = await Promise.all(environments.map((folder) => seesSystemSites(join(checkout, folder))));
  return pythonSites({ checkout, env, usesSystem: isPython && !isVisible.includes(false) });
}

async function collectPython(
  collector: Collector,
  { environments }: Landmarks,
  systemSites: readonly string[],
): Promise<void> {
  const folders = environments.map((folder) => join(collector.checkout, folder));
  for (const folder of folders)
    for (const entry of readEntries(join(folder, 'bin')))
      if (entry.isSymbolicLink()) collector.link(join(folder, 'bin', entry.name), null, false);
  const sites = [...folders.flatMap(sitesOfEnvironment), ...systemSites];
  for (const site of new Set(sites.flatMap((each) => realPathOf(each) ?? []))) {
    for (const { file, path, packageName, isEditable } of await readSite(site)) {
      const target = realPathOf(resolveFrom(site, path));
      // A path that does not exist is skipped by Python, too.
      if (target === null) continue;
      collector.declared(file, site, [{ path: target, packageName }], false);
      if (!isEditable) collector.installed.push({ path: file, source: target });
    }
  }
}

/** Node, Go and Cargo search every folder above the one that they start in. */
async function collectAbove(collector: Collector, checkout: string, pauses: Pauses): Promise<void> {
  for (let folder = dirname(checkout); ; folder = dirname(folder)) {
    const { links } = await findModuleLinks(join(folder, 'node_modules'), pauses);
    for (const link of links) collector.link(link.path, link.name, false);
    const work = join(folder, 'go.work');
    collector.declared(work, folder, readDeclaredPaths('go.work', await readText(work)), false);
    const cargo = join(folder, '.cargo', 'config.toml');
    collector.declared(cargo, folder, readCargoConfig(await readText(cargo)), false);
    if (folder === dirname(folder)) return;
  }
}

function readLinkTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '.';
  }
}

function realPathOf(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

function decodeFileUrl(path: string): string {
  if (!path.startsWith('file:')) return path;
  const plain = path.replace(/^file:(?:\/\/(?=\/))?/, '');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

/** A package in a `node_modules` folder that is a link. */
interface PackageLink {
  readonly path: string;
  readonly name: string;
}

/** A package in pnpm's virtual store that is a copy of a package in the repository: `core@file+packages+core`. */
interface InjectedCopy {
  readonly path: string;
  readonly name: string;
}

interface ModuleLinks {
  readonly links: readonly PackageLink[];
  readonly copies: readonly InjectedCopy[];
}

/** Finds the packages of a `node_modules` folder that are links or copies, including those in pnpm's virtual store. */
async function findModuleLinks(modules: string, pauses: Pauses): Promise<ModuleLinks> {
  const links = linksOfPackages(modules);
  const copies: InjectedCopy[] = [];
  const store = join(modules, '.pnpm');
  for (const entry of readEntries(store)) {
    if (!entry.isDirectory()) continue;
    const inner =
      entry.name === 'node_modules' ? join(store, entry.name) : join(store, entry.name, 'node_modules');
    links.push(...linksOfPackages(inner));
    const [, name] = /^(.+?)@file\+/.exec(entry.name) ?? [];
    if (name !== undefined)
      copies.push({ path: join(inner, name.replace('+', '/')), name: name.replace('+', '/') });
    if (pauses.isDue()) await pauses.take();
  }
  return { links, copies };
}

function linksOfPackages(modules: string): PackageLink[] {
  return readEntries(modules).flatMap((entry) => {
    const path = join(modules, entry.name);
    if (entry.name.startsWith('@') && entry.isDirectory())
      return readEntries(path)
        .filter((inner) => inner.isSymbolicLink())
        .map((inner) => ({ path: join(path, inner.name), name: `${entry.name}/${inner.name}` }));
    return entry.isSymbolicLink() ? [{ path, name: entry.name }] : [];
  });
}
