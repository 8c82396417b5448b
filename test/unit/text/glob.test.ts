import picomatch from 'picomatch/posix.js';
import { describe, expect, it } from 'vitest';
import { compileGlob, findGlobProblem } from '../../../src/text/glob.ts';

const PATHS = [
  'a',
  'b',
  'ab',
  'abc',
  'a/b',
  'a/b/c',
  'a/b/c/d.ts',
  'src/a.ts',
  'src/a.test.ts',
  'src/deep/er/a.test.ts',
  'src/deep/er/a.spec.tsx',
  'test/a-b-c-d.js',
  'a-b-c-d-e',
  '.hidden/a.ts',
  'src/.hidden',
  'x1y2z3',
  '[id].ts',
  'a*b',
];

describe('a glob with many stars', () => {
  it.each([
    '*a*b*c*',
    '*-*-*-*',
    '**/*.*.*',
    'src/**/er/**/*.*.*',
    '**/**/**/*',
    '**/a/**/b/**',
    '{src,test}/**/*-*-*-*.{js,ts}',
    '*.{test,spec}.{ts,tsx}',
    'src/**/*.{test,spec}.{js,ts,tsx}',
    '?*?*?*',
    '[a-x]*[0-9]*[^0-9]*[0-9]',
    '**/*[^a]*[^b]*[^z]*',
    'a/**/**/**',
    '**/a*b*c*d*/**',
    '*\\**b*b*',
  ])('matches what picomatch matches: %s', (glob) => {
    for (const options of [{ dot: true }, { dot: true, nocase: true }]) {
      const [ours, theirs] = [compileGlob(glob, options), picomatch(glob, options)];
      for (const path of PATHS) expect([glob, path, ours(path)]).toEqual([glob, path, theirs(path)]);
    }
  });

  it.each([
    ['*a'.repeat(30), 'a'.repeat(5_000)],
    [`${'**/a/'.repeat(20)}b`, 'a/'.repeat(2_000)],
    [`${'{a,aa}'.repeat(8)}*b*c`, 'a'.repeat(5_000)],
    ['?*'.repeat(100), 'x'.repeat(5_000)],
    [`${'*[ab]'.repeat(50)}c`, 'ab'.repeat(2_500)],
  ])('ends on a long path: %s', (glob, path) => {
    expect(findGlobProblem(glob)).toBeNull();
    expect(typeof compileGlob(glob, { dot: true })(`${path}!`)).toBe('boolean');
  });
});

describe("a glob that can't be matched in a bounded time", () => {
  it.each([
    ['+(a|aa)*b', 'it repeats a group'],
    ['*(a)', 'it repeats a group'],
    ['(a+)+b', 'it repeats a group'],
    ['@(a|b)+', 'it repeats a group'],
    ['[ab]+c', 'it repeats a group'],
    ['@(a|b)*a*a*a', 'it has a group and more than 2 stars in one part of the path'],
    [`*a*b*c${'{a,b}'.repeat(9)}`, 'it has more than 256 alternatives'],
    ['a'.repeat(1_001), 'it is longer than 1000 characters'],
  ])('is refused: %s', (glob, problem) => {
    expect(findGlobProblem(glob)).toBe(problem);
    expect(compileGlob(glob)(glob)).toBe(true);
    expect(compileGlob(glob)('aab')).toBe(false);
  });

  it.each([
    'src/**',
    '**/*.test.*',
    '*.ts',
    'app/(shop)/[id]/**',
    '!(a|b)',
    '?(x)y',
    '{a,b}/*',
    '[...slug]',
    'a+b',
    '+page',
  ])('is not: %s', (glob) => expect(findGlobProblem(glob)).toBeNull());
});
