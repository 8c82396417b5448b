import { describe, expect, it } from 'vitest';
import { isOwnRef, parseStatus } from '../../../src/adapters/workspace/watch/user-checkout.ts';

const A = 'a'.repeat(40);
const B = 'b'.repeat(40);
const ZERO = '0'.repeat(40);

describe("the refs of the user's checkout", () => {
  it.each([
    ['refs/conductor/base/r1', false],
    ['refs/conductor/salvage/r1.fix@1', false],
    ['refs/heads/conductor/run/implement/r1', false],
    ['refs/heads/conductor/item/7', false],
    ['refs/heads/conductor/undo/r1/fix@1', true],
    ['refs/heads/conductors', true],
    ['refs/remotes/origin/conductor/run/implement/r1', true],
    ['refs/stash', true],
  ])('leave out what conductor itself writes: %s, compared: %s', (name, compared) => {
    expect(isOwnRef(name)).toBe(!compared);
  });

  it('have the branch that is checked out as HEAD', () => {
    expect(parseStatus(`# branch.oid ${A}\0# branch.head topic\0`).head).toBe('topic');
  });
});

describe("the files of the user's checkout", () => {
  const ordinary = (letters: string, path: string) =>
    `1 ${letters} N... 100644 100644 100644 ${A} ${B} ${path}\0`;
  it.each([
    ['modified', ordinary('.M', 'src/a.ts'), [['src/a.ts', '.M']]],
    ['staged', ordinary('A.', 'new.ts'), [['new.ts', 'A.']]],
    ['with spaces in its name', ordinary('.M', 'a file  of mine.txt'), [['a file  of mine.txt', '.M']]],
    ['untracked', '? notes.md\0', [['notes.md', '??']]],
    ['untracked, with a line break in its name', '? a\nb\0', [['a\nb', '??']]],
    [
      'renamed: the path it had is no file of its own',
      `2 R. N... 100644 100644 100644 ${A} ${A} R100 to.ts\0from.ts\0? x\0`,
      [
        ['to.ts', 'R.'],
        ['x', '??'],
      ],
    ],
    ['in conflict', `u UU N... 100644 100644 100644 100644 ${A} ${B} ${ZERO} both.ts\0`, [['both.ts', 'UU']]],
    ['ignored: not compared', '! build/x\0', []],
  ])('%s', (_, status, files) => {
    expect([...parseStatus(status).files]).toEqual(files);
  });

  it('are none in a clean checkout', () => {
    expect(parseStatus('')).toEqual({ head: null, files: new Map() });
  });
});
