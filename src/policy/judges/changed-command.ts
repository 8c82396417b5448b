import type { Part } from './command-part.ts';
import { isJudgeFile } from './judge-files.ts';
import { traceCommand } from './trace-command.ts';

/**
 * Whether a validator's command still means the same as at the base: `npm test` runs whatever `scripts.test` says.
 * A difference changes the verdict by itself, so a second validation would prove nothing.
 */

/**
 * Texts by path, relative to the repository; null if the file doesn't exist. A path that isn't a key has not been
 * read.
 */
export type FileTexts = ReadonlyMap<string, string | null>;

export interface ChangedCommand {
  readonly path: string;
  /** The part of the file that changed, such as `scripts.test`; null for the whole file. */
  readonly part: string | null;
}

export interface CommandPlace {
  /** Where the command runs, relative to the repository; empty for its root. */
  readonly folder?: string;
  /** Paths of the change: workspace members are looked up among them. */
  readonly changed?: readonly string[];
  /** `tests` in the configuration: a script that is itself a test is left to the second validation. */
  readonly tests?: readonly string[] | null;
}

/**
 * The files to read next, at the base and now, before `changedCommand` can answer. One file may lead to another:
 * call again with the files read so far until the list is empty.
 */
export function filesOfCommand(
  command: readonly string[],
  base: FileTexts,
  place: CommandPlace = {},
): string[] {
  const unread = new Set<string>();
  const read = (path: string): string | null => {
    if (!base.has(path)) unread.add(path);
    return base.get(path) ?? null;
  };
  for (const { paths } of trace(command, read, place)) paths.forEach(read);
  return [...unread].sort();
}

/**
 * What changed in the command since the base. A file that the base did not have usually doesn't count, because
 * there was no command to change. Files that were not read count as unchanged.
 */
export function changedCommand(
  command: readonly string[],
  base: FileTexts,
  now: FileTexts,
  place: CommandPlace = {},
): ChangedCommand[] {
  const read = (path: string): string | null => base.get(path) ?? null;
  const found = trace(command, read, place).flatMap((part): ChangedCommand[] => {
    if (part.paths.some((path) => base.has(path) !== now.has(path))) return [];
    const before = firstOf(part.paths, base);
    const after = firstOf(part.paths, now);
    if (before === null)
      return part.countsIfAdded === true && after !== null ? [{ path: after.path, part: part.name }] : [];
    if (!part.differs(before.text, after?.text ?? null)) return [];
    return [{ path: after?.path ?? before.path, part: part.name }];
  });
  return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
}

function trace(
  command: readonly string[],
  read: (path: string) => string | null,
  { folder = '', changed = [], tests = null }: CommandPlace,
): Part[] {
  return traceCommand(command, folder, { read, changed, isJudge: (path) => isJudgeFile(path, tests) });
}

function firstOf(paths: readonly string[], texts: FileTexts): { path: string; text: string } | null {
  for (const path of paths) {
    const text = texts.get(path) ?? null;
    if (text !== null) return { path, text };
  }
  return null;
}
