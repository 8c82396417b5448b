import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isManifest } from '../../setup/declared-paths.ts';
import type { Pauses } from './tree.ts';

/** Files and folders of a checkout that may refer to another checkout. Paths are relative to it. */
export interface Landmarks {
  readonly manifests: readonly string[];
  /** `node_modules` folders that are not nested in another one. */
  readonly modules: readonly string[];
  /** Folders with a `pyvenv.cfg`. */
  readonly environments: readonly string[];
  readonly links: readonly string[];
  readonly cargoConfigs: readonly string[];
  readonly isPython: boolean;
}

/** Enough for very large repositories. The rest of a larger checkout is not searched. */
const FOLDERS_LIMIT = 100_000;
const MANIFESTS_LIMIT = 5_000;

const PYTHON_FILES =
  /^(?:pyproject\.toml|setup\.py|setup\.cfg|Pipfile|pytest\.ini|conftest\.py|tox\.ini|requirements.*\.txt)$/;

/** Reads only the names in every folder, and does not look into installed packages. */
export async function findLandmarks(checkout: string, pauses: Pauses): Promise<Landmarks> {
  const manifests: string[] = [];
  const modules: string[] = [];
  const environments: string[] = [];
  const links: string[] = [];
  const cargoConfigs: string[] = [];
  let isPython = false;
  const waiting = [''];
  for (let seen = 0; waiting.length > 0 && seen < FOLDERS_LIMIT; seen += 1) {
    const folder = waiting.pop() ?? '';
    const entries = readEntries(join(checkout, folder));
    if (entries.some(({ name }) => name === 'pyvenv.cfg')) {
      environments.push(folder);
      continue;
    }
    for (const entry of entries) {
      const { name } = entry;
      const path = folder === '' ? name : `${folder}/${name}`;
      if (entry.isSymbolicLink()) links.push(path);
      else if (entry.isDirectory()) {
        if (name === 'node_modules') modules.push(path);
        // Skip git's own folder, and conductor's, which contains a link to the run's harness.
        else if (name !== '.git' && path !== '.tnh') waiting.push(path);
      } else if (isManifest(name)) {
        if (manifests.length < MANIFESTS_LIMIT) manifests.push(path);
      } else if (/(?:^|\/)\.cargo\/config(?:\.toml)?$/.test(path)) cargoConfigs.push(path);
      if (PYTHON_FILES.test(name)) isPython = true;
    }
    if (pauses.isDue()) await pauses.take();
  }
  return { manifests, modules, environments, links, cargoConfigs, isPython };
}

export function readEntries(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Empty if the file is missing or unreadable. */
export function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
