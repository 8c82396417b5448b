import { readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { sha256Hex } from '../../node/sha256.ts';
import { isPathInside } from '../../text/paths.ts';
import type { CopiedInput } from './cache-entry.ts';
import type { Installed } from './foreign-scan.ts';

/** Large folders that a package manager does not copy. */
const SKIPPED = new Set(['.git', '.tnh', 'node_modules', '.venv', 'venv', '__pycache__', 'target']);

/**
 * Finds folders of the checkout that the commands installed as a copy, as yarn does with `file:` dependencies, pnpm
 * with injected ones, and pip without `-e`. Tests run the copy, so a stored result can't be used once such a folder has
 * changed.
 */
export async function findCopiedInputs(
  checkout: string,
  installed: readonly Installed[],
): Promise<readonly CopiedInput[]> {
  const sources = new Set<string>();
  for (const { path, source } of installed) {
    const real = await realpath(path).catch(() => null);
    if (real !== null && real !== source && isPathInside(checkout, source))
      sources.add(relative(checkout, source));
  }
  const inputs: CopiedInput[] = [];
  for (const source of [...sources].sort())
    inputs.push({ source, hash: await hashOfFolder(join(checkout, source)) });
  return inputs;
}

/** The first folder that has changed since a result was stored, or null. */
export async function changedInput(checkout: string, inputs: readonly CopiedInput[]): Promise<string | null> {
  for (const { source, hash } of inputs)
    if ((await hashOfFolder(join(checkout, source))) !== hash) return source === '' ? '.' : source;
  return null;
}

async function hashOfFolder(root: string): Promise<string> {
  const lines: string[] = [];
  const waiting = [''];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!SKIPPED.has(entry.name)) waiting.push(path);
      } else if (entry.isFile()) lines.push(`${path}\0${sha256Hex(await readFile(join(root, path)))}`);
      else if (entry.isSymbolicLink()) lines.push(`${path}\0${await readlink(join(root, path))}`);
    }
  }
  return sha256Hex(lines.sort().join('\n'));
}
