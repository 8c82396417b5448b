import { readFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import type { EmitSettings } from '../../../ports/work/scope-sources.ts';
import type { Git } from '../git/git-command.ts';

/** TypeScript settings that affect the emitted code. Every JSON file is searched, because one may extend another. */
const SETTINGS =
  /"(verbatimModuleSyntax|preserveValueImports|importsNotUsedAsValues|emitDecoratorMetadata)"\s*:\s*(?:true|"preserve"|"error")/g;
const SETTINGS_LINE = SETTINGS.source.replaceAll('\\s', '[[:space:]]').replaceAll('(?:', '(');

/** Matches a decorator, but not an `@` in a comment or in quotes. */
const DECORATOR_LINE = '^[^*/\'"`]*@[A-Za-z_$]';

/** Maximum length of an `extends` chain outside of the repository. */
const EXTENDS_LIMIT = 8;

/**
 * Reads the compiler settings at a commit. If a configuration can't be read, assumes the settings with the largest
 * effect.
 */
export async function readEmitSettings(git: Git, repoRoot: string, commit: string): Promise<EmitSettings> {
  const here = await grep(git, ['-h', '-o', '-E', SETTINGS_LINE, commit, '--', '*.json']);
  const outside = await Promise.all(
    (await findForeignBases(git, commit)).map((base) => readSettingsOutside(repoRoot, base, EXTENDS_LIMIT)),
  );
  const known = [here, ...outside.flatMap((text) => text ?? [])].join('\n');
  const unknown = outside.includes(null);
  return {
    keepsImports: unknown || /verbatimModuleSyntax|preserveValueImports|importsNotUsedAsValues/.test(known),
    emitsTypes: known.includes('emitDecoratorMetadata') || (unknown && (await hasDecorators(git, commit))),
  };
}

/** A configuration that is not in the repository, and the folder of the one that extends it. */
interface ForeignBase {
  readonly name: string;
  readonly folder: string;
}

async function findForeignBases(git: Git, commit: string): Promise<readonly ForeignBase[]> {
  const configs = ['*tsconfig*.json', '*jsconfig*.json'];
  const listed = await grep(git, ['-l', '-z', '-F', '"extends"', commit, '--', ...configs]);
  const paths = listed
    .split('\0')
    .filter((name) => name !== '')
    .map((name) => name.slice(commit.length + 1));
  const found = await Promise.all(
    paths.map(async (path) => {
      const { stdout } = await git(['cat-file', 'blob', `${commit}:${path}`]);
      const folder = posix.dirname(path);
      return parseExtends(stdout.toString('utf8'))
        .filter((name) => !isWithin(folder, name))
        .map((name) => ({ name, folder }));
    }),
  );
  return found.flat();
}

/** Parses what a configuration extends: one name, or a list of names. */
function parseExtends(text: string): readonly string[] {
  const values = [...text.matchAll(/"extends"\s*:\s*("[^"]*"|\[[^\]]*\])/g)].map(([, value = '']) => value);
  return values.flatMap((value) => [...value.matchAll(/"([^"]*)"/g)].map(([, name = '']) => name));
}

/** Whether a configuration is in the repository. The search covers those files anyway. */
function isWithin(folder: string, name: string): boolean {
  if (!/^\.\.?\//.test(name)) return false;
  const parts = posix.join(folder, name).split('/');
  return parts[0] !== '..' && !parts.includes('node_modules');
}

/** The settings of a configuration and of all that it extends; null if one of them can't be found. */
async function readSettingsOutside(
  repoRoot: string,
  { name, folder }: ForeignBase,
  remaining: number,
): Promise<string | null> {
  const file = remaining === 0 ? null : await readFirstFile(candidatePaths(join(repoRoot, folder), name));
  if (file === null) return null;
  const own = [...file.text.matchAll(SETTINGS)].map(([setting]) => setting);
  const bases = await Promise.all(
    parseExtends(file.text).map((base) =>
      readSettingsOutside(dirname(file.path), { name: base, folder: '.' }, remaining - 1),
    ),
  );
  return bases.some((base) => base === null) ? null : [...own, ...bases].join('\n');
}

/** Candidate paths for the name of a configuration, searched from a folder upwards. */
function candidatePaths(folder: string, name: string): readonly string[] {
  const isPath = /^(?:\.\.?)?\//.test(name);
  const folders: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    folders.push(isPath ? at : join(at, 'node_modules'));
    if (isPath || at === dirname(at)) break;
  }
  const roots = folders.map((root) => (name.startsWith('/') ? name : join(root, name)));
  return roots.flatMap((root) => [root, `${root}.json`, join(root, 'tsconfig.json')]);
}

interface FoundFile {
  readonly path: string;
  readonly text: string;
}

async function readFirstFile(paths: readonly string[]): Promise<FoundFile | null> {
  for (const path of paths) {
    const text = await readFile(path, 'utf8').catch(() => null);
    if (text !== null) return { path, text };
  }
  return null;
}

/** TypeScript emits type metadata only for decorated code. */
async function hasDecorators(git: Git, commit: string): Promise<boolean> {
  const files = ['*.ts', '*.tsx', '*.mts', '*.cts'];
  return (await grep(git, ['-l', '-E', DECORATOR_LINE, commit, '--', ...files])) !== '';
}

async function grep(git: Git, argv: readonly string[]): Promise<string> {
  return (await git(['grep', ...argv], { answers: [1] })).stdout.toString('utf8');
}
