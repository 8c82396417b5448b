import type { FileChange, HiddenChange } from '../contracts/run/workspace-change.ts';
import type { EffectivePolicy } from './assemble.ts';
import { isDependencyFile } from './files/dependency-files.ts';
import { findCoveringGlob, isAllowedBy } from './globs.ts';
import { checkRefs, type RefCheck } from './refs.ts';
import type { PolicyViolation } from './violation.ts';

export interface ChangeCheck extends RefCheck {
  readonly changes: readonly FileChange[];
  /** Changed files that git ignores: only `forbidden_paths` applies to them. */
  readonly ignoredChanges: readonly FileChange[];
  /** Changes that no git tree shows. */
  readonly hidden?: readonly HiddenChange[];
}

/** All policy violations of a step that are visible in files and refs. */
export function checkChanges(check: ChangeCheck): PolicyViolation[] {
  return [
    ...checkFiles(check.policy, check.changes, check.ignoredChanges),
    ...checkRefs(check),
    ...checkHiddenChanges(check.hidden ?? []),
  ];
}

/** The checks that need no repository, so that a patch alone can be checked against a policy. */
export function checkFiles(
  policy: EffectivePolicy,
  changes: readonly FileChange[],
  ignoredChanges: readonly FileChange[] = [],
): PolicyViolation[] {
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
 * The changed paths that need approval, without duplicates. A path that is also forbidden is a violation, which no
 * approval can lift. Files that git ignores are not part of the change, so they need no approval.
 */
export function listApprovals(policy: EffectivePolicy, changes: readonly FileChange[]): ApprovalRequest[] {
  return [...new Set(changes.flatMap(endsOf))].flatMap((path) => {
    const glob = isForbidden(policy, path) ? null : findCoveringGlob(policy.approval_paths, path);
    return glob === null ? [] : [{ path, glob }];
  });
}

/** A rename touches both its source and its target. */
function endsOf({ path, oldPath }: FileChange): string[] {
  return oldPath === null || oldPath === path ? [path] : [oldPath, path];
}

function checkPath(policy: EffectivePolicy, path: string): PolicyViolation[] {
  const forbidden = isInNestedGit(path) ? [forbiddenByGlob(path, '.git')] : checkForbidden(policy, path);
  if (forbidden.length > 0) return forbidden;
  if (policy.allowed_paths.every((globs) => isAllowedBy(globs, path))) return [];
  return [{ class: 'forbidden_path', subject: path, message: `${path} is outside the allowed paths` }];
}

/** Whether a path must not change, even if git ignores it. */
export function isForbidden(policy: EffectivePolicy, path: string): boolean {
  return coveringGlob(policy, path) !== null;
}

function coveringGlob(policy: EffectivePolicy, path: string): string | null {
  return isGitInternal(path) ? '.git' : findCoveringGlob(policy.forbidden_paths, path);
}

function checkForbidden(policy: EffectivePolicy, path: string): PolicyViolation[] {
  const glob = coveringGlob(policy, path);
  return glob === null ? [] : [forbiddenByGlob(path, glob)];
}

function forbiddenByGlob(path: string, glob: string): PolicyViolation {
  return { class: 'forbidden_path', subject: path, message: `${path} is forbidden by ${glob}` };
}

/** Git's own folder is never writable under any policy: its hooks and configuration run outside every check. */
function isGitInternal(path: string): boolean {
  return /^\.git(?:\/|$)/i.test(path);
}

/** Git never tracks files inside a nested `.git`. Ignored files may lie in one, where a package was checked out. */
function isInNestedGit(path: string): boolean {
  return path.split('/').some((part) => part.toLowerCase() === '.git');
}

function checkOperations(policy: EffectivePolicy, change: FileChange): PolicyViolation[] {
  const { path, status } = change;
  const forbidden = policy.forbidden_operations;
  const violations: PolicyViolation[] = [];
  const refuse = (message: string) =>
    violations.push({ class: 'forbidden_operation', subject: path, message });
  if (policy.execution === 'read_only') refuse(`${path} changed; the policy is read-only`);
  if (forbidden.includes('delete') && status === 'D')
    refuse(`${path} was deleted; the policy forbids \`delete\``);
  if (forbidden.includes('dependency_change') && endsOf(change).some(isDependencyFile)) {
    refuse(`${path} declares dependencies; the policy forbids \`dependency_change\``);
  }
  return violations;
}

/** Changes that no git tree shows: in the workspace's own git folder, and links that lead out of the workspace. */
export function checkHiddenChanges(changes: readonly HiddenChange[]): PolicyViolation[] {
  return changes.map((change) => ({
    class: change.place === 'link' ? 'outside_workspace' : 'forbidden_path',
    subject: change.subject,
    message: describe(change),
  }));
}

function describe({ place, subject, verb, restored }: HiddenChange): string {
  const what = place === 'link' ? `the link ${subject}, which leads out of the workspace,` : subject;
  return `${what} was ${verb} during the step${restored ? '; conductor restored it' : ''}`;
}
