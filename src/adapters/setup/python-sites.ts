import { execFile } from 'node:child_process';
import { open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { ResolveProgram } from '../../ports/supervisor.ts';
import {
  DIRECT_URL,
  isPythonLinkFile,
  type PythonLink,
  readDirectUrl,
  readPythonLinks,
} from '../../setup/python-links.ts';
import { isPathInside } from '../../text/paths.ts';
import { readEntries, readText } from './checkout-walk.ts';

const run = promisify(execFile);

/** A link in a site-packages folder, with the file that declares it. */
export interface SiteLink extends PythonLink {
  readonly file: string;
}

/** Reads editable and local installs in a site-packages folder, including links, which `flit` creates. */
export async function readSite(site: string): Promise<readonly SiteLink[]> {
  const found: SiteLink[] = [];
  for (const entry of readEntries(site)) {
    const { name } = entry;
    const file = join(site, name);
    if (entry.isSymbolicLink()) found.push({ file, path: file, packageName: null, isEditable: true });
    else if (entry.isFile() && isPythonLinkFile(name))
      for (const link of readPythonLinks(name, await readText(file))) found.push({ file, ...link });
    else if (entry.isDirectory() && name.endsWith('.dist-info')) {
      const link = readDirectUrl(name, await readText(join(file, DIRECT_URL)));
      if (link !== null) found.push({ file: join(file, DIRECT_URL), ...link });
    }
  }
  return found;
}

/** The site-packages folders of a virtual environment. */
export function sitesOfEnvironment(folder: string): readonly string[] {
  return ['lib', 'lib64'].flatMap((lib) =>
    readEntries(join(folder, lib))
      .filter((entry) => /^(?:python|pypy)/.test(entry.name))
      .map((entry) => join(folder, lib, entry.name, 'site-packages')),
  );
}

export async function seesSystemSites(environment: string): Promise<boolean> {
  return /^include-system-site-packages\s*=\s*true/im.test(await readText(join(environment, 'pyvenv.cfg')));
}

/** Imports only modules that Python loads before it searches the current folder, to which an agent may have written. */
const PROBE =
  'import sys, site\n' +
  'sites = list(site.getsitepackages()) if hasattr(site, "getsitepackages") else []\n' +
  'sites += [site.getusersitepackages()] if site.ENABLE_USER_SITE else []\n' +
  'print("\\n".join(sites))';
const TIMEOUT_MS = 10_000;

export interface SitesRequest {
  readonly checkout: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whether commands in the checkout may use the Python on the PATH. An environment in the checkout may hide it. */
  readonly usesSystem: boolean;
}

export type PythonSites = (request: SitesRequest) => Promise<readonly string[]>;

/** Programs through which commands such as `make test` start Python. */
const USUAL_PROGRAMS = ['python3', 'python', 'pytest'];

/** Finds the site-packages folders of the Pythons outside a checkout that its commands and checks would use. */
export function createPythonSites(
  resolveProgram: ResolveProgram,
  checkPrograms: readonly string[],
): PythonSites {
  const known = new Map<string, Promise<readonly string[]>>();
  return async ({ checkout, env, usesSystem }) => {
    const programs = new Set<string>();
    for (const name of [...(usesSystem ? USUAL_PROGRAMS : []), ...checkPrograms]) {
      const resolve = (program: string) => resolveProgram(program, { cwd: checkout, path: env.PATH });
      const path = await resolve(name);
      const python = path === null ? null : await findInterpreter(path, resolve);
      // An agent may have written a program inside the checkout, so it must not be started here.
      if (python !== null && !isPathInside(checkout, python)) programs.add(python);
    }
    const chosen = await readText(join(checkout, '.python-version'));
    const sites = new Set<string>();
    for (const program of programs) {
      const key = `${program}\0${chosen}\0${env.HOME ?? ''}`;
      const asked = known.get(key) ?? askSites(program, checkout, env);
      known.set(key, asked);
      for (const site of await asked) sites.add(site);
    }
    return [...sites];
  };
}

async function askSites(
  program: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  try {
    const { stdout } = await run(program, ['-c', PROBE], { cwd, env, timeout: TIMEOUT_MS });
    return stdout.split('\n').filter((line) => line.startsWith('/'));
  } catch {
    return [];
  }
}

const PYTHON = /^(?:python|pypy)[\d.]*$/;

/**
 * The Python that runs a program: the program itself, or the interpreter that its first line names. Null for programs
 * in other languages.
 */
async function findInterpreter(
  path: string,
  resolve: (program: string) => Promise<string | null>,
): Promise<string | null> {
  if (PYTHON.test(basename(path))) return path;
  const [, program = '', argument = ''] = /^#!\s*(\S+)(?:[ \t]+(\S+))?/.exec(await readStart(path)) ?? [];
  if (PYTHON.test(basename(program))) return program;
  return basename(program) === 'env' && PYTHON.test(argument) ? resolve(argument) : null;
}

/** Enough for the first line; a program may have hundreds of megabytes. */
const START_BYTES = 512;

async function readStart(path: string): Promise<string> {
  const file = await open(path, 'r').catch(() => null);
  if (file === null) return '';
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await file.close();
  }
}
