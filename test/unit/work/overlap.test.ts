import { describe, expect, it } from 'vitest';
import { findOverlap, scopesOverlap } from '../../../src/work/scope/overlap.ts';

describe('the scopes of two items', () => {
  it.each<[string, string[], string[]]>([
    ['the same file', ['src/a.ts'], ['src/a.ts']],
    ['the same file in other words', ['`./src/a.ts`'], ['src/a.ts']],
    ['a folder and a file below', ['src/'], ['src/deep/a.ts']],
    ['a folder without a slash', ['src/deep'], ['src/deep/a.ts']],
    ['a folder and a folder below', ['src/'], ['src/deep/']],
    ['a file and its test', ['src/a.ts'], ['src/a.test.ts']],
    ['a file and its spec of another kind', ['src/a.ts'], ['src/a.spec.tsx']],
    ['a file and its test in __tests__', ['src/a.ts'], ['src/__tests__/a.test.ts']],
    ['two tests of one file', ['src/a.test.ts'], ['src/__tests__/a.spec.ts']],
    ['a glob and a file', ['src/**/*.ts'], ['src/x/a.ts']],
    ['a glob of tests and a file whose test it could be', ['src/*.test.ts'], ['src/a.ts']],
    ['a glob and a folder', ['src/**'], ['src/deep/']],
    ['a glob and the folder above', ['src/deep/*.ts'], ['src']],
    ['a glob and a folder with a dot in its name', ['v1.2/*.ts'], ['v1.2/']],
    ['a glob below and a folder with a dot', ['**/*.ts'], ['v1.2/']],
    ['two globs in one folder', ['src/*.ts'], ['src/a*']],
    ['two globs, one below the other', ['src/**'], ['src/deep/*.ts']],
    ['a name that looks like a glob', ['app/[id].ts'], ['app/[id].ts']],
    ['a glob that says what not', ['!src/**'], ['docs/a.md']],
    ['the whole repository', ['.'], ['docs/a.md']],
    ['one that names nothing', [], ['docs/a.md']],
    ['the second of several', ['x.ts', 'src/a.ts'], ['y.ts', 'src/a.ts']],
  ])('meet in %s, whichever comes first', (_, left, right) => {
    expect(scopesOverlap(left, right)).toBe(true);
    expect(scopesOverlap(right, left)).toBe(true);
  });

  it.each<[string, string[], string[]]>([
    ['two files', ['src/a.ts'], ['src/b.ts']],
    ['a file and the test of another', ['src/a.ts'], ['src/b.test.ts']],
    ['two files that differ in their kind', ['src/a.ts'], ['src/a.tsx']],
    ['a folder and one whose name goes on', ['src/a/'], ['src/ab/c.ts']],
    ['a glob and a file elsewhere', ['src/*.ts'], ['lib/a.ts']],
    ['a glob and a file of another kind', ['src/**/*.ts'], ['src/a.md']],
    ['globs for files of different kinds', ['src/**/*.ts'], ['src/**/*.md']],
    ['globs in different folders', ['src/**'], ['lib/**']],
    ['a glob and a folder elsewhere', ['src/**'], ['lib/']],
  ])('do not meet in %s', (_, left, right) => {
    expect(scopesOverlap(left, right)).toBe(false);
    expect(scopesOverlap(right, left)).toBe(false);
  });

  it('overlap, with the overlapping entry', () => {
    expect(findOverlap(['x.ts', 'src/a.test.ts'], ['src/a.ts'])).toBe('src/a.test.ts');
  });
});
