import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DETECTED_NAMES, type DetectedValidator } from '../../contracts/config/detected-validator.ts';
import { workspacePatterns } from '../../setup/detect-setup.ts';
import type { ProjectFiles } from './detection/found-commands.ts';
import { findDenoTasks, findLanguageTools } from './detection/language-tools.ts';
import { NEXTEST_CONFIG } from './detection/nextest.ts';
import { findPackageScripts } from './detection/package-scripts.ts';
import {
  findPythonProject,
  findPythonTests,
  findPythonTools,
  isPythonTest,
  PYTHON_TEST_FOLDERS,
} from './detection/python-tools.ts';
import { findTasksOfRunners } from './detection/task-runners.ts';
import { withReport } from './detection/test-reports.ts';
import { findTestScript, TEST_SCRIPTS } from './detection/test-scripts.ts';

/** Checks that the repository defines explicitly come before the defaults of a language's tools. */
const FINDERS = [
  findPackageScripts,
  findDenoTasks,
  findTasksOfRunners,
  findPythonTools,
  findLanguageTools,
  findPythonProject,
  findTestScript,
  findPythonTests,
] as const;

/** The commands that a repository defines for `tests`, `lint` and `typecheck`: at most one for each. */
export function findValidators(files: ProjectFiles): readonly DetectedValidator[] {
  const found = FINDERS.flatMap((find) => find(files));
  return DETECTED_NAMES.flatMap((name) => found.find((each) => each.name === name) ?? []);
}

const READ_FILES = new Set([
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
  'requirements.txt',
  'requirements-dev.txt',
  'requirements_dev.txt',
  'requirements-test.txt',
  'dev-requirements.txt',
  'test-requirements.txt',
  'Pipfile',
  'GNUmakefile',
  'makefile',
  'Makefile',
  'justfile',
  'Justfile',
  '.justfile',
]);

/** Only the existence of these files matters. */
const MARKER_FILES = new Set([
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
  'conftest.py',
  'pom.xml',
  'mvnw',
  'build.gradle',
  'build.gradle.kts',
  'gradlew',
  'phpunit.xml',
  'phpunit.xml.dist',
  'ruff.toml',
  '.ruff.toml',
  'pyrightconfig.json',
  'go.mod',
]);

const READ_LIMIT_BYTES = 1024 * 1024;
const MEMBERS_LIMIT = 200;

/** The commands that the repository defines for the well-known names `tests`, `lint` and `typecheck`. */
export async function detectValidators(repoRoot: string): Promise<readonly DetectedValidator[]> {
  const files = await readProjectFiles(repoRoot);
  return findValidators(files).map((validator) => withReport(validator, files));
}

async function readProjectFiles(repoRoot: string): Promise<ProjectFiles> {
  const files = new Map<string, string>();
  for (const name of await readdir(repoRoot).catch((): string[] => [])) {
    if (MARKER_FILES.has(name)) files.set(name, '');
    if (READ_FILES.has(name)) await readInto(files, repoRoot, name);
  }
  for (const folder of PYTHON_TEST_FOLDERS)
    for (const name of await readdir(join(repoRoot, folder)).catch((): string[] => []))
      if (isPythonTest(name)) files.set(`${folder}${name}`, '');
  for (const path of [NEXTEST_CONFIG, ...TEST_SCRIPTS]) await readInto(files, repoRoot, path);
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

/** Folders of simple workspace patterns, such as `tools/cli` or `packages/*`; other patterns are skipped. */
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
