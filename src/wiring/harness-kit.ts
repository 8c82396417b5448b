import { realpath } from 'node:fs/promises';
import { join } from 'node:path';

/** Where a program that conductor starts finds the harness kit, wherever conductor is installed. */
export interface HarnessKit {
  /** For agents and validators. */
  readonly environment: Readonly<Record<'CONDUCTOR_HARNESS' | 'CONDUCTOR_BIN', string>>;
  /** What has to be seen in a sandbox for it to work. */
  readonly folders: readonly string[];
}

/** Real paths only: what a link is called outside need not be there inside. */
export async function findHarnessKit(root: string): Promise<HarnessKit> {
  const real = await realpath(root);
  return {
    environment: {
      CONDUCTOR_HARNESS: join(real, 'dist', 'src', 'harness', 'index.js'),
      CONDUCTOR_BIN: join(real, 'dist', 'bin', 'conductor.js'),
    },
    folders: await packageFolders(real),
  };
}

/** Package managers put what a package needs inside it, beside it, or behind links of an outer `node_modules`. */
async function packageFolders(real: string): Promise<string[]> {
  const outer = /^.*?\/node_modules(?=\/|$)/.exec(real)?.[0] ?? real;
  const inner = await realpath(join(real, 'node_modules')).catch(() => outer);
  return inner.startsWith(`${outer}/`) ? [outer] : [...new Set([outer, inner])];
}
