import type { DetectedName, DetectedValidator } from '../../../contracts/config/detected-validator.ts';

/** Files of a repository by path relative to its root. Files of which only the existence matters have an empty text. */
export type ProjectFiles = ReadonlyMap<string, string>;

/** Common task names for each check, most common first. */
export type TaskNames = Readonly<Record<DetectedName, readonly string[]>>;

export const TASK_NAMES: TaskNames = {
  tests: ['test', 'tests'],
  lint: ['lint'],
  typecheck: ['typecheck', 'type-check', 'check-types', 'type:check', 'check:types', 'tsc'],
};

/** The first existing task for each name, with the command that `commandOf` makes of it. */
export function findTasks(
  names: TaskNames,
  has: (task: string) => boolean,
  commandOf: (task: string) => readonly [string, ...string[]],
  sourceOf: (task: string) => string,
): DetectedValidator[] {
  const wanted = Object.entries(names) as [DetectedName, readonly string[]][];
  return wanted.flatMap(([name, tasks]) => {
    const task = tasks.find(has);
    return task === undefined ? [] : [{ name, command: commandOf(task), source: sourceOf(task) }];
  });
}
