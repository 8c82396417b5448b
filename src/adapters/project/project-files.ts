import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config, ConfigDocument } from '../../contracts/config.ts';
import { type Diagnostic, hasErrors, type PlacedWarning } from '../../diagnostics/diagnostic.ts';
import type { ConfigOwner } from '../../workflow/config-document.ts';
import { readEnvironment } from '../../workflow/config-environment.ts';
import { mergeConfigs } from '../../workflow/config-merge.ts';
import { readBounded } from './bounded-file.ts';

export interface BrokenFile {
  readonly name: string;
  /** What is the matter, to be said after the name. */
  readonly problem: string;
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

export type LoadedConfig =
  | {
      readonly ok: true;
      readonly config: Config;
      /** What the repository's file says by itself, and what the user's does. */
      readonly repository: ConfigDocument;
      readonly user: ConfigDocument;
      readonly warnings: readonly PlacedWarning[];
    }
  | { readonly ok: false; readonly file: BrokenFile };

/** The environment over the repository's configuration over the user's. A file that is not there says nothing. */
export async function loadConfig(
  repoRoot: string,
  userFolder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<LoadedConfig> {
  const user = await readConfig(join(userFolder, 'config.yaml'), 'user');
  if (user.broken !== null) return { ok: false, file: user.broken };
  const repo = await readConfig(join(repoRoot, '.tnh', 'config.yaml'), 'repository');
  if (repo.broken !== null) return { ok: false, file: repo.broken };
  const around = await checkEnvironment(env);
  if (around.broken !== null) return { ok: false, file: around.broken };
  return {
    ok: true,
    config: mergeConfigs(user.document, repo.document, around.document),
    repository: repo.document ?? {},
    user: user.document ?? {},
    warnings: [...user.warnings, ...repo.warnings, ...around.warnings],
  };
}

interface ReadConfig {
  readonly document: ConfigDocument | null;
  readonly broken: BrokenFile | null;
  readonly warnings: readonly PlacedWarning[];
}

const SILENT: ReadConfig = { document: null, broken: null, warnings: [] };

async function readConfig(path: string, owner: ConfigOwner): Promise<ReadConfig> {
  const bytes = await readIfThere(path);
  if (bytes === null) return SILENT;
  if (typeof bytes === 'string')
    return {
      ...SILENT,
      broken: { name: path, problem: `can't be read: ${bytes}`, text: '', diagnostics: [] },
    };
  const { checkConfig } = await import('../../workflow/config-document.ts');
  const { text, diagnostics, document } = checkConfig({ name: path, bytes }, owner);
  return hasErrors(diagnostics)
    ? { ...SILENT, broken: { name: path, problem: 'has errors', text, diagnostics } }
    : { ...SILENT, document, warnings: diagnostics.map((each) => warningOf(each, path, each.span.line)) };
}

/** Variables are checked as a file is, and what is wrong is told by the name of the variable. */
async function checkEnvironment(env: Readonly<Record<string, string | undefined>>): Promise<ReadConfig> {
  const said = readEnvironment(env);
  if (said === null) return SILENT;
  const { checkConfig } = await import('../../workflow/config-document.ts');
  const bytes = new TextEncoder().encode(said.text);
  const { text, diagnostics, document } = checkConfig({ name: 'the environment', bytes });
  const wrong = diagnostics.find(({ severity }) => severity === 'error');
  const variableOf = (diagnostic: Diagnostic) =>
    said.variables.get(diagnostic.span.line) ?? 'the environment';
  if (wrong === undefined) {
    const warnings = diagnostics.map((each) => warningOf(each, variableOf(each), null));
    return { ...SILENT, document, warnings };
  }
  return { ...SILENT, broken: { name: variableOf(wrong), problem: 'has errors', text, diagnostics } };
}

function warningOf({ code, message, help }: Diagnostic, name: string, line: number | null): PlacedWarning {
  return { name, line, code, message, help };
}

/** Null when there is no such file; the reason when there is one that can't be read. */
async function readIfThere(path: string): Promise<Uint8Array | string | null> {
  try {
    return await readBounded(path);
  } catch (error) {
    const code =
      error instanceof Error && 'code' in error
        ? String(error.code)
        : error instanceof Error
          ? error.message
          : String(error);
    return code === 'ENOENT' || code === 'ENOTDIR' ? null : code;
  }
}

/** The user's own folder for configuration and prompts. */
export function userFolderOf(env: Readonly<Record<string, string | undefined>>): string {
  const base = env.XDG_CONFIG_HOME ?? join(env.HOME ?? '/', '.config');
  return join(base, 'conductor');
}

/** The folder a check is about, without asking git: the nearest one with `.tnh` or `.git` in it. */
export async function nearestProject(startDir: string): Promise<string> {
  for (let folder = startDir; ; ) {
    for (const name of ['.tnh', '.git']) if (await isThere(join(folder, name))) return folder;
    const parent = dirname(folder);
    if (parent === folder) return startDir;
    folder = parent;
  }
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
