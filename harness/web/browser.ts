import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import type { Browser } from 'playwright-core';

/** Why no browser can be started, and how to fix that. */
export interface MissingBrowser {
  readonly why: string;
  readonly help: string;
}

/** One browser for all cases of a suite, started on first use. */
export interface Browsers {
  readonly open: () => Promise<Browser | MissingBrowser>;
  readonly close: () => Promise<void>;
}

const VARIABLES = ['CONDUCTOR_CHROMIUM', 'CHROMIUM_PATH'];
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const PLACES = [
  '/usr/bin',
  '/usr/local/bin',
  '/snap/bin',
  '/opt/google/chrome',
  '/Applications/Chromium.app/Contents/MacOS',
];

/** A Chromium that a variable names is used exclusively; no other one is searched for. */
export function findChromium(env: NodeJS.ProcessEnv): string | null {
  const { path: named } = readChromiumSetting(env) ?? {};
  if (named !== undefined) return isProgram(named) ? named : null;
  const folders = [...(env.PATH ?? '').split(delimiter).filter((folder) => folder !== ''), ...PLACES];
  const candidates = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return candidates.find(isProgram) ?? null;
}

export function readChromiumSetting(env: NodeJS.ProcessEnv): { variable: string; path: string } | null {
  return (
    VARIABLES.flatMap((variable) => {
      const path = env[variable] ?? '';
      return path === '' ? [] : [{ variable, path }];
    })[0] ?? null
  );
}

/** Finds the program and the package for the browser, or reports which one is missing. */
export function findBrowser(
  env: NodeJS.ProcessEnv,
): { readonly ok: true; readonly program: string } | ({ readonly ok: false } & MissingBrowser) {
  const program = findChromium(env);
  if (program === null) return { ok: false, ...explainMissingChromium(env) };
  return isInstalled('playwright-core') ? { ok: true, program } : { ok: false, ...MISSING_PLAYWRIGHT };
}

const MISSING_PLAYWRIGHT: MissingBrowser = {
  why: 'the package playwright-core is not installed',
  help: 'install it with npm install playwright-core, and with -g if conductor is installed globally',
};

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}

/** Why no Chromium was found, and how to install one. */
export function explainMissingChromium(env: NodeJS.ProcessEnv): MissingBrowser {
  const named = readChromiumSetting(env);
  return named === null
    ? {
        why: 'there is no Chromium on this machine',
        help: 'install it with apt-get install chromium, or name one in CONDUCTOR_CHROMIUM',
      }
    : {
        why: `${named.variable} names ${named.path}, which is no program`,
        help: `correct ${named.variable}, or unset it to use the Chromium of this machine`,
      };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Make screenshots as reproducible as possible across machines. */
const FLAGS = [
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--disable-lcd-text',
  '--font-render-hinting=none',
  '--force-color-profile=srgb',
  '--hide-scrollbars',
];

export function createBrowsers(env: NodeJS.ProcessEnv): Browsers {
  let opened: Promise<Browser> | null = null;
  return {
    open: async () => {
      const found = findBrowser(env);
      if (!found.ok) return found;
      opened ??= launch(found.program);
      return opened;
    },
    close: async () => {
      const browser = await opened?.catch(() => null);
      opened = null;
      await browser?.close();
    },
  };
}

/** As root, and inside another sandbox, Chromium can't create its own sandbox. */
async function launch(executablePath: string): Promise<Browser> {
  const { chromium } = await import('playwright-core');
  const start = (args: string[]): Promise<Browser> =>
    chromium.launch({
      executablePath,
      args,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      timeout: 60_000,
    });
  if (process.getuid?.() === 0) return start([...FLAGS, '--no-sandbox']);
  return start(FLAGS).catch(() => start([...FLAGS, '--no-sandbox']));
}
