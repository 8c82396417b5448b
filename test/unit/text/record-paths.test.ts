import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRecordPath, showPath } from '../../../src/text/paths.ts';

describe('isRecordPath', () => {
  it.each(['a', 'artifacts/fix@2/transcript.md', '..a/b..', 'a b', '.hidden', 'a\\..\\b', '%2e%2e/a'])(
    'accepts %j',
    (path) => {
      expect(isRecordPath(path)).toBe(true);
    },
  );

  it.each([
    '',
    '/',
    '/etc/passwd',
    '..',
    '../a',
    'a/../b',
    'a/..',
    './a',
    'a/./b',
    'a//b',
    'a/',
    'a\0b',
    'a/\0',
  ])('refuses %j', (path) => {
    expect(isRecordPath(path)).toBe(false);
  });
});

describe('showPath', () => {
  it.each([
    ['src/a.ts', 'src/a.ts'],
    ['a\u202eb', 'a\\u202eb'],
    ['a\\u202eb', 'a\\\\u202eb'],
    ['a\nb\tc', 'a\\nb\\tc'],
    ['a\u0000\u001b', 'a\\x00\\x1b'],
    ['<img src=x>', '<img src=x>'],
  ])('shows %j as %j', (path, shown) => {
    expect(showPath(path)).toBe(shown);
  });

  it('shows two paths never as the same text', () => {
    const part = fc.constantFrom(
      '\\',
      'n',
      't',
      'x',
      'u',
      '0',
      '1',
      'b',
      '202e',
      '\n',
      '\t',
      '\u0000',
      '\u001b',
      '\u202e',
      '{',
      '}',
      '\ud800',
      '\r',
      'r',
    );
    const path = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(path, path, (one, other) => {
        expect(showPath(one) === showPath(other)).toBe(one === other);
      }),
      { numRuns: 2_000 },
    );
  });
});
