import type { FileChange } from '../../contracts/workspace-change.ts';
import type { EffectivePolicy } from '../assemble.ts';
import { checkFiles } from '../changes.ts';
import { isDependencyFile } from '../dependency-files.ts';
import { forbiddenBy } from '../globs.ts';
import type { Violation } from '../violation.ts';
import { type Finding, shown, unjudged } from './findings.ts';
import { baseName, pathInside, resolvePath } from './paths.ts';
import { expandBraces, isFollowable, mayMeet, sampleOf } from './pattern-rules.ts';
import type { FileEffect } from './programs/file-effects.ts';
import { startsAtHome, type Word } from './shell/shell-word.ts';

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
  /** Absolute; folders for temporary files, the first of them that of the run. */
  readonly temporary: readonly string[];
  /** Names or globs of branches that nobody moves. */
  readonly protectedBranches: readonly string[];
}

/** Folders for temporary files: that of a run, and those of the system, which a sandbox replaces by one of its own. */
export function temporaryFolders(ofRun: string | undefined): readonly string[] {
  return [
    ...new Set([
      ...(ofRun?.startsWith('/') === true ? [resolvePath('/', ofRun)] : []),
      '/tmp',
      '/private/tmp',
    ]),
  ];
}

/** Files that take everything and keep nothing. */
const SINKS = /^\/dev\/(?:null|zero|full|stdout|stderr|tty|fd\/\d+)$/;

interface WriteCheck {
  readonly policy: EffectivePolicy;
  readonly place: CommandPlace;
  /** Where the line may stand by now; null where that can't be told. */
  readonly folders: readonly string[] | null;
}

export function checkEffect(check: WriteCheck, given: FileEffect): Finding[] {
  // Of what `find` picks by name, the folder that it looks through says nothing.
  const { below } = given.target;
  const recursive = below === null ? given.recursive : below === 'all';
  const effect = { ...given, recursive };
  const { target } = effect;
  if (SINKS.test(target.text)) return [];
  if (target.unknown) return checkUnknown(check, effect);
  if (target.pattern && target.text.includes('{')) return checkBraces(check, effect);
  if (target.pattern && !isFollowable(target.text)) return [untold(target, 'its pattern can lead anywhere')];
  const text = startsAtHome(target) ? fromHome(check.place, target.text) : target.text;
  if (text === null) return [outside(target.text)];
  const folders = text.startsWith('/') ? ['/'] : check.folders;
  if (folders === null)
    return [
      untold(target, 'the folder it is relative to is not known'),
      ...closedAnywhere(check.policy, text),
    ];
  const seen = new Map<string, Finding>();
  for (const folder of folders)
    for (const finding of checkAt(check, effect, folder, text))
      seen.set(`${finding.violation.class} ${finding.violation.subject}`, finding);
  return [...seen.values()];
}

