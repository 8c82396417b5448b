import type { FileChange } from '../../contracts/run/workspace-change.ts';
import { resolveFrom, stripDotSlash } from '../../text/paths.ts';
import type { EffectivePolicy } from '../assemble.ts';
import { checkFiles } from '../changes.ts';
import { isDependencyFile } from '../files/dependency-files.ts';
import { findCoveringGlob } from '../globs.ts';
import type { PolicyViolation } from '../violation.ts';
import { certainFinding, type Finding, possibleFinding } from './findings.ts';
import { startsAtHome, type Word } from './grammar/shell-word.ts';
import { baseName, pathInside } from './paths.ts';
import { createSampleName, expandBraces, isAnalysable, mayMatchSameFile } from './pattern-rules.ts';
import type { FileEffect } from './programs/file-effects.ts';

/** Where a line would run, and which folders it may change. */
export interface CommandPlace {
  /** Absolute; the folder that the agent works in. */
  readonly workspace: string;
  /** Absolute; the folder in which the line starts. */
  readonly cwd: string;
  /** The value of `~`, if known. */
  readonly home: string | null;
  /** Absolute; folders that are writable regardless of the policy's path rules. */
  readonly writable: readonly string[];
  /** Absolute; folders for temporary files, the run's own folder first. */
  readonly temporary: readonly string[];
  /** Names or globs of branches that must not be moved. */
  readonly protectedBranches: readonly string[];
}

/** Folders for temporary files: the run's own, and those of the system, which a sandbox replaces. */
export function temporaryFolders(ofRun: string | undefined): readonly string[] {
  return [
    ...new Set([
      ...(ofRun?.startsWith('/') === true ? [resolveFrom('/', ofRun)] : []),
      '/tmp',
      '/private/tmp',
    ]),
  ];
}

/** Device files that discard what is written to them. */
const SINKS = /^\/dev\/(?:null|zero|full|stdout|stderr|tty|fd\/\d+)$/;

interface WriteCheck {
  readonly policy: EffectivePolicy;
  readonly place: CommandPlace;
  /** The folders the line may be in at this point; null if unknown. */
  readonly folders: readonly string[] | null;
}

export function checkEffect(check: WriteCheck, given: FileEffect): Finding[] {
  // If `find` filters by name, the searched folder itself isn't the target.
  const { below } = given.target;
  const recursive = below === null ? given.recursive : below === 'all';
  const effect = { ...given, recursive };
  const { target } = effect;
  if (SINKS.test(target.text)) return [];
  if (target.unknown) return checkUnknown(check, effect);
  if (target.pattern && target.text.includes('{')) return checkBraces(check, effect);
  if (target.pattern && !isAnalysable(target.text))
    return [unknownTarget(target, 'its pattern can match any path')];
  const text = startsAtHome(target) ? expandHome(check.place, target.text) : target.text;
  if (text === null) return [outside(target.text)];
  const folders = text.startsWith('/') ? ['/'] : check.folders;
  if (folders === null)
    return [
      unknownTarget(target, 'the folder it is relative to is not known'),
      ...closedAnywhere(check.policy, text),
    ];
  const seen = new Map<string, Finding>();
  for (const folder of folders)
    for (const finding of checkAt(check, effect, folder, text))
      seen.set(`${finding.violation.class} ${finding.violation.subject}`, finding);
  return [...seen.values()];
}

/** Checks each of the words that the braces expand to. */
function checkBraces(check: WriteCheck, effect: FileEffect): Finding[] {
  const { target } = effect;
  const texts = isAnalysable(target.text) ? expandBraces(target.text) : null;
  if (texts === null) return [unknownTarget(target, 'its pattern can match any path')];
  return texts.flatMap((text) => {
    const word = { ...target, text: text.replaceAll(/[{}]/g, '?'), raw: text, pattern: /[*?[{]/.test(text) };
    return checkEffect(check, { ...effect, target: word });
  });
}

function expandHome({ home }: CommandPlace, text: string): string | null {
  return home === null || !/^~(?:\/|$)/.test(text) ? null : text.replace(/^~/, home);
}

function unknownTarget({ raw, text }: Word, why: string): Finding {
  const subject = raw || text || 'the file';
  return possibleFinding('outside_workspace', subject, `can't tell which file ${subject} is: ${why}`);
}

function outside(path: string): Finding {
  return certainFinding('outside_workspace', path, `${path} is outside the workspace`);
}

/** The literal parts of an unknown path can still reveal a violation. */
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
    unknownTarget(target, 'its value is known only at run time'),
    ...placed,
    ...closedAnywhere(check.policy, closed),
    ...checkOperations(check.policy, effect, target.raw, [], true),
  ];
}

