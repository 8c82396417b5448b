import type { DetectedName, DetectedValidator } from '../../../contracts/detected-validator.ts';

/** Files of a repository by path relative to its top. Lock files are there without their text. */
export type ProjectFiles = ReadonlyMap<string, string>;

/** Names under which people keep a check, the usual one first. */
export type TaskNames = Readonly<Record<DetectedName, readonly string[]>>;

export const TASK_NAMES: TaskNames = {
  tests: ['test', 'tests'],
  lint: ['lint'],
  typecheck: ['typecheck', 'type-check', 'check-types', 'type:check', 'check:types', 'tsc'],
};

/** What of these tasks there is, each as the command that `commandOf` makes of the task's name. */
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

/** The object that a text of JSON holds; empty where it holds none. */
export function parseObject(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    return asObject(JSON.parse((text ?? '').replace(/^\ufeff/, '')));
  } catch {
    return {};
  }
}

export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
