import { readlink, realpath } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import type { FileChange, HiddenChange } from '../../../contracts/run/workspace-change.ts';

const LINK_MODE = '120000';

/** Symbolic links that a step created or changed, and that lead out of the checkout. */
export async function findLinksOut(
  checkout: string,
  changes: readonly FileChange[],
): Promise<HiddenChange[]> {
  const found: HiddenChange[] = [];
  const top = await realpath(checkout);
  for (const { path, status, newMode } of changes) {
    if (newMode !== LINK_MODE || status === 'D') continue;
    const target = await targetOf(checkout, path);
    if (target === null || target === top || target.startsWith(`${top}${sep}`)) continue;
    const verb = status === 'A' ? 'created' : 'changed';
    found.push({ place: 'link', subject: `${path} -> ${target}`, verb, restored: false });
  }
  return found;
}

/** The target of a link, with the links among its own parent folders resolved; null if it is not a link. */
async function targetOf(checkout: string, link: string): Promise<string | null> {
  const path = join(checkout, link);
  const written = await readlink(path).catch(() => null);
  if (written === null) return null;
  const folder = await realpath(dirname(path)).catch(() => dirname(path));
  return resolve(folder, written);
}
