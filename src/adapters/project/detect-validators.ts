import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DetectedValidator } from '../../contracts/detected-validator.ts';
import { findValidators } from './detection/find-validators.ts';
import { asObject, type ProjectFiles, parseObject } from './detection/found-commands.ts';

const READ = new Set([
  'package.json',
  'pnpm-workspace.yaml',
  'deno.json',
  'deno.jsonc',
  'pyproject.toml',
  'setup.cfg',
  'tox.ini',
  'mypy.ini',
  '.mypy.ini',
  'Cargo.toml',
  'GNUmakefile',
  'makefile',
  'Makefile',
  'justfile',
  'Justfile',
  '.justfile',
]);

/** These tell by being there. */
const SEEN = new Set([
  'pnpm-lock.yaml',
  'yarn.lock',
  'bun.lock',
  'bun.lockb',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'uv.lock',
  'poetry.lock',
  'pdm.lock',
  'pytest.ini',
  '.pytest.ini',
  'pytest.toml',
  'ruff.toml',
  '.ruff.toml',
  'pyrightconfig.json',
  'go.mod',
]);

const READ_LIMIT_BYTES = 1024 * 1024;
const MEMBERS_LIMIT = 200;

/** What the repository itself gives the always-known names `tests`, `lint` and `typecheck` to run. */
export async function detectValidators(repoRoot: string): Promise<readonly DetectedValidator[]> {
  return findValidators(await readProjectFiles(repoRoot));
}

async function readProjectFiles(repoRoot: string): Promise<ProjectFiles> {
  const files = new Map<string, string>();
  for (const name of await readdir(repoRoot).catch((): string[] => [])) {
    if (SEEN.has(name)) files.set(name, '');
    if (READ.has(name)) await readInto(files, repoRoot, name);
  }
  for (const folder of await memberFolders(repoRoot, files))
    await readInto(files, repoRoot, `${folder}/package.json`);
  return files;
}

async function readInto(files: Map<string, string>, repoRoot: string, name: string): Promise<void> {
  const path = join(repoRoot, name);
  const found = await stat(path).catch(() => null);
  if (found?.isFile() !== true || found.size > READ_LIMIT_BYTES) return;
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text !== null) files.set(name, text);
}

/** Folders that a workspace names plainly, `tools/cli` or `packages/*`; other patterns are for its own tools. */
async function memberFolders(repoRoot: string, files: ProjectFiles): Promise<string[]> {
  const folders: string[] = [];
  for (const pattern of workspacePatterns(files)) {
    const [, parent, rest] = /^(?:\.\/)?([\w@./-]+?)\/?(\/\*)?$/.exec(pattern) ?? [];
    if (parent === undefined || parent.split('/').includes('..')) continue;
    if (rest === undefined) folders.push(parent);
    else
      for (const entry of await readdir(join(repoRoot, parent), { withFileTypes: true }).catch(() => []))
        if (entry.isDirectory()) folders.push(`${parent}/${entry.name}`);
  }
  return folders.slice(0, MEMBERS_LIMIT);
}

function workspacePatterns(files: ProjectFiles): string[] {
  const { workspaces } = parseObject(files.get('package.json'));
  const listed = Array.isArray(workspaces) ? workspaces : asObject(workspaces).packages;
  const inPackage = Array.isArray(listed) ? listed.filter((each) => typeof each === 'string') : [];
  const ofPnpm = (files.get('pnpm-workspace.yaml') ?? '').matchAll(/^\s*-\s*["']?([^"'#\s]+)["']?\s*$/gm);
  return [...inPackage, ...[...ofPnpm].flatMap((match) => match[1] ?? [])];
}
