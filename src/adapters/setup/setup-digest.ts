import { readFile, stat } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import type { SetupConfig } from '../../contracts/config/setup-config.ts';
import { sha256Hex } from '../../node/sha256.ts';
import { isPathInside, resolveFrom } from '../../text/paths.ts';
import type { ProgramVersions } from './program-version.ts';
import { expandPatterns } from './setup-paths.ts';

/** Increased when results of earlier versions can no longer be used. */
const FORMAT = 1;

/**
 * Files through which a checkout chooses the versions of programs. The digest contains their content: running the
 * programs inside the checkout to get their versions could run code of an agent, for example through `yarnPath`.
 */
const VERSION_FILES = [
  '.tool-versions',
  'mise.toml',
  '.mise.toml',
  '.node-version',
  '.nvmrc',
  '.python-version',
  '.ruby-version',
  '.yarnrc.yml',
];

export interface DigestDeps {
  readonly setup: SetupConfig;
  readonly versions: ProgramVersions;
}

/** A digest of everything that decides what the commands create. */
export async function computeSetupDigest(
  { setup, versions }: DigestDeps,
  checkout: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const programs = new Map<string, string>();
  for (const [program] of setup.run)
    if (!programs.has(program)) programs.set(program, await versions(program, env));
  const parts = {
    format: FORMAT,
    files: [...(await keyFilesOf(setup, checkout))],
    run: setup.run,
    paths: setup.cache?.paths ?? [],
    platform: [platform(), arch()],
    programs: [...programs],
  };
  return sha256Hex(JSON.stringify(parts));
}

/**
 * Hashes of the files that decide what the commands create, by path: those of `key`, those that choose versions, and
 * programs and arguments that are files of the checkout, such as `[node, tools/setup.mjs]`.
 */
export async function keyFilesOf(
  { cache, run }: SetupConfig,
  checkout: string,
): Promise<ReadonlyMap<string, string>> {
  const programFiles = run.flat().filter((word) => {
    const path = resolveFrom(checkout, word);
    return path !== checkout && isPathInside(checkout, path);
  });
  const hashes = new Map<string, string>();
  for (const path of [
    ...(await expandPatterns(checkout, cache?.key ?? [])),
    ...VERSION_FILES,
    ...programFiles,
  ]) {
    const hash = await hashFile(resolveFrom(checkout, path));
    if (hash !== null) hashes.set(path, hash);
  }
  const chosen = hashes.has('package.json') ? null : await readVersionFields(checkout);
  if (chosen !== null) hashes.set('package.json', sha256Hex(chosen));
  return hashes;
}

/** Reads the fields of `package.json` through which Corepack and Volta choose versions. */
async function readVersionFields(checkout: string): Promise<string | null> {
  try {
    const text = await readFile(join(checkout, 'package.json'), 'utf8');
    const { packageManager, devEngines, volta } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const chosen = JSON.stringify({ packageManager, devEngines, volta });
    return chosen === '{}' ? null : chosen;
  } catch {
    return null;
  }
}

/** Null if there is no file. */
async function hashFile(path: string): Promise<string | null> {
  const found = await stat(path).catch(() => null);
  return found?.isFile() === true ? sha256Hex(await readFile(path)) : null;
}
