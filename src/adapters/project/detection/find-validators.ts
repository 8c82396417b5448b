import { DETECTED_NAMES, type DetectedValidator } from '../../../contracts/config/detected-validator.ts';
import type { ProjectFiles } from './found-commands.ts';
import { findDenoTasks, findLanguageTools } from './language-tools.ts';
import { findPackageScripts } from './package-scripts.ts';
import { findPythonProject, findPythonTests, findPythonTools } from './python-tools.ts';
import { findTasksOfRunners } from './task-runners.ts';
import { findTestScript } from './test-scripts.ts';

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
