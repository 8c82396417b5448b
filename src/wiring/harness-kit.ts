import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { namedChromium } from '../harness/browser.ts';

/** Where a program that conductor starts finds the harness kit, wherever conductor is installed. */
export interface HarnessKit {
  /** For agents and validators. */
  readonly environment: Readonly<Record<'CONDUCTOR_HARNESS' | 'CONDUCTOR_BIN', string>> & {
    /** Where somebody names a browser, cases of kind `web` have to hear of it too. */
    readonly CONDUCTOR_CHROMIUM?: string;
  };
  /** What has to be seen in a sandbox for it to work. */
  readonly folders: readonly string[];
}

/** Real paths only: what a link is called outside need not be there inside. */
export async function findHarnessKit(root: string, env: NodeJS.ProcessEnv): Promise<HarnessKit> {
  const real = await realpath(root);
  const browser = await findNamedBrowser(env);
  return {
    environment: {
      CONDUCTOR_HARNESS: join(real, 'dist', 'src', 'harness', 'index.js'),
      CONDUCTOR_BIN: join(real, 'dist', 'bin', 'conductor.js'),
      ...(browser === null ? {} : { CONDUCTOR_CHROMIUM: browser.path }),
    },
    folders: [...(await packageFolders(real)), ...(browser?.folders ?? [])],
  };
}

/** A browser comes as a folder of its own; where it lies among other things of somebody's, those are not shown. */
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

/** Package managers put what a package needs inside it, beside it, or behind links of an outer `node_modules`. */
async function packageFolders(real: string): Promise<string[]> {
  const outer = /^.*?\/node_modules(?=\/|$)/.exec(real)?.[0] ?? real;
  const inner = await realpath(join(real, 'node_modules')).catch(() => outer);
  return inner.startsWith(`${outer}/`) ? [outer] : [...new Set([outer, inner])];
}
