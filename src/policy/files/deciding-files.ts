import type { FileChange } from '../../contracts/run/workspace-change.ts';
import { isCheckFile, isRunnerFileWhenAdded } from '../judges/check-configuration.ts';
import { isJudgeFile } from '../judges/judge-files.ts';
import { createNameMatcher } from '../judges/name-matcher.ts';
import { isDependencyFile } from './dependency-files.ts';
import { sensitiveKind } from './sensitive-files.ts';

/**
 * Why a file affects whether work is accepted, or what runs because of it; in the order in which a gate lists them.
 */
export const DECIDING_KINDS = [
  'test',
  'check_configuration',
  'script',
  'dependencies',
  'ci',
  'git_hook',
  'agent_instructions',
  'secret',
  // Only because the policy requires approval.
  'approval',
] as const;
export type DecidingKind = (typeof DECIDING_KINDS)[number];

export interface DecidingFile {
  readonly change: FileChange;
  readonly kind: DecidingKind;
}

/** Programs that a check or a user starts by name, and the files that define what they do. */
const SCRIPT_FILES: readonly string[] = [
  '{makefile,gnumakefile,bsdmakefile,justfile,.justfile}',
  '*.{mk,mak,just}',
  '{taskfile,magefile}*.{yml,yaml,go}',
  '{gulpfile,gruntfile,jakefile,rakefile,sakefile,fabfile,tasks,dodo}*.{js,ts,mjs,cjs,mts,cts,py,yml}',
  '{rakefile,thorfile,capfile,brakefile,earthfile,procfile,vagrantfile,tiltfile}',
  '*.{sh,bash,zsh,fish,ksh,ps1,bat,cmd,rake,nu}',
  '{dockerfile,containerfile}*',
  '{docker-compose,compose}*.{yml,yaml}',
  '{cmakelists.txt,meson.build,build.ninja,build.zig,build.rs,build.xml,configure,configure.ac,makefile.*}',
  '{build,workspace}{,.bazel}',
  '{turbo,nx,lerna,project,moon,rush}.json',
  '{gradlew,mvnw}*',
];

const SCRIPT_FOLDERS = /(?:^|\/)(?:scripts?|hack|\.scripts)\//i;

const isNamedAsScript = createNameMatcher(SCRIPT_FILES, 'any case');

/** Null for a file that affects no decision. `globs` is `tests` in the configuration. */
export function decidingKind(
  path: string,
  globs: readonly string[] | null,
): Exclude<DecidingKind, 'approval'> | null {
  const sensitive = sensitiveKind(path);
  if (sensitive !== null && sensitive !== 'secret') return sensitive;
  if (isCheckFile(path) || isRunnerFileWhenAdded(path))
    return isDependencyFile(path) ? 'dependencies' : 'check_configuration';
  if (isJudgeFile(path, globs)) return 'test';
  if (isDependencyFile(path)) return 'dependencies';
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (isNamedAsScript(name) || SCRIPT_FOLDERS.test(path)) return 'script';
  return sensitive;
}

/** The changes that affect a decision or need approval, by kind and path; both ends of a rename count. */
export function decidingFiles(
  changes: readonly FileChange[],
  globs: readonly string[] | null,
  asking: ReadonlySet<string>,
): DecidingFile[] {
  const found = changes.flatMap((change): DecidingFile[] => {
    const ends = change.oldPath === null ? [change.path] : [change.path, change.oldPath];
    const [kind] = ends.flatMap((path) => decidingKind(path, globs) ?? (asking.has(path) ? 'approval' : []));
    return kind === undefined ? [] : [{ change, kind }];
  });
  return DECIDING_KINDS.flatMap((kind) => found.filter((each) => each.kind === kind));
}

export interface ChangedFolder {
  /** Ends with a slash; empty for the root of the repository. */
  readonly folder: string;
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
}

/** Maximum number of folders listed; with more, they are grouped by the first parts of their paths. */
const MAX_FOLDERS = 12;

/**
 * Groups changes by folder with counts, largest first; if there are many folders, by the first parts of their
 * paths.
 */
export function foldByFolder(changes: readonly FileChange[]): ChangedFolder[] {
  const depths = [Number.POSITIVE_INFINITY, 3, 2, 1];
  const folded = depths.map((depth) => foldAt(changes, depth));
  return folded.find((folders) => folders.length <= MAX_FOLDERS) ?? folded.at(-1) ?? [];
}

function foldAt(changes: readonly FileChange[], depth: number): ChangedFolder[] {
  const byFolder = new Map<string, ChangedFolder>();
  for (const { path, insertions, deletions } of changes) {
    const parts = path.split('/').slice(0, -1).slice(0, depth);
    const folder = parts.length === 0 ? '' : `${parts.join('/')}/`;
    const sum = byFolder.get(folder) ?? { folder, files: 0, insertions: 0, deletions: 0 };
    byFolder.set(folder, {
      folder,
      files: sum.files + 1,
      insertions: sum.insertions + (insertions ?? 0),
      deletions: sum.deletions + (deletions ?? 0),
    });
  }
  return [...byFolder.values()].sort((a, b) => b.files - a.files || (a.folder < b.folder ? -1 : 1));
}
