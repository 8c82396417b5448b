import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';

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

interface HarnessKitRequest {
  /** The folder of conductor's package. */
  readonly root: string;
  /** The browser that the user has named for cases of kind `web`; null if none. */
  readonly browser: string | null;
  readonly home: string;
}

/** Uses real paths only: a sandbox doesn't contain the symbolic links outside it. */
export async function findHarnessKit(request: HarnessKitRequest): Promise<HarnessKit> {
  const real = await realpath(request.root);
  const browser = request.browser === null ? null : await findBrowserFolders(request.browser, request.home);
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
async function findBrowserFolders(
  browser: string,
  home: string,
): Promise<{ readonly path: string; readonly folders: readonly string[] }> {
  const path = await realpath(browser).catch(() => browser);
  const folder = dirname(path);
  const holdsHome = home !== '' && `${home}/`.startsWith(folder === '/' ? '/' : `${folder}/`);
  return { path, folders: holdsHome ? [] : [folder] };
}

/** Package managers install dependencies inside a package, beside it, or behind links of an outer `node_modules`. */
async function listPackageFolders(real: string): Promise<string[]> {
  const outer = /^.*?\/node_modules(?=\/|$)/.exec(real)?.[0] ?? real;
  const inner = await realpath(join(real, 'node_modules')).catch(() => outer);
  return inner.startsWith(`${outer}/`) ? [outer] : [...new Set([outer, inner])];
}
