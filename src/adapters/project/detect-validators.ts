import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export type DetectedValidators = Readonly<Record<string, readonly [string, ...string[]]>>;

/** npm's placeholder for a package without tests always fails, so it is none. */
const NO_TEST = /no test specified/;

/** What the repository itself gives the always-known names `tests`, `lint` and `typecheck` to run. */
export async function detectValidators(repoRoot: string): Promise<DetectedValidators> {
  const scripts = await packageScripts(repoRoot);
  const found: Record<string, readonly [string, ...string[]]> = {};
  if (scripts.test !== undefined && !NO_TEST.test(scripts.test)) found.tests = ['npm', 'test'];
  if (scripts.lint !== undefined) found.lint = ['npm', 'run', 'lint'];
  if (scripts.typecheck !== undefined) found.typecheck = ['npm', 'run', 'typecheck'];
  return found;
}

async function packageScripts(repoRoot: string): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(join(repoRoot, 'package.json'), 'utf8').catch(() => null);
  if (text === null) return {};
  try {
    const manifest: unknown = JSON.parse(text);
    if (typeof manifest !== 'object' || manifest === null || !('scripts' in manifest)) return {};
    const { scripts } = manifest;
    return typeof scripts === 'object' && scripts !== null ? (scripts as Record<string, string>) : {};
  } catch {
    return {};
  }
}
