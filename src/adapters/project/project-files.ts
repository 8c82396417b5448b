import { dirname, join } from 'node:path';
import type { ConfigDocument } from '../../contracts/config/config.ts';
import { type Diagnostic, hasErrors, type PlacedWarning } from '../../diagnostics/diagnostic.ts';
import { pathExists } from '../../node/path-exists.ts';
import type { BrokenFile, LoadedConfig } from '../../ports/project-files.ts';
import type { ConfigOwner } from '../../workflow/config/config-document.ts';
import { readEnvironment } from '../../workflow/config/config-environment.ts';
import { mergeConfigs } from '../../workflow/config/config-merge.ts';
import { readBounded } from './bounded-file.ts';

/**
 * Merges the configurations: the environment overrides the repository's file, which overrides the user's.
 * Missing files are empty.
 */
export async function loadConfig(
  repoRoot: string,
  userFolder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<LoadedConfig> {
  const user = await readConfig(join(userFolder, 'config.yaml'), 'user');
  if (user.broken !== null) return { ok: false, file: user.broken };
  const repo = await readConfig(join(repoRoot, '.tnh', 'config.yaml'), 'repository');
  if (repo.broken !== null) return { ok: false, file: repo.broken };
  const fromEnvironment = await checkEnvironment(env);
  if (fromEnvironment.broken !== null) return { ok: false, file: fromEnvironment.broken };
  return {
    ok: true,
    config: mergeConfigs(user.document, repo.document, fromEnvironment.document),
    repository: repo.document ?? {},
    user: user.document ?? {},
    warnings: [...user.warnings, ...repo.warnings, ...fromEnvironment.warnings],
  };
}

interface ReadConfig {
  readonly document: ConfigDocument | null;
  readonly broken: BrokenFile | null;
  readonly warnings: readonly PlacedWarning[];
}

const EMPTY_CONFIG: ReadConfig = { document: null, broken: null, warnings: [] };

async function readConfig(path: string, owner: ConfigOwner): Promise<ReadConfig> {
  const bytes = await readIfPresent(path);
  if (bytes === null) return EMPTY_CONFIG;
  if (typeof bytes === 'string')
    return {
      ...EMPTY_CONFIG,
      broken: { name: path, problem: `can't be read: ${bytes}`, text: '', diagnostics: [] },
    };
  const { checkConfig } = await import('../../workflow/config/config-document.ts');
  const { text, diagnostics, document } = checkConfig({ name: path, bytes }, owner);
  return hasErrors(diagnostics)
    ? { ...EMPTY_CONFIG, broken: { name: path, problem: 'has errors', text, diagnostics } }
    : {
        ...EMPTY_CONFIG,
        document,
        warnings: diagnostics.map((each) => warningOf(each, path, each.span.line)),
      };
}

/** Checks the variables like a file; problems are reported by the name of the variable. */
async function checkEnvironment(env: Readonly<Record<string, string | undefined>>): Promise<ReadConfig> {
  const settings = readEnvironment(env);
  if (settings === null) return EMPTY_CONFIG;
  const { checkConfig } = await import('../../workflow/config/config-document.ts');
  const bytes = new TextEncoder().encode(settings.text);
  const { text, diagnostics, document } = checkConfig({ name: 'the environment', bytes });
  const wrong = diagnostics.find(({ severity }) => severity === 'error');
  const variableOf = (diagnostic: Diagnostic) =>
    settings.variables.get(diagnostic.span.line) ?? 'the environment';
  if (wrong === undefined) {
    const warnings = diagnostics.map((each) => warningOf(each, variableOf(each), null));
    return { ...EMPTY_CONFIG, document, warnings };
  }
  return { ...EMPTY_CONFIG, broken: { name: variableOf(wrong), problem: 'has errors', text, diagnostics } };
}

function warningOf({ code, message, help }: Diagnostic, name: string, line: number | null): PlacedWarning {
  return { name, line, code, message, help };
}

/** Null if the file does not exist; the reason if it can't be read. */
async function readIfPresent(path: string): Promise<Uint8Array | string | null> {
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

/** Finds the project folder without running git: the nearest one that contains `.tnh` or `.git`. */
export async function nearestProject(startDir: string): Promise<string> {
  for (let folder = startDir; ; ) {
    for (const name of ['.tnh', '.git']) if (await pathExists(join(folder, name))) return folder;
    const parent = dirname(folder);
    if (parent === folder) return startDir;
    folder = parent;
  }
}
