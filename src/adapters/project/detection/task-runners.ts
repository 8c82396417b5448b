import type { DetectedValidator } from '../../../contracts/config/detected-validator.ts';
import { findTasks, type ProjectFiles, TASK_NAMES, type TaskNames } from './found-commands.ts';

const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];
const JUSTFILES = ['justfile', 'Justfile', '.justfile'];

/** Targets of a Makefile and recipes of a justfile. */
export function findTasksOfRunners(files: ProjectFiles): DetectedValidator[] {
  return [
    ...findIn(files, MAKEFILES, 'make', 'target', targetsOf),
    ...findIn(files, JUSTFILES, 'just', 'recipe', recipesOf),
  ];
}

function findIn(
  files: ProjectFiles,
  names: readonly string[],
  program: string,
  word: string,
  read: (text: string) => ReadonlySet<string>,
): DetectedValidator[] {
  const file = names.find((name) => files.has(name));
  if (file === undefined) return [];
  const tasks = read(files.get(file) ?? '');
  return findTasks(
    namesWithCheck(tasks),
    (task) => tasks.has(task),
    (task) => [program, task],
    (task) => `${word} "${task}" of ${file}`,
  );
}

/** Traditionally `make check` runs the tests; next to a `test` target it is another kind of check. */
function namesWithCheck(tasks: ReadonlySet<string>): TaskNames {
  return TASK_NAMES.tests.some((name) => tasks.has(name))
    ? { ...TASK_NAMES, typecheck: [...TASK_NAMES.typecheck, 'check'] }
    : { ...TASK_NAMES, tests: [...TASK_NAMES.tests, 'check'] };
}

/**
 * The targets of all rules. A rule may have several; `name :=` sets a variable, and `.PHONY` is not a target.
 */
function targetsOf(text: string): ReadonlySet<string> {
  const rules = text.matchAll(/^([^\s#:=.][^#:=\n]*?)[ \t]*::?(?![:=])/gm);
  return new Set([...rules].flatMap((rule) => (rule[1] ?? '').split(/\s+/)));
}

/** The names of all recipes, as in `@name param='x': dependencies`; `name := value` sets a variable. */
function recipesOf(text: string): ReadonlySet<string> {
  const recipes = text.matchAll(/^@?([A-Za-z_][\w-]*)(?:[ \t][^:\n]*)?:(?!=)/gm);
  return new Set([...recipes].flatMap((recipe) => recipe[1] ?? []));
}
