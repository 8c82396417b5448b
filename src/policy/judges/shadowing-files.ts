import type { FileChange } from '../../contracts/run/workspace-change.ts';
import type { FileTexts } from './changed-command.ts';

/**
 * New files that are resolved instead of an existing file of the base: `add.js` beside `add.ts`, `calc/__init__.py`
 * beside `calc.py`. Tests load the new file, while the project may build the other one.
 */

const ENDINGS = ['js', 'mjs', 'cjs', 'jsx', 'ts', 'mts', 'cts', 'tsx'];
const SCRIPT = new RegExp(`^(.+)\\.(?:${ENDINGS.join('|')})$`);

/** The files of the base to read before `shadowingFiles` can answer. */
export function shadowedCandidates(changes: readonly FileChange[]): string[] {
  return changes.flatMap((change) => listCandidates(change));
}

/** Added paths that shadow a file that existed at the base and still exists. */
export function shadowingFiles(changes: readonly FileChange[], base: FileTexts): string[] {
  const removed = new Set(
    changes.flatMap(({ status, path, oldPath }) => (status === 'D' ? [path] : [oldPath ?? ''])),
  );
  return changes
    .filter((change) =>
      listCandidates(change).some((path) => (base.get(path) ?? null) !== null && !removed.has(path)),
    )
    .map(({ path }) => path);
}

function listCandidates({ status, path }: FileChange): string[] {
  if (status !== 'A' && status !== 'R') return [];
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const name = path.slice(folder.length);
  if (name === 'package.json' && folder !== '') return ENDINGS.map((ending) => `${folder}index.${ending}`);
  if (name === '__init__.py') return folder === '' ? [] : [`${folder.slice(0, -1)}.py`];
  const compiled = /^([A-Za-z_]\w*)(?:\.[\w-]+)?\.(?:so|pyd)$/.exec(name)?.[1];
  if (compiled !== undefined) return [`${folder}${compiled}.py`];
  const stem = SCRIPT.exec(name)?.[1];
  if (stem === undefined || stem.endsWith('.d')) return [];
  const siblings = ENDINGS.map((ending) => `${folder}${stem}.${ending}`);
  const inFolder = ENDINGS.map((ending) => `${folder}${stem}/index.${ending}`);
  return [...siblings, ...inFolder].filter((candidate) => candidate !== path);
}
