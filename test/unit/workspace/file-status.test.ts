import { describe, expect, it } from 'vitest';
import { parseStatus } from '../../../src/adapters/workspace/files/file-status.ts';

const NOTHING = { touched: [], gone: [], ignored: [], odd: false };
const OBJECTS = `${'a'.repeat(40)} ${'b'.repeat(40)}`;
const changed = (letters: string, path: string, submodule = 'N...') =>
  `1 ${letters} ${submodule} 100644 100644 100644 ${OBJECTS} ${path}\0`;

describe('what git status says', () => {
  it.each([
    ['nothing', '', {}],
    ['a changed file with spaces', changed('.M', 'a b  c'), { touched: ['a b  c'] }],
    ['a file that differs from HEAD alone', changed('A.', 'new'), {}],
    ['a file that became a link', changed('.T', 'x'), { touched: ['x'] }],
    ['a deleted file', changed('AD', 'x'), { gone: ['x'] }],
    ['untracked files', '? a\0? b\nc\0', { touched: ['a', 'b\nc'] }],
    ['ignored ones', '! node_modules/\0! a.log\0', { ignored: ['node_modules/', 'a.log'] }],
    ['a repository in a folder', '? nested/\0', { odd: true }],
    ['a submodule at another commit', changed('.M', 'sub', 'SC..'), { odd: true }],
    ['a conflict', `u UU N... 100644 100644 100644 100644 ${OBJECTS} ${OBJECTS} x\0`, { odd: true }],
    [
      'what is the run’s own',
      `? .tnh/run/r1/x\0! .tnh/run/\0${changed('.M', '.tnh/run/a')}? .tnh/runs\0`,
      { touched: ['.tnh/runs'] },
    ],
  ])('is read: %s', (_, output, expected) => {
    expect(parseStatus(output)).toEqual({ ...NOTHING, ...expected });
  });
});