function checkFolder(check: WriteCheck, folder: string): Finding[] {
  const folders = folder.startsWith('/') ? ['/'] : (check.folders ?? []);
  const places = folders.map((from) => ({ from, path: resolveFrom(from, folder) }));
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
 * The path relative to a folder for temporary files; null for other paths. If the workspace itself lies in such a
 * folder, its surroundings don't count as temporary, and neither does a relative path out of the workspace.
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

/** Files in a temporary folder may be changed and deleted, but not the folder itself. */
function isTemporary(place: CommandPlace, effect: FileEffect, from: string, text: string): boolean {
  const inside = temporaryPath(place, from, text, resolveFrom(from, text));
  const { kind, recursive, target } = effect;
  return inside !== null && (inside !== '' || target.below === 'some' || (kind !== 'delete' && !recursive));
}

function checkAt(check: WriteCheck, effect: FileEffect, folder: string, text: string): Finding[] {
  const { place, policy } = check;
  const path = resolveFrom(folder, text);
  const relative = pathInside(place.workspace, path);
  if (place.writable.some((writable) => pathInside(writable, path) !== null)) return [];
  if (relative === null) return isTemporary(place, effect, folder, text) ? [] : [outside(path)];
  if (effect.kind === 'visit') return [];
  if (effect.target.pattern) return checkPattern(policy, effect, relative);
  const into = effect.into
    .filter((word) => !word.unknown)
    .map((word) => resolveFrom(path, baseName(word.text)));
  const relatives = [relative, ...into.flatMap((each) => pathInside(place.workspace, each) ?? [])].filter(
    (each) => each !== '',
  );
  const closed = relatives.flatMap((each) => closedPath(policy, each) ?? []);
  const below = effect.recursive ? findClosedBelow(policy, relative) : null;
  const refused = [...closed, ...(below === null ? [] : [below])];
  return [
    ...refused.slice(0, 1),
    ...checkOperations(policy, effect, relative, relatives, refused.length > 0),
  ];
}

function isInGitFolder(relative: string): boolean {
  return relative.split('/').some((part) => part.toLowerCase() === '.git');
}

/** Checks git's own files first, regardless of the policy, then forbidden paths, then protected paths. */
function closedPath(policy: EffectivePolicy, relative: string): Finding | null {
  const glob = isInGitFolder(relative) ? '.git' : findCoveringGlob(policy.forbidden_paths, relative);
  if (glob !== null) return certainFinding('forbidden_path', relative, `${relative} is forbidden by ${glob}`);
  const guard = findCoveringGlob(policy.protected_paths, relative);
  return guard === null
    ? null
    : certainFinding('forbidden_path', relative, `${relative} is protected by ${guard}`);
}

/** Checks globs that apply in any folder. */
function closedAnywhere(policy: EffectivePolicy, relative: string): Finding[] {
  const globs = [...policy.forbidden_paths, ...policy.protected_paths].filter((glob) =>
    glob.startsWith('**/'),
  );
  const plain = stripDotSlash(relative);
  const glob = isInGitFolder(plain) ? '.git' : plain === '' ? null : findCoveringGlob(globs, plain);
  return glob === null ? [] : [certainFinding('forbidden_path', plain, `${plain} is forbidden by ${glob}`)];
}

/** Whether a folder contains a closed path, as far as the literal parts of the globs show. */
function findClosedBelow(policy: EffectivePolicy, relative: string): Finding | null {
  const found = ['.git', ...policy.forbidden_paths, ...policy.protected_paths].find((glob) => {
    const stem = literalPrefix(glob);
    return stem !== '' && (relative === '' || stem.startsWith(`${relative}/`));
  });
  if (found === undefined) return null;
  const subject = relative === '' ? '.' : relative;
  return certainFinding(
    'forbidden_path',
    subject,
    `${subject} contains a path that is forbidden by ${found}`,
  );
}

function literalPrefix(glob: string): string {
  const parts = stripDotSlash(glob).split('/');
  const end = parts.findIndex((part) => /[*?[\]{}()!+@]/.test(part));
  return parts.slice(0, end < 0 ? parts.length : end).join('/');
}

/** Refuses a pattern that could expand to a forbidden name. */
function checkPattern(policy: EffectivePolicy, effect: FileEffect, relative: string): Finding[] {
  const { recursive } = effect;
  const closed = ['**/.git', ...policy.forbidden_paths, ...policy.protected_paths].filter((glob) =>
    mayMatchSameFile(relative, glob, { recursive, isAimed: false }),
  );
  const aimed = closed.find((glob) => mayMatchSameFile(relative, glob, { recursive, isAimed: true }));
  const find = aimed === undefined ? possibleFinding : certainFinding;
  const refused = closed
    .slice(0, 1)
    .map((glob) =>
      find('forbidden_path', relative, `${relative} may match a path that is forbidden by ${aimed ?? glob}`),
    );
  const sample = createSampleName(relative);
  return [...refused, ...checkOperations(policy, effect, sample, [sample], refused.length > 0)];
}

/** Applies the policy's rules for changed files to a file that a command would change. */
function checkOperations(
  policy: EffectivePolicy,
  effect: FileEffect,
  relative: string,
  relatives: readonly string[],
  refused: boolean,
): Finding[] {
  const paths = relatives.length === 0 ? [relative === '' ? '.' : relative] : relatives;
  // A copy into a folder may be allowed under the folder's name or under the file's own.
  const harmless = {
    ...policy,
    forbidden_paths: [],
    forbidden_operations: [],
    execution: 'workspace_write' as const,
  };
  const unallowed = paths.map((path) => checkFiles(harmless, [changeOf(path, effect)]));
  const [first] = refused || unallowed.some((found) => found.length === 0) ? [] : (unallowed[0] ?? []);
  const isFilteredByName = effect.target.below === 'some';
  return [
    ...(first === undefined ? [] : [{ violation: first, isCertain: !isFilteredByName }]),
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
  const refuse = (message: string) => certainFinding('forbidden_operation', path, message);
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

/** The violations of a tool call that writes a file; the path is absolute. */
export function checkWrite(check: WriteCheck, effect: FileEffect): PolicyViolation[] {
  return checkEffect(check, effect).map(({ violation }) => violation);
}
