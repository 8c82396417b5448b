import type { FileChange } from '../contracts/run/workspace-change.ts';
import { forbiddenBy } from './globs.ts';
import { isCheckFile, isRunnerFile, isRunnerFileWhenAdded } from './judges/check-configuration.ts';
import { isCollectedTest, isTestFile } from './judges/test-files.ts';

/**
 * Judge files decide a verdict: tests, and the configuration of the programs that run the checks. If a change edits
 * them, passing checks prove less, so the checks run again with these files as they were at the base.
 */

/**
 * Whether a file decides a verdict. `globs` is `tests` in the configuration: it replaces the tests known by
 * convention, and a glob that starts with `!` exempts files. Runner configuration counts in either case, unless it
 * is exempted.
 */
export function isJudgePath(path: string, globs: readonly string[] | null): boolean {
  if (isExempt(path, globs)) return false;
  if (isRunnerFile(path) || isCheckFile(path)) return true;
  if (globs === null) return isTestFile(path);
  return coveredBy(
    globs.filter((glob) => !glob.startsWith('!')),
    path,
  );
}

/**
 * Whether a runner, a linter or a language discovers the file by itself, so that adding it is enough to change a
 * verdict.
 */
export function isRunnerConfiguration(path: string): boolean {
  return isRunnerFileWhenAdded(path);
}

/**
 * The paths to restore to the base, sorted: judge files that were edited, deleted or renamed, and runner
 * configuration that was added. Both ends of a rename count. New tests aren't included: adding tests is legitimate.
 */
export function changedJudges(changes: readonly FileChange[], globs: readonly string[] | null): string[] {
  return [...new Set(changes.flatMap((change) => listJudges(change, globs)))].sort();
}

/** Tests that the change adds. In a runner that loads all tests into one process, they can affect the others. */
export function addedTests(changes: readonly FileChange[], globs: readonly string[] | null): string[] {
  return changes
    .filter(({ status, path }) => status === 'A' && isCollectedTest(path) && !isExempt(path, globs))
    .map(({ path }) => path)
    .sort();
}

function listJudges(change: FileChange, globs: readonly string[] | null): string[] {
  const { path, oldPath, status } = change;
  const addsConfiguration =
    isRunnerConfiguration(path) && !isExempt(path, globs) && !isWeights(change) && !isEmptyPackage(change);
  switch (status) {
    case 'A':
      return addsConfiguration ? [path] : [];
    case 'M':
    case 'D':
      return isJudgePath(path, globs) && !isWeights(change) ? [path] : [];
    case 'R': {
      const from = oldPath ?? path;
      return isJudgePath(from, globs) || addsConfiguration ? [from, path] : [];
    }
  }
}

/** Python reads `.pth` files as text; PyTorch uses the same extension for models. */
function isWeights({ path, insertions }: FileChange): boolean {
  return insertions === null && /\.pth$/i.test(path);
}

/** An empty `__init__.py` only makes a folder a package. */
function isEmptyPackage({ path, insertions }: FileChange): boolean {
  return insertions === 0 && path.endsWith('__init__.py');
}

function isExempt(path: string, globs: readonly string[] | null): boolean {
  const exempting = (globs ?? []).filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1));
  return coveredBy(exempting, path);
}

/** Names may be stored in composed or decomposed Unicode form, and a glob may use either. */
function coveredBy(globs: readonly string[], path: string): boolean {
  const composed = globs.map((glob) => glob.normalize('NFC'));
  return forbiddenBy(composed, path.normalize('NFC')) !== null;
}
