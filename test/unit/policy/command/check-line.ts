import type { PolicyOverride } from '../../../../src/contracts/documents/policy.ts';
import { checkCommand } from '../../../../src/policy/shell/check-command.ts';
import type { CommandPlace } from '../../../../src/policy/shell/write-rules.ts';
import { policyOf } from '../policy-builder.ts';

export const PLACE: CommandPlace = {
  workspace: '/w/repo',
  cwd: '/w/repo',
  home: '/home/ada',
  writable: ['/w/repo/.tnh/run/r1/harness', '/w/repo/.git/nothing'],
  temporary: ['/tmp'],
  protectedBranches: ['main', 'master', 'release/*'],
};

/** The classes of all that is wrong with a line, each once, in order. */
export function checkLine(policy: PolicyOverride, line: string, place: Partial<CommandPlace> = {}): string[] {
  const { allowed, violations } = checkCommand(policyOf(policy), line, { ...PLACE, ...place });
  if (allowed !== (violations.length === 0)) throw new Error('the verdict contradicts itself');
  return [...new Set(violations.map((violation) => violation.class))].sort();
}

/** What most tables deny: a program, a command of git, and an expression. */
export const DENYING: PolicyOverride = {
  commands: { deny: ['rm', 'git push', '/curl [^|]*\\| *(ba)?sh/', 'npm publish', './deploy.sh'] },
};
