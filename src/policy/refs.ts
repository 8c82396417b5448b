import type { RefState } from '../contracts/run/workspace-change.ts';
import type { EffectivePolicy } from './assemble.ts';
import { matchesGlob } from './globs.ts';
import type { PolicyViolation } from './violation.ts';

export interface RefCheck {
  readonly policy: EffectivePolicy;
  readonly refsBefore: RefState;
  readonly refsAfter: RefState;
  /** The run's own branch, as a short name or a full ref. */
  readonly ownBranch: string;
  /** Branch names, or globs that match them. */
  readonly protectedBranches: readonly string[];
  /** Refs whose old value is not an ancestor of the new one. */
  readonly rewritten?: readonly string[];
}

/** Checks the refs of the workspace's own repository, which only the step can have moved. */
export function checkRefs(check: RefCheck): PolicyViolation[] {
  const { policy, refsAfter } = check;
  const own = fullName(check.ownBranch);
  const violations = findChangedRefs(check).flatMap((change) => checkRef(change, own, check));
  if (policy.forbidden_operations.includes('branch_switch') && refsAfter.head !== own) {
    const place = refsAfter.head === null ? 'is detached' : `points at ${refsAfter.head}`;
    const message = `HEAD of the workspace ${place}; the policy forbids \`branch_switch\``;
    violations.push({ class: 'forbidden_operation', subject: refsAfter.head ?? 'HEAD', message });
  }
  return violations;
}

interface RefChange {
  readonly name: string;
  readonly verb: 'moved' | 'created' | 'deleted';
}

/** The refs that were created, moved or deleted. */
function findChangedRefs({ refsBefore, refsAfter }: RefCheck): RefChange[] {
  const before = new Map(Object.entries(refsBefore.refs));
  const after = new Map(Object.entries(refsAfter.refs));
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.flatMap((name): RefChange[] => {
    const [old, now] = [before.get(name), after.get(name)];
    if (old === now) return [];
    if (now === undefined) return [{ name, verb: 'deleted' }];
    return [{ name, verb: old === undefined ? 'created' : 'moved' }];
  });
}

function checkRef({ name, verb }: RefChange, own: string, check: RefCheck): PolicyViolation[] {
  if (name === own) return checkOwnBranch(name, verb, check);
  if (isProtectedBranch(name, check.protectedBranches)) {
    const message = `the protected branch ${name} was ${verb} during the step`;
    return [{ class: 'protected_branch_violation', subject: name, message }];
  }
  const message = `the ref ${name} was ${verb} during the step`;
  return [{ class: 'forbidden_operation', subject: name, message }];
}

/**
 * The step may commit to the run's own branch if the policy allows it; rewriting the branch is a separate
 * operation.
 */
function checkOwnBranch(name: string, verb: RefChange['verb'], check: RefCheck): PolicyViolation[] {
  const forbidden = check.policy.forbidden_operations;
  const violation = (message: string): PolicyViolation[] => [
    { class: 'forbidden_operation', subject: name, message },
  ];
  const isRewritten = check.rewritten?.includes(name) === true;
  if (verb !== 'moved') return violation(`the step ${verb} the branch of the run`);
  if (isRewritten && forbidden.includes('force'))
    return violation('the step moved the branch of the run to another history; the policy forbids `force`');
  if (forbidden.includes('commit'))
    return violation(
      `the step ${isRewritten ? 'rewrote' : 'committed to'} the branch of the run; the policy forbids \`commit\``,
    );
  return [];
}

export function isProtectedBranch(name: string, branches: readonly string[]): boolean {
  return branches.some((branch) => name === fullName(branch) || matchesGlob(fullName(branch), name));
}

function fullName(branch: string): string {
  return branch.startsWith('refs/') ? branch : `refs/heads/${branch}`;
}
