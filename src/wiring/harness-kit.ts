import { realpath } from 'node:fs/promises';
import { join } from 'node:path';

/** Where a program that conductor starts finds the harness kit, wherever conductor is installed. */
export interface HarnessKit {
  /** For agents and validators. */
  readonly environment: Readonly<Record<'CONDUCTOR_HARNESS' | 'CONDUCTOR_BIN', string>>;
  /** What has to be seen in a sandbox for it to work. */
  readonly folders: readonly string[];
}

export async function findHarnessKit(root: string): Promise<HarnessKit> {
  return {
    environment: {
      CONDUCTOR_HARNESS: join(root, 'dist', 'src', 'harness', 'index.js'),
      CONDUCTOR_BIN: join(root, 'dist', 'bin', 'conductor.js'),
    },
    folders: await packageFolders(root),
  };
}

/** Package managers put what a package needs inside it, beside it, or behind links of an outer `node_modules`. */
async function packageFolders(root: string): Promise<string[]> {
  const real = await realpath(root);
  const inner = await realpath(join(real, 'node_modules')).catch(() => null);
  const [outer] = /^.*?\/node_modules(?=\/|$)/.exec(real) ?? [null];
  return [...new Set([root, real, inner, outer].filter((path) => path !== null))];
}
