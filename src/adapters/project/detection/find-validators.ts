import { DETECTED_NAMES, type DetectedValidator } from '../../../contracts/detected-validator.ts';
import type { ProjectFiles } from './found-commands.ts';
import { findDenoTasks, findLanguageTools } from './language-tools.ts';
import { findPackageScripts } from './package-scripts.ts';
import { findPythonProject, findPythonTests, findPythonTools } from './python-tools.ts';
import { findTasksOfRunners } from './task-runners.ts';
import { findTestScript } from './test-scripts.ts';

/** What somebody wrote down as the way to run a check comes before what a language's tools do by themselves. */
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

/** What a repository gives the names `tests`, `lint` and `typecheck` to run: at most one command for each. */
export function findValidators(files: ProjectFiles): readonly DetectedValidator[] {
  const found = FINDERS.flatMap((find) => find(files));
  return DETECTED_NAMES.flatMap((name) => found.find((each) => each.name === name) ?? []);
}
