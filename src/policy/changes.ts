import type { FileChange, HiddenChange } from '../contracts/workspace-change.ts';
import type { EffectivePolicy } from './assemble.ts';
import { isDependencyFile } from './dependency-files.ts';
import { forbiddenBy, isAllowedBy } from './globs.ts';
import { checkHiddenChanges } from './hidden-changes.ts';
import { checkRefs, type RefCheck } from './refs.ts';
import type { Violation } from './violation.ts';

export interface ChangeCheck extends RefCheck {
  readonly changes: readonly FileChange[];
  /** Changed files that git ignores: only `forbidden_paths` counts for them. */
  readonly ignoredChanges: readonly FileChange[];
  /** Changes that no tree shows. */
  readonly hidden?: readonly HiddenChange[];
}

/** All that a step did against its policy, as far as files and refs show it. */
export function checkChanges(check: ChangeCheck): Violation[] {
  return [
    ...checkFiles(check.policy, check.changes, check.ignoredChanges),
    ...checkRefs(check),
    ...checkHiddenChanges(check.hidden ?? []),
  ];
}

/** The part that needs no repository: a patch alone can be held against a policy. */
export function checkFiles(
  policy: EffectivePolicy,
  changes: readonly FileChange[],
  ignoredChanges: readonly FileChange[] = [],
): Violation[] {
  return [
    ...changes.flatMap((change) => [
      ...endsOf(change).flatMap((path) => checkPath(policy, path)),
      ...checkOperations(policy, change),
    ]),
    ...ignoredChanges.flatMap(endsOf).flatMap((path) => checkForbidden(policy, path)),
  ];
}

export interface ApprovalRequest {
  readonly path: string;
  /** The entry of `approval_paths` that covers it. */
  readonly glob: string;
}

/**
 * The changed paths that a person is asked about, each once. A path that is forbidden as well is a violation, and no
 * approval helps. Files that git ignores are not part of the change, so there is nothing to approve.
 */
export function approvalsFor(policy: EffectivePolicy, changes: readonly FileChange[]): ApprovalRequest[] {
  return [...new Set(changes.flatMap(endsOf))].flatMap((path) => {
    const glob = isForbidden(policy, path) ? null : forbiddenBy(policy.approval_paths, path);
    return glob === null ? [] : [{ path, glob }];
  });
}

/** A rename touches the place it leaves as much as the one it goes to. */
function endsOf({ path, oldPath }: FileChange): string[] {
  return oldPath === null || oldPath === path ? [path] : [oldPath, path];
}

function checkPath(policy: EffectivePolicy, path: string): Violation[] {
  const forbidden = isOfRepository(path) ? [forbiddenByGlob(path, '.git')] : checkForbidden(policy, path);
  if (forbidden.length > 0) return forbidden;
  if (policy.allowed_paths.every((globs) => isAllowedBy(globs, path))) return [];
  return [{ class: 'forbidden_path', subject: path, message: `${path} is outside the allowed paths` }];
}

/** Whether a path may not change, whoever ignores it. */
export function isForbidden(policy: EffectivePolicy, path: string): boolean {
  return coveringGlob(policy, path) !== null;
}

function coveringGlob(policy: EffectivePolicy, path: string): string | null {
  return isGitInternal(path) ? '.git' : forbiddenBy(policy.forbidden_paths, path);
}

function checkForbidden(policy: EffectivePolicy, path: string): Violation[] {
  const glob = coveringGlob(policy, path);
  return glob === null ? [] : [forbiddenByGlob(path, glob)];
}

function forbiddenByGlob(path: string, glob: string): Violation {
  return { class: 'forbidden_path', subject: path, message: `${path} is forbidden by ${glob}` };
}

/** No policy hands out git's own folder: hooks and configuration there run outside every check. */
function isGitInternal(path: string): boolean {
  return /^\.git(?:\/|$)/i.test(path);
}

/** What git keeps track of never lies in a repository inside; what it ignores may, where a package was checked out. */
function isOfRepository(path: string): boolean {
  return path.split('/').some((part) => part.toLowerCase() === '.git');
}

function checkOperations(policy: EffectivePolicy, change: FileChange): Violation[] {
  const { path, status } = change;
  const forbidden = policy.forbidden_operations;
  const violations: Violation[] = [];
  const refuse = (message: string) =>
    violations.push({ class: 'forbidden_operation', subject: path, message });
  if (policy.execution === 'read_only') refuse(`${path} changed, and the policy is read-only`);
  if (forbidden.includes('delete') && status === 'D') refuse(`${path} was deleted, and delete is forbidden`);
  if (forbidden.includes('dependency_change') && endsOf(change).some(isDependencyFile)) {
    refuse(`${path} declares dependencies, and dependency_change is forbidden`);
  }
  return violations;
}
