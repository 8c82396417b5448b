import type { FileChange } from '../../contracts/run/workspace-change.ts';
import { isCoveredBy } from '../globs.ts';
import { isCheckFile, isRunnerFile, isRunnerFileWhenAdded } from './check-configuration.ts';
import { isCollectedTest, isTestFile } from './test-files.ts';

/**
 * Judge files decide a verdict: tests, and the configuration of the programs that run the checks. If a change edits
 * them, passing checks prove less, so the checks run again with these files as they were at the base.
 */

/**
 * Whether a file decides a verdict. `globs` is `tests` in the configuration: it replaces the tests known by
 * convention, and a glob that starts with `!` exempts files. Runner configuration counts in either case, unless it
 * is exempted.
 */
export function isJudgeFile(path: string, globs: readonly string[] | null): boolean {
  if (isExempt(path, globs)) return false;
  if (isRunnerFile(path) || isCheckFile(path)) return true;
  if (globs === null) return isTestFile(path);
  return isCoveredInAnyForm(
    globs.filter((glob) => !glob.startsWith('!')),
    path,
  );
}

/**
 * The paths to restore to the base, sorted: judge files that were edited, deleted or renamed, and runner
 * configuration that was added. Both ends of a rename count. New tests aren't included: adding tests is legitimate.
 */
export function findChangedJudgeFiles(
  changes: readonly FileChange[],
  globs: readonly string[] | null,
): string[] {
  return [...new Set(changes.flatMap((change) => listPathsToRestore(change, globs)))].sort();
}

/** Tests that the change adds. In a runner that loads all tests into one process, they can affect the others. */
export function findAddedTests(changes: readonly FileChange[], globs: readonly string[] | null): string[] {
  return changes
    .filter(({ status, path }) => status === 'A' && isCollectedTest(path) && !isExempt(path, globs))
    .map(({ path }) => path)
    .sort();
}

function listPathsToRestore(change: FileChange, globs: readonly string[] | null): string[] {
  const { path, oldPath, status } = change;
  const addsConfiguration =
    isRunnerFileWhenAdded(path) &&
    !isExempt(path, globs) &&
    !isModelWeights(change) &&
    !isEmptyPackage(change);
  switch (status) {
    case 'A':
      return addsConfiguration ? [path] : [];
    case 'M':
    case 'D':
      return isJudgeFile(path, globs) && !isModelWeights(change) ? [path] : [];
    case 'R': {
      const from = oldPath ?? path;
      return isJudgeFile(from, globs) || addsConfiguration ? [from, path] : [];
    }
  }
}

/** Python reads `.pth` files as text; PyTorch uses the same extension for models. */
function isModelWeights({ path, insertions }: FileChange): boolean {
  return insertions === null && /\.pth$/i.test(path);
}

/** An empty `__init__.py` only makes a folder a package. */
function isEmptyPackage({ path, insertions }: FileChange): boolean {
  return insertions === 0 && path.endsWith('__init__.py');
}

function isExempt(path: string, globs: readonly string[] | null): boolean {
  const exempting = (globs ?? []).filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1));
  return isCoveredInAnyForm(exempting, path);
}

/** Names may be stored in composed or decomposed Unicode form, and a glob may use either. */
function isCoveredInAnyForm(globs: readonly string[], path: string): boolean {
  const composed = globs.map((glob) => glob.normalize('NFC'));
  return isCoveredBy(composed, path.normalize('NFC'));
}
