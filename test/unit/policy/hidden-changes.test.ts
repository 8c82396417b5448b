import { describe, expect, it } from 'vitest';
import type { HiddenChange } from '../../../src/contracts/run/workspace-change.ts';
import { checkHiddenChanges } from '../../../src/policy/changes.ts';
import { formatViolation } from '../../../src/policy/violation.ts';

interface Case {
  readonly name: string;
  readonly change: HiddenChange;
  readonly violation: string;
  readonly message: string;
}

const CASES: readonly Case[] = [
  {
    name: "a control file of the workspace's git folder is a forbidden path",
    change: { place: 'git_files', subject: '.git/config', verb: 'changed', restored: true },
    violation: 'forbidden_path: .git/config',
    message: '.git/config was changed during the step; conductor restored it',
  },
  {
    name: 'a new hook is one too',
    change: { place: 'git_files', subject: '.git/hooks/pre-commit', verb: 'created', restored: true },
    violation: 'forbidden_path: .git/hooks/pre-commit',
    message: '.git/hooks/pre-commit was created during the step; conductor restored it',
  },
  {
    name: 'a file that conductor could not restore is reported without that claim',
    change: { place: 'git_files', subject: '.git/info/exclude', verb: 'deleted', restored: false },
    violation: 'forbidden_path: .git/info/exclude',
    message: '.git/info/exclude was deleted during the step',
  },
  {
    name: 'a link that leads out is outside the workspace',
    change: { place: 'link', subject: 'etc -> /etc', verb: 'created', restored: false },
    violation: 'outside_workspace: etc -> /etc',
    message: 'the link etc -> /etc, which leads out of the workspace, was created during the step',
  },
];

describe('a change that no tree shows', () => {
  it.each(CASES)('$name', ({ change, violation, message }) => {
    const [found, ...more] = checkHiddenChanges([change]);
    expect(more).toEqual([]);
    expect(found === undefined ? null : formatViolation(found)).toBe(violation);
    expect(found?.message).toBe(message);
  });

  it('is one violation each', () => {
    const changes = CASES.map(({ change }) => change);
    expect(checkHiddenChanges(changes)).toHaveLength(CASES.length);
    expect(checkHiddenChanges([])).toEqual([]);
  });
});
