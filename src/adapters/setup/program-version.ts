import { execFile } from 'node:child_process';
import { open, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { ResolveProgram } from '../../ports/supervisor.ts';

const run = promisify(execFile);

/** Text that distinguishes a program from another one of the same name. */
export type ProgramVersions = (program: string, env: Readonly<Record<string, string>>) => Promise<string>;

const TIMEOUT_MS = 10_000;
const VERSION_LIMIT = 500;

/** Runs programs outside any checkout to get their versions, once as long as a program's file stays the same. */
export function createProgramVersions(resolveProgram: ResolveProgram): ProgramVersions {
  const known = new Map<string, Promise<string>>();
  const versionOf: ProgramVersions = async (program, env) => {
    // The digest already contains the content of a program of the checkout. The program may not exist yet.
    if (program.includes('/') && !program.startsWith('/')) return 'in the checkout';
    const path = await resolveProgram(program, { cwd: '/', path: env.PATH });
    if (path === null) return 'not found';
    const real = await realpath(path);
    const { size, mtimeMs, ino } = await stat(real);
    const key = [path, real, ino, size, mtimeMs].join('\0');
    const asked = known.get(key) ?? findVersion({ path, real, stamp: `${size}:${mtimeMs}` }, env, versionOf);
    known.set(key, asked);
    return asked;
  };
  return versionOf;
}

interface ProgramFile {
  readonly path: string;
  readonly real: string;
  readonly stamp: string;
}

async function findVersion(
  file: ProgramFile,
  env: Readonly<Record<string, string>>,
  versionOf: ProgramVersions,
): Promise<string> {
  if (file.real === process.execPath) return `node ${process.version}`;
  const interpreter = await readInterpreter(file.real);
  const packaged = interpreter === 'node' ? await readPackageVersion(file.real) : null;
  const own = packaged ?? (await askVersion(file, env));
  return interpreter === null ? own : `${own} by ${await versionOf(interpreter, env)}`;
}

/** Reads the version from `package.json`, which saves a process: npm and similar programs are packages. */
async function readPackageVersion(path: string): Promise<string | null> {
  for (let folder = dirname(path); basename(dirname(folder)) !== ''; folder = dirname(folder)) {
    const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => null);
    if (text === null) continue;
    try {
      const { name, version } = JSON.parse(text) as { name?: unknown; version?: unknown };
      // Corepack starts programs whose version is not its own.
      return typeof version === 'string' && name !== 'corepack' ? `${String(name)} ${version}` : null;
    } catch {
      return null;
    }
  }
  return null;
}

/** Falls back to the stamp of the file if a program does not report its version. */
async function askVersion(
  { path, stamp }: ProgramFile,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  try {
    const { stdout, stderr } = await run(path, ['--version'], { cwd: '/', env, timeout: TIMEOUT_MS });
    const text = `${stdout}${stderr}`.trim().slice(0, VERSION_LIMIT);
    return text === '' ? stamp : text;
  } catch {
    return stamp;
  }
}

/** Reads interpreter lines such as `#!/usr/bin/env node` and `#!/usr/bin/python3`. */
async function readInterpreter(path: string): Promise<string | null> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, 0);
    const [, program, argument] =
      /^#!\s*(\S+)(?:[ \t]+(?:-S[ \t]+)?(\S+))?/.exec(buffer.toString('latin1', 0, bytesRead)) ?? [];
    if (program === undefined) return null;
    const named = basename(program) === 'env' ? (argument ?? null) : program;
    // A shell starts other programs, and its version says nothing about them.
    return named === null || /^(?:ba|da|z|k)?sh$/.test(basename(named)) ? null : named;
  } finally {
    await file.close();
  }
}
