import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { namedChromium } from '../../harness/web/browser.ts';

/** The paths by which programs that conductor starts find the harness kit. */
export interface HarnessKit {
  /** Environment variables for agents and validators. */
  readonly environment: Readonly<Record<'CONDUCTOR_HARNESS' | 'CONDUCTOR_BIN', string>> & {
    /** Passed on if the user has set it, for cases of kind `web`. */
    readonly CONDUCTOR_CHROMIUM?: string;
  };
  /** Folders that a sandbox has to mount for the kit to work. */
  readonly folders: readonly string[];
}

/** Uses real paths only: a sandbox doesn't contain the symbolic links outside it. */
export async function findHarnessKit(root: string, env: NodeJS.ProcessEnv): Promise<HarnessKit> {
  const real = await realpath(root);
  const browser = await findNamedBrowser(env);
  return {
    environment: {
      CONDUCTOR_HARNESS: join(real, 'dist', 'lib', 'harness.js'),
      CONDUCTOR_BIN: join(real, 'dist', 'bin', 'conductor.js'),
      ...(browser === null ? {} : { CONDUCTOR_CHROMIUM: browser.path }),
    },
    folders: [...(await listPackageFolders(real)), ...(browser?.folders ?? [])],
  };
}

/** A browser usually has a folder of its own. If its folder contains the user's home, the sandbox doesn't mount it. */
async function findNamedBrowser(
  env: NodeJS.ProcessEnv,
): Promise<{ readonly path: string; readonly folders: readonly string[] } | null> {
  const named = namedChromium(env);
  if (named === null) return null;
  const path = await realpath(named.path).catch(() => named.path);
  const folder = dirname(path);
  const home = env.HOME ?? '';
  const holdsHome = home !== '' && `${home}/`.startsWith(folder === '/' ? '/' : `${folder}/`);
  return { path, folders: holdsHome ? [] : [folder] };
}

/** Package managers install dependencies inside a package, beside it, or behind links of an outer `node_modules`. */
async function listPackageFolders(real: string): Promise<string[]> {
  const outer = /^.*?\/node_modules(?=\/|$)/.exec(real)?.[0] ?? real;
  const inner = await realpath(join(real, 'node_modules')).catch(() => outer);
  return inner.startsWith(`${outer}/`) ? [outer] : [...new Set([outer, inner])];
}
