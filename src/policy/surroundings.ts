import type { OutsideChange, OutsidePlace } from '../contracts/surroundings.ts';
import type { ViolationClass } from '../contracts/vocabulary.ts';
import type { EffectivePolicy } from './assemble.ts';
import { isProtectedBranch } from './refs.ts';
import type { Violation } from './violation.ts';

/** What a step did where it has no business, as far as nothing excuses it. */
export function checkSurroundings(
  policy: EffectivePolicy,
  changes: readonly OutsideChange[],
  protectedBranches: readonly string[],
): Violation[] {
  return changes
    .filter(({ excuse }) => excuse === null)
    .flatMap((change) => {
      const found = classOf(policy, change, protectedBranches);
      return found === null
        ? []
        : [{ class: found, subject: change.subject, message: describeOutside(change) }];
    });
}

/** What is told of a change, whoever made it. */
export function describeOutside(change: OutsideChange): string {
  const back = change.putBack ? '; it was put back' : '';
  const excuse = change.excuse === null ? '' : `: ${change.excuse}`;
  return `${PLACES[change.place]} ${change.subject} was ${change.verb} during the step${excuse}${back}`;
}

const PLACES: Readonly<Record<OutsidePlace, string>> = {
  git_files: "git's own file",
  checkout: 'the file of your checkout',
  link: 'the link out of the worktree',
  behind_link: 'what lies behind the link',
  record: 'the record',
  home: 'the file of your home folder',
  symbolic_ref: 'the symbolic ref',
  own_ref: "the conductor's ref",
  stash: 'the stash entry',
  remote_ref: 'the ref of a remote',
};

function classOf(
  policy: EffectivePolicy,
  { place, subject }: OutsideChange,
  protectedBranches: readonly string[],
): ViolationClass | null {
  switch (place) {
    case 'git_files':
      return 'forbidden_path';
    case 'checkout':
    case 'link':
    case 'behind_link':
    case 'record':
    case 'home':
      return 'outside_workspace';
    case 'own_ref':
    case 'stash':
      return 'forbidden_operation';
    case 'symbolic_ref':
      return isProtectedBranch(subject, protectedBranches)
        ? 'protected_branch_violation'
        : 'forbidden_operation';
    case 'remote_ref':
      return remoteClass(policy, subject, protectedBranches);
  }
}

/** The subject is the remote's name, a space and the ref there. */
function remoteClass(
  policy: EffectivePolicy,
  subject: string,
  protectedBranches: readonly string[],
): ViolationClass | null {
  if (isProtectedBranch(subject.slice(subject.indexOf(' ') + 1), protectedBranches))
    return 'protected_branch_violation';
  return policy.forbidden_operations.includes('push') ? 'forbidden_operation' : null;
}