/** Each of the words that braces stand for is written. */
function checkBraces(check: WriteCheck, effect: FileEffect): Finding[] {
  const { target } = effect;
  const texts = isFollowable(target.text) ? expandBraces(target.text) : null;
  if (texts === null) return [untold(target, 'its pattern can lead anywhere')];
  return texts.flatMap((text) => {
    const word = { ...target, text: text.replaceAll(/[{}]/g, '?'), raw: text, pattern: /[*?[{]/.test(text) };
    return checkEffect(check, { ...effect, target: word });
  });
}

function fromHome({ home }: CommandPlace, text: string): string | null {
  return home === null || !/^~(?:\/|$)/.test(text) ? null : text.replace(/^~/, home);
}

function untold({ raw, text }: Word, why: string): Finding {
  const subject = raw || text || 'the file';
  return unjudged('outside_workspace', subject, `can't tell where ${subject} leads: ${why}`);
}

function outside(path: string): Finding {
  return shown('outside_workspace', path, `${path} is outside the workspace`);
}

/** Of an unknown path, the parts that are written out still show something. */
function checkUnknown(check: WriteCheck, effect: FileEffect): Finding[] {
  const { target } = effect;
  const pieces = target.pieces ?? [];
  const head = pieces[0]?.kind === 'text' ? pieces[0].text : '';
  const tail = pieces.at(-1);
  const folder = head.slice(0, head.lastIndexOf('/') + 1);
  const placed = folder === '' ? [] : checkFolder(check, folder);
  const closed =
    tail?.kind === 'text' && tail.text.includes('/') ? tail.text.slice(tail.text.indexOf('/') + 1) : '';
  return [
    untold(target, 'only the shell knows what it becomes'),
    ...placed,
    ...closedAnywhere(check.policy, closed),
    ...operationsOf(check.policy, effect, target.raw, [], true),
  ];
}

function checkFolder(check: WriteCheck, folder: string): Finding[] {
  const folders = folder.startsWith('/') ? ['/'] : (check.folders ?? []);
  const places = folders.map((from) => ({ from, path: resolvePath(from, folder) }));
  return places.every(({ from, path }) => isOpen(check.place, from, folder, path)) ? [] : [outside(folder)];
}

function isOpen(place: CommandPlace, from: string, text: string, path: string): boolean {
  return (
    pathInside(place.workspace, path) !== null ||
    place.writable.some((folder) => pathInside(folder, path) !== null) ||
    temporaryPath(place, from, text, path) !== null
  );
}

/**
 * The way to a path from a folder for temporary files; null for other paths. Where the workspace lies in such a folder itself, what
 * lies around it is no temporary file; nor is what a relative path finds outside of the workspace.
 */
function temporaryPath(place: CommandPlace, from: string, text: string, path: string): string | null {
  if (!text.startsWith('/') && pathInside(place.workspace, from) !== null) return null;
  for (const folder of place.temporary) {
    const inside = pathInside(folder, path);
    const own = pathInside(folder, place.workspace);
    if (inside === null || (own !== null && inside.split('/')[0] === own.split('/')[0])) continue;
    return inside;
  }
  return null;
}

/** Files come and go there, but the folder itself stays. */
function isTemporary(place: CommandPlace, effect: FileEffect, from: string, text: string): boolean {
  const inside = temporaryPath(place, from, text, resolvePath(from, text));
  const { kind, recursive, target } = effect;
  return inside !== null && (inside !== '' || target.below === 'some' || (kind !== 'delete' && !recursive));
}

function checkAt(check: WriteCheck, effect: FileEffect, folder: string, text: string): Finding[] {
  const { place, policy } = check;
  const path = resolvePath(folder, text);
  const way = pathInside(place.workspace, path);
  if (place.writable.some((writable) => pathInside(writable, path) !== null)) return [];
  if (way === null) return isTemporary(place, effect, folder, text) ? [] : [outside(path)];
  if (effect.kind === 'visit') return [];
  if (effect.target.pattern) return checkPattern(policy, effect, way);
  const into = effect.into
    .filter((word) => !word.unknown)
    .map((word) => resolvePath(path, baseName(word.text)));
  const ways = [way, ...into.flatMap((each) => pathInside(place.workspace, each) ?? [])].filter(
    (each) => each !== '',
  );
  const closed = ways.flatMap((each) => closedPath(policy, each) ?? []);
  const below = effect.recursive ? holdsClosed(policy, way) : null;
  const refused = [...closed, ...(below === null ? [] : [below])];
  return [...refused.slice(0, 1), ...operationsOf(policy, effect, way, ways, refused.length > 0)];
}

function isOfGit(way: string): boolean {
  return way.split('/').some((part) => part.toLowerCase() === '.git');
}

/** Git's own files, whatever the policy; then what it forbids, then what it protects. */
function closedPath(policy: EffectivePolicy, way: string): Finding | null {
  const glob = isOfGit(way) ? '.git' : forbiddenBy(policy.forbidden_paths, way);
  if (glob !== null) return shown('forbidden_path', way, `${way} is forbidden by ${glob}`);
  const guard = forbiddenBy(policy.protected_paths, way);
  return guard === null ? null : shown('forbidden_path', way, `${way} is protected by ${guard}`);
}

/** What is closed in whatever folder it lies. */
function closedAnywhere(policy: EffectivePolicy, way: string): Finding[] {
  const globs = [...policy.forbidden_paths, ...policy.protected_paths].filter((glob) =>
    glob.startsWith('**/'),
  );
  const plain = way.replace(/^(?:\.\/)+/, '');
  const glob = isOfGit(plain) ? '.git' : plain === '' ? null : forbiddenBy(globs, plain);
  return glob === null ? [] : [shown('forbidden_path', plain, `${plain} is forbidden by ${glob}`)];
}

/** Whether a folder holds something that is closed, as far as the globs say so by name. */
function holdsClosed(policy: EffectivePolicy, way: string): Finding | null {
  const found = ['.git', ...policy.forbidden_paths, ...policy.protected_paths].find((glob) => {
    const stem = literalStem(glob);
    return stem !== '' && (way === '' || stem.startsWith(`${way}/`));
  });
  if (found === undefined) return null;
  const subject = way === '' ? '.' : way;
  return shown('forbidden_path', subject, `${subject} holds what is forbidden by ${found}`);
}

function literalStem(glob: string): string {
  const parts = glob.replace(/^(?:\.\/)+/, '').split('/');
  const end = parts.findIndex((part) => /[*?[\]{}()!+@]/.test(part));
  return parts.slice(0, end < 0 ? parts.length : end).join('/');
}

/** A pattern is refused when a forbidden name could be among what it becomes. */
function checkPattern(policy: EffectivePolicy, effect: FileEffect, way: string): Finding[] {
  const { recursive } = effect;
  const closed = ['**/.git', ...policy.forbidden_paths, ...policy.protected_paths].filter((glob) =>
    mayMeet(way, glob, { recursive, isAimed: false }),
  );
  const aimed = closed.find((glob) => mayMeet(way, glob, { recursive, isAimed: true }));
  const find = aimed === undefined ? unjudged : shown;
  const refused = closed
    .slice(0, 1)
    .map((glob) => find('forbidden_path', way, `${way} may become what is forbidden by ${aimed ?? glob}`));
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
): Finding[] {
  const paths = ways.length === 0 ? [way === '' ? '.' : way] : ways;
  // A copy into a folder is named by the folder; either name may be the allowed one.
  const harmless = {
    ...policy,
    forbidden_paths: [],
    forbidden_operations: [],
    execution: 'workspace_write' as const,
  };
  const unallowed = paths.map((path) => checkFiles(harmless, [changeOf(path, effect)]));
  const [first] = refused || unallowed.some((found) => found.length === 0) ? [] : (unallowed[0] ?? []);
  const isPicked = effect.target.below === 'some';
  return [
    ...(first === undefined ? [] : [{ violation: first, isShown: !isPicked }]),
    ...(effect.kind === 'index'
      ? []
      : (paths.map((path) => forbiddenChanges(policy, effect, path)).find(isFilled) ?? [])),
  ];
}

function isFilled(found: readonly Finding[]): boolean {
  return found.length > 0;
}

function forbiddenChanges(policy: EffectivePolicy, { kind }: FileEffect, path: string): Finding[] {
  const forbidden = policy.forbidden_operations;
  const refuse = (message: string) => shown('forbidden_operation', path, message);
  return [
    ...(policy.execution === 'read_only'
      ? [refuse(`this command would change ${path}; the policy is read-only`)]
      : []),
    ...(forbidden.includes('delete') && kind === 'delete'
      ? [refuse(`this command would delete ${path}; the policy forbids \`delete\``)]
      : []),
    ...(forbidden.includes('dependency_change') && isDependencyFile(path)
      ? [refuse(`this command would change ${path}; the policy forbids \`dependency_change\``)]
      : []),
  ];
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

/** What a call of a tool that writes a file would break; the file is named in full. */
export function checkWrite(check: WriteCheck, effect: FileEffect): Violation[] {
  return checkEffect(check, effect).map(({ violation }) => violation);
}
