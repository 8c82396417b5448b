import { readdir } from 'node:fs/promises';
import { basename, extname, join, relative, resolve } from 'node:path';
import { didYouMean } from '../../../diagnostics/did-you-mean.ts';
import { CliError } from '../cli-error.ts';

const EXTENSIONS = ['.yaml', '.yml'];
const PATH_EXTENSIONS = [...EXTENSIONS, '.json'];

/**
 * Resolves a path relative to the current folder, or looks an id up in the folders in turn. An id has no slash and no
 * extension, so it never shadows a path.
 */
export async function findWorkflow(nameOrPath: string, folders: readonly string[]): Promise<string> {
  if (nameOrPath.includes('/') || PATH_EXTENSIONS.includes(extname(nameOrPath))) return resolve(nameOrPath);
  const known: string[] = [];
  for (const folder of folders) {
    const names = await readdir(folder).catch((): string[] => []);
    for (const name of names) {
      const extension = extname(name);
      if (!EXTENSIONS.includes(extension)) continue;
      const id = basename(name, extension);
      if (id === nameOrPath) return join(folder, name);
      known.push(id);
    }
  }
  const near = didYouMean(nameOrPath, known);
  throw new CliError(
    `no workflow "${nameOrPath}"`,
    near === null
      ? 'give the path of a YAML file, or put one into .tnh/workflows'
      : `did you mean ${near}? Workflows: ${[...new Set(known)].join(', ')}`,
  );
}

/** The path relative to the current folder; absolute if it is outside. */
export function displayPath(path: string): string {
  const relativePath = relative(process.cwd(), path);
  return relativePath.startsWith('..') ? path : relativePath;
}
