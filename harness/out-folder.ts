import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { isPathInside } from '../src/text/paths.ts';

/** The folder for the output of a harness, and the references to it in the report. */
export interface OutFolder {
  /** Absolute. */
  readonly path: string;
  readonly reportPath: string;
  /** Writes a file and returns the reference to it. */
  readonly write: (section: Section, name: string, content: string | Uint8Array) => string;
}

export type Section = 'screenshots' | 'logs' | 'proposed' | 'diffs' | 'files';
const SECTIONS: readonly Section[] = ['screenshots', 'logs', 'proposed', 'diffs', 'files'];

export interface OutRequest {
  readonly suiteId: string;
  readonly cwd: string;
  /** Null outside of a run. */
  readonly runDir: string | null;
  readonly out: string | null;
  readonly report: string | null;
}

export function openOutFolder({ suiteId, cwd, runDir, out, report }: OutRequest): OutFolder {
  const base = out !== null ? resolve(cwd, out) : ownBase(cwd, runDir);
  const path = join(base, suiteId);
  if (out === null) refuseLinks(runDir ?? cwd, path);
  mkdirSync(path, { recursive: true });
  // A folder that the user named may contain other files under these names.
  if (out === null) {
    for (const section of SECTIONS) rmSync(join(path, section), { recursive: true, force: true });
    if (runDir === null) ignoreAll(base);
  }
  const root = referenceRoot(base, runDir);
  return {
    path,
    reportPath: report === null ? join(path, 'harness_report.json') : resolve(cwd, report),
    write: (section, name, content) => {
      const file = join(path, section, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      return relative(root, join(realpathSync(dirname(file)), name.split('/').at(-1) ?? name))
        .split(sep)
        .join('/');
    },
  };
}

/** A link planted by another process must not redirect what is removed and written here. */
function refuseLinks(from: string, path: string): void {
  let folder = from;
  for (const part of relative(from, path).split(sep)) {
    folder = join(folder, part);
    if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw new Error(`${folder} is a link, and a harness writes only where its results belong`);
  }
}

/** Outside of a run, the output must not show up in git. */
function ignoreAll(base: string): void {
  const ignore = join(base, '.gitignore');
  if (!existsSync(ignore)) writeFileSync(ignore, '*\n');
}

function ownBase(cwd: string, runDir: string | null): string {
  if (runDir !== null) return join(runDir, 'harness', 'out');
  return join(cwd, '.tnh', 'harness');
}

/**
 * References of a run are relative to its directory; those of a folder elsewhere are relative to that folder.
 */
function referenceRoot(base: string, runDir: string | null): string {
  const realBase = realpathSync(base);
  if (runDir === null) return realBase;
  const realRun = realpathSync(runDir);
  return isPathInside(realRun, realBase) ? realRun : realBase;
}

/** A file name for a case; different ids get different names. */
export function toFileName(id: string): string {
  const plain = id.replace(/[^\w.-]/g, '_').slice(0, 80);
  if (plain === id && !/^\.+$/.test(id)) return id;
  return `${plain.replace(/^\.+/, '_')}-${createHash('sha256').update(id).digest('hex').slice(0, 8)}`;
}
