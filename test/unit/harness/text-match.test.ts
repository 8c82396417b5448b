import { describe, expect, it } from 'vitest';
import type { Normaliser, TextExpectation } from '../../../harness/case.ts';
import { findMismatches, normaliseText, quote } from '../../../harness/text-match.ts';
import { formatCommand } from '../../../src/text/shell-words.ts';

describe('an expected text', () => {
  it.each<[string, TextExpectation]>([
    ['a part of it', 'ello'],
    ['a pattern', /^hello$/m],
    ['a pattern that remembers where it was', /o/g],
    ['the whole', { equals: 'hello\nyou\n' }],
    ['several parts', { contains: ['hello', 'you'] }],
    ['a pattern in a file, over lines', { matches: '^you$' }],
    ['all of these at once', { contains: 'you', matches: 'h.l' }],
    ['nothing in particular', {}],
  ])('is met by %s', (_, expected) => {
    const text = 'hello\nyou\n';
    expect([findMismatches('it', text, expected), findMismatches('it', text, expected)]).toEqual([[], []]);
  });

  it.each<[TextExpectation, readonly string[]]>([
    ['x', ['it does not contain "x", it is "abc"']],
    ['', ['it is not empty, it is "abc"']],
    [/^b/, ['it does not match /^b/, it is "abc"']],
    [{ equals: 'ab' }, ['it is not "ab", it is "abc"']],
    [
      { contains: ['a', 'x', 'y'] },
      ['it does not contain "x", it is "abc"', 'it does not contain "y", it is "abc"'],
    ],
    [{ matches: 'd$' }, ['it does not match /d$/m, it is "abc"']],
  ])('says what is missing: %s', (expected, problems) => {
    expect(findMismatches('it', 'abc', expected)).toEqual(problems);
  });

  it('is nothing where nothing is expected', () => {
    expect(findMismatches('it', '', '')).toEqual([]);
  });

  it('shows the two ends of what is long', () => {
    const shown = quote(`start${'x'.repeat(1_000)}end`);
    expect(shown).toMatch(/^"startx+" … "x+end"$/);
    expect(shown.length).toBeLessThan(420);
  });
});

describe('a text that is made equal', () => {
  const paths = { cwd: '/srv/repo', temp: '/tmp' };

  it.each<[string, readonly Normaliser[], string, string]>([
    [
      'colours',
      ['ansi'],
      '\u001b[1;31mred\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u0007',
      'red link',
    ],
    ['dates', ['dates'], 'on 2026-02-09 at 2026-02-09T14:30:00.5Z', 'on <date> at <date>'],
    ['paths', ['paths'], '/srv/repo/a and /tmp/b', '<cwd>/a and <tmp>/b'],
    ['a pattern of a file, everywhere', [{ replace: '\\d+ms', with: 'TIME' }], '12ms 3ms', 'TIME TIME'],
    ['a pattern of a program, with groups', [{ replace: /(a)b/g, with: '$1' }], 'ab ab', 'a a'],
    ['one after the other', ['ansi', { replace: 'red', with: 'blue' }], '\u001b[31mre\u001b[0md', 'blue'],
  ])('loses %s', (_, normalisers, text, result) => {
    expect(normaliseText(text, normalisers, paths)).toBe(result);
  });
});

describe('a line to paste', () => {
  it.each([
    [['node', 'cli.mjs', '--help'], {}, 'node cli.mjs --help'],
    [['echo', "it's", '', '$HOME'], {}, "echo 'it'\\''s' '' '$HOME'"],
    [['make'], { cwd: 'my dir', env: { A: 'b c' } }, "cd 'my dir' && A='b c' make"],
  ])('keeps words together: %j', (command, place, line) => {
    expect(formatCommand(command, place)).toBe(line);
  });
});
