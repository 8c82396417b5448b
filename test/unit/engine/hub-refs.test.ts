import { describe, expect, it } from 'vitest';
import { findBranchLease, parseRemoteRefs } from '../../../src/adapters/workspace/hub/hub-refs.ts';

const [ONE, TWO] = ['1'.repeat(40), '2'.repeat(40)];
const BRANCH = 'refs/heads/conductor/run/w/r';

describe('the refs of a hub', () => {
  it('are read from what git lists, without its remarks', () => {
    const listed = `${ONE}\trefs/heads/main\nFrom somewhere\n${TWO}\t${BRANCH}\n`;
    expect([...parseRemoteRefs(listed)]).toEqual([
      ['refs/heads/main', ONE],
      [BRANCH, TWO],
    ]);
  });

  it.each<readonly [string, readonly (readonly [string, string])[], string | null]>([
    ['creates a branch that does not exist', [], ''],
    [
      'moves a branch from where this run left it',
      [
        [BRANCH, ONE],
        [`refs/conductor/run/r/result/${ONE}`, ONE],
      ],
      ONE,
    ],
    [
      'leaves a branch alone that another program moved',
      [
        [BRANCH, TWO],
        [`refs/conductor/run/r/result/${ONE}`, ONE],
      ],
      null,
    ],
    [
      'leaves a branch alone that another run published',
      [
        [BRANCH, ONE],
        [`refs/conductor/run/s/result/${ONE}`, ONE],
      ],
      null,
    ],
  ])('a push %s', (_case, refs, expected) => {
    expect(findBranchLease(new Map(refs), 'r', BRANCH)).toBe(expected);
  });
});
