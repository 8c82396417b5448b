import type { FileChange } from '../../../../src/contracts/run/workspace-change.ts';
import { changedCommand, filesOfCommand } from '../../../../src/policy/judges/changed-command.ts';
import { inspectChange, textsToInspect } from '../../../../src/policy/judges/inspect-change.ts';
import { findAddedTests, findChangedJudgeFiles } from '../../../../src/policy/judges/judge-files.ts';

/** Files by path; null removes one that the base has. */
export type Files = Readonly<Record<string, string>>;
export type Edits = Readonly<Record<string, string | null>>;

export interface JudgedChange {
  /** Files that are put back as at the base for a second validation. */
  readonly rerun: readonly string[];
  /** What opens a gate by itself. */
  readonly asked: readonly string[];
  /** Tests that are left out of a second validation, which takes place for them alone if the base was red. */
  readonly added: readonly string[];
}

/** What a change means for the checks, as far as values decide it; read as a run reads it, round by round. */
export function judgeChange(command: string, base: Files, edits: Edits): JudgedChange {
  const now = new Map<string, string | null>([...Object.entries(base), ...Object.entries(edits)]);
  const changes = changesBetween(base, now);
  const argv = command.split(' ');
  const paths = changes.flatMap(({ path, oldPath }) => [path, ...(oldPath === null ? [] : [oldPath])]);
  const place = { changed: paths };
  const texts = { base: new Map<string, string | null>(), now: new Map<string, string | null>() };
  for (let round = 0; round < 8; round += 1)
    for (const path of filesOfCommand(argv, texts.base, place)) {
      texts.base.set(path, base[path] ?? null);
      texts.now.set(path, now.get(path) ?? null);
    }
  const commands = changedCommand(argv, texts.base, texts.now, place).map(({ path, part }) =>
    part === null ? path : `${path}: ${part}`,
  );
  const wanted = textsToInspect(changes, null);
  const inspected = inspectChange(
    changes,
    new Map(wanted.base.map((path) => [path, base[path] ?? null])),
    new Map(wanted.now.map((path) => [path, now.get(path) ?? null])),
    { tests: null, commands: [argv] },
  );
  return {
    rerun: [...new Set([...findChangedJudgeFiles(changes, null), ...inspected.judges])].sort(),
    asked: [...commands, ...inspected.inline.map((path) => `${path}: tests`), ...inspected.probes],
    added: findAddedTests(changes, null),
  };
}

function changesBetween(base: Files, now: ReadonlyMap<string, string | null>): FileChange[] {
  const changes = [...now].flatMap(([path, text]): FileChange[] => {
    const before = base[path] ?? null;
    if (before === text) return [];
    return [changeOf(path, before === null ? 'A' : text === null ? 'D' : 'M')];
  });
  // A file that only moved, as git finds it.
  return changes.flatMap((change): FileChange[] => {
    if (change.status === 'A') {
      const from = changes.find(({ status, path }) => status === 'D' && base[path] === now.get(change.path));
      return from === undefined ? [change] : [{ ...change, status: 'R', oldPath: from.path }];
    }
    const isMoved =
      change.status === 'D' &&
      changes.some(({ status, path }) => status === 'A' && now.get(path) === base[change.path]);
    return isMoved ? [] : [change];
  });
}

function changeOf(path: string, status: FileChange['status']): FileChange {
  return {
    path,
    oldPath: null,
    status,
    insertions: 1,
    deletions: 1,
    oldMode: '100644',
    newMode: '100644',
    blob: '0'.repeat(40),
  };
}
