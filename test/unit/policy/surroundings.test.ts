import { describe, expect, it } from 'vitest';
import type { Operation } from '../../../src/contracts/policy.ts';
import {
  OUTSIDE_PLACES,
  type OutsideChange,
  type OutsidePlace,
} from '../../../src/contracts/surroundings.ts';
import { checkSurroundings, describeOutside } from '../../../src/policy/surroundings.ts';
import { formatViolation } from '../../../src/policy/violation.ts';
import { policyOf } from './policy-builder.ts';

function outside(place: OutsidePlace, subject: string, fields: Partial<OutsideChange> = {}): OutsideChange {
  return { place, subject, verb: 'changed', excuse: null, putBack: false, ...fields };
}

interface Case {
  readonly name: string;
  readonly change: OutsideChange;
  readonly operations?: readonly Operation[];
  readonly violations: readonly string[];
}

const CASES: readonly Case[] = [
  {
    name: "git's own files are a forbidden path",
    change: outside('git_files', '.git/config'),
    violations: ['forbidden_path: .git/config'],
  },
  {
    name: "a file of the user's checkout is outside the workspace",
    change: outside('checkout', 'a.txt'),
    violations: ['outside_workspace: a.txt'],
  },
  {
    name: 'a link that leads out is outside the workspace',
    change: outside('link', 'etc -> /etc'),
    violations: ['outside_workspace: etc -> /etc'],
  },
  {
    name: 'so is what lies behind one',
    change: outside('behind_link', 'out'),
    violations: ['outside_workspace: out'],
  },
  {
    name: 'so is a file of the home folder',
    change: outside('home', '~/.profile'),
    violations: ['outside_workspace: ~/.profile'],
  },
  {
    name: 'so is a record',
    change: outside('record', 'workflow.yaml'),
    violations: ['outside_workspace: workflow.yaml'],
  },
  {
    name: 'a stash entry is a forbidden operation',
    change: outside('stash', 'abc'),
    violations: ['forbidden_operation: abc'],
  },
  {
    name: "so is a ref of the conductor's own",
    change: outside('own_ref', 'refs/conductor/r/a@1'),
    violations: ['forbidden_operation: refs/conductor/r/a@1'],
  },
  {
    name: 'so is a symbolic ref',
    change: outside('symbolic_ref', 'refs/heads/topic'),
    violations: ['forbidden_operation: refs/heads/topic'],
  },
  {
    name: 'but a protected branch that became one is protected',
    change: outside('symbolic_ref', 'refs/heads/main'),
    violations: ['protected_branch_violation: refs/heads/main'],
  },
  {
    name: 'a ref of a remote is a push, where that is forbidden',
    change: outside('remote_ref', 'origin refs/heads/topic'),
    operations: ['push'],
    violations: ['forbidden_operation: origin refs/heads/topic'],
  },
  {
    name: 'and nothing where it is not',
    change: outside('remote_ref', 'origin refs/heads/topic'),
    violations: [],
  },
  {
    name: 'a protected branch of a remote is never moved',
    change: outside('remote_ref', 'origin refs/heads/main'),
    violations: ['protected_branch_violation: origin refs/heads/main'],
  },
];

describe('what happens around a worktree', () => {
  it.each(CASES)('$name', ({ change, operations, violations }) => {
    const policy = policyOf({ forbidden_operations: [...(operations ?? [])] });
    expect(checkSurroundings(policy, [change], ['main']).map(formatViolation)).toEqual(violations);
  });

  it.each(OUTSIDE_PLACES)('is no violation when something excuses it (%s)', (place) => {
    const change = outside(place, 'origin refs/heads/main', { excuse: 'somebody else did it' });
    expect(checkSurroundings(policyOf({ forbidden_operations: ['push'] }), [change], ['main'])).toEqual([]);
  });

  it('is told with what was done about it', () => {
    expect(describeOutside(outside('git_files', '.git/config', { putBack: true }))).toBe(
      "git's own file .git/config was changed during the step; it was put back",
    );
    expect(describeOutside(outside('checkout', 'a', { verb: 'deleted', excuse: 'of a person' }))).toBe(
      'the file of your checkout a was deleted during the step: of a person',
    );
  });
});
