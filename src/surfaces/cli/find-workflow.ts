import { readdir } from 'node:fs/promises';
import { basename, extname, join, relative, resolve } from 'node:path';
import { didYouMean } from '../../diagnostics/did-you-mean.ts';
import { CliError } from './cli-error.ts';

const ENDINGS = ['.yaml', '.yml'];
const PATH_ENDINGS = [...ENDINGS, '.json'];

/** A path from the current folder, or an id looked up in the folders in turn. An id never shadows a path: it has no slash or ending. */
export async function findWorkflow(wanted: string, folders: readonly string[]): Promise<string> {
  if (wanted.includes('/') || PATH_ENDINGS.includes(extname(wanted))) return resolve(wanted);
  const known: string[] = [];
  for (const folder of folders) {
    const names = await readdir(folder).catch((): string[] => []);
    for (const name of names) {
      const ending = extname(name);
      if (!ENDINGS.includes(ending)) continue;
      const id = basename(name, ending);
      if (id === wanted) return join(folder, name);
      known.push(id);
    }
  }
  const near = didYouMean(wanted, known);
  throw new CliError(
    `no workflow "${wanted}"`,
    near === null
      ? 'give the path of a YAML file, or put one into .tnh/workflows'
      : `did you mean ${near}? Known: ${[...new Set(known)].join(', ')}`,
  );
}

/** As a person in the current folder would write it. */
export function displayPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') ? path : near;
}
