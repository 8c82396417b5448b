import type { FileChange } from '../../contracts/workspace-change.ts';
import type { EffectivePolicy } from '../assemble.ts';
import { checkFiles } from '../changes.ts';
import { forbiddenBy } from '../globs.ts';
import type { Violation } from '../violation.ts';
import type { FileEffect } from './file-effects.ts';
import { baseName, pathInside, resolvePath } from './paths.ts';
import { isFollowable, mayMeet, sampleOf } from './pattern-rules.ts';
import { startsAtHome, type Word } from './shell-word.ts';

/** Where a line would run, and what may be changed from there. */
export interface CommandPlace {
  /** Absolute; the folder that the agent works in. */
  readonly workspace: string;
  /** Absolute; the folder in which the line starts. */
  readonly cwd: string;
  /** What `~` stands for, where that is known. */
  readonly home: string | null;
  /** Absolute; folders that may be written whatever the policy says about paths. */
  readonly writable: readonly string[];
  /** Names or globs of branches that nobody moves. */
  readonly protectedBranches: readonly string[];
}

/** Files that take everything and keep nothing. */
const SINKS = /^\/dev\/(?:null|zero|full|stdout|stderr|tty|fd\/\d+)$/;

interface WriteCheck {
  readonly policy: EffectivePolicy;
  readonly place: CommandPlace;
  /** Where the line may stand by now; null where nobody can tell. */
  readonly folders: readonly string[] | null;
}

export function checkEffect(check: WriteCheck, effect: FileEffect): Violation[] {
  const { target, into } = effect;
  if (SINKS.test(target.text)) return [];
  if (target.unknown)
    return [
      untold(target, 'only the shell knows what it becomes'),
      ...operationsOf(check.policy, effect, target.raw, [], true),
    ];
  if (startsAtHome(target)) return [atHome(check, target)];
  if (target.pattern && !isFollowable(target.text)) return [untold(target, 'its pattern can lead anywhere')];
  const folders = target.text.startsWith('/') ? ['/'] : check.folders;
  if (folders === null) return [untold(target, 'the folder it is relative to is not known')];
  const seen = new Map<string, Violation>();
  for (const folder of folders) {
    const path = resolvePath(folder, target.text);
    const inside = into.filter((word) => !word.unknown).map((word) => resolvePath(path, baseName(word.text)));
    for (const violation of checkPath(check, effect, path, inside))
      seen.set(`${violation.class} ${violation.subject}`, violation);
  }
  return [...seen.values()];
}

function untold({ raw }: Word, why: string): Violation {
  return {
    class: 'outside_workspace',
    subject: raw,
    message: `nobody can tell where ${raw || 'it'} leads: ${why}`,
  };
}

function atHome({ place }: WriteCheck, { text }: Word): Violation {
  const path = place.home === null ? text : text.replace(/^~(?=\/|$)/, place.home);
  return { class: 'outside_workspace', subject: path, message: `${path} is outside the workspace` };
}

function checkPath(
  check: WriteCheck,
  effect: FileEffect,
  path: string,
  inside: readonly string[],
): Violation[] {
  const { place, policy } = check;
  const way = pathInside(place.workspace, path);
  if (place.writable.some((folder) => pathInside(folder, path) !== null)) return [];
  if (way === null)
    return [{ class: 'outside_workspace', subject: path, message: `${path} is outside the workspace` }];
  if (effect.kind === 'visit') return [];
  if (effect.target.pattern) return checkPattern(policy, effect, way);
  const ways = [way, ...inside.flatMap((each) => pathInside(place.workspace, each) ?? [])].filter(
    (each) => each !== '',
  );
  const closed = ways.flatMap((each) => closedPath(policy, each) ?? []);
  const below = effect.recursive ? holdsClosed(policy, way) : null;
  const refused = [...closed, ...(below === null ? [] : [below])];
  return [...refused.slice(0, 1), ...operationsOf(policy, effect, way, ways, refused.length > 0)];
}

/** Git's own files, whatever the policy; then what it forbids, then what it protects. */
function closedPath(policy: EffectivePolicy, way: string): Violation | null {
  const glob = way.split('/').some((part) => part.toLowerCase() === '.git')
    ? '.git'
    : forbiddenBy(policy.forbidden_paths, way);
  if (glob !== null)
    return { class: 'forbidden_path', subject: way, message: `${way} is forbidden by ${glob}` };
  const guard = forbiddenBy(policy.protected_paths, way);
  return guard === null
    ? null
    : { class: 'forbidden_path', subject: way, message: `${way} is protected by ${guard}` };
}

/** Whether a folder holds something that is closed, as far as the globs say so by name. */
function holdsClosed(policy: EffectivePolicy, way: string): Violation | null {
  const found = ['.git', ...policy.forbidden_paths, ...policy.protected_paths].find((glob) => {
    const stem = literalStem(glob);
    return stem !== '' && (way === '' || stem.startsWith(`${way}/`));
  });
  if (found === undefined) return null;
  const subject = way === '' ? '.' : way;
  return { class: 'forbidden_path', subject, message: `${subject} holds what is forbidden by ${found}` };
}

function literalStem(glob: string): string {
  const parts = glob.replace(/^(?:\.\/)+/, '').split('/');
  const end = parts.findIndex((part) => /[*?[\]{}()!+@]/.test(part));
  return parts.slice(0, end < 0 ? parts.length : end).join('/');
}

/** A pattern is refused when a forbidden name could be among what it becomes. */
function checkPattern(policy: EffectivePolicy, effect: FileEffect, way: string): Violation[] {
  const closed = ['**/.git', ...policy.forbidden_paths, ...policy.protected_paths].find((glob) =>
    mayMeet(way, glob, effect.recursive),
  );
  const refused: Violation[] =
    closed === undefined
      ? []
      : [
          {
            class: 'forbidden_path',
            subject: way,
            message: `${way} may become what is forbidden by ${closed}`,
          },
        ];
  const sample = sampleOf(way);
  return [...refused, ...operationsOf(policy, effect, sample, [sample], refused.length > 0)];
}

/** What the policy says about a changed file holds for one that a command would change. */
function operationsOf(
  policy: EffectivePolicy,
  effect: FileEffect,
  way: string,
  ways: readonly string[],
  refused: boolean,
): Violation[] {
  const changes = (ways.length === 0 ? [way === '' ? '.' : way] : ways).map((path) => changeOf(path, effect));
  const anywhere = { ...policy, allowed_paths: [], forbidden_paths: [] };
  const operations = changes
    .map((change) => checkFiles(anywhere, [change]))
    .find((found) => found.length > 0);
  // A copy into a folder is named by the folder; either name may be the allowed one.
  const harmless = { ...anywhere, execution: 'workspace_write' as const, forbidden_operations: [] };
  const paths = changes.map((change) =>
    checkFiles({ ...harmless, allowed_paths: policy.allowed_paths }, [change]),
  );
  const unallowed = refused || paths.some((found) => found.length === 0) ? [] : (paths[0] ?? []);
  return [...unallowed, ...(operations ?? [])];
}

function changeOf(path: string, { kind }: FileEffect): FileChange {
  return {
    path,
    oldPath: null,
    status: kind === 'delete' ? 'D' : 'M',
    insertions: null,
    deletions: null,
    oldMode: '100644',
    newMode: '100644',
    blob: '',
  };
}
