import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffTexts } from '../../../harness/text-diff.ts';

describe('a difference of two texts', () => {
  it.each<[string, string | null, string, readonly string[]]>([
    ['one line of three', 'a\nb\nc\n', 'a\nB\nc\n', ['@@ -1,3 +1,3 @@', ' a', '-b', '+B', ' c']],
    ['a line more at the end', 'a\n', 'a\nb\n', ['@@ -1,1 +1,2 @@', ' a', '+b']],
    ['a line less at the start', 'a\nb\n', 'b\n', ['@@ -1,2 +1,1 @@', '-a', ' b']],
    ['all of it gone', 'a\n', '', ['@@ -1,1 +0,0 @@', '-a']],
    [
      'a last line that has lost its end',
      'a\n',
      'a',
      ['@@ -1,1 +1,1 @@', '-a', '+a', '\\ No newline at end of file'],
    ],
    [
      'two places that are far apart',
      '1\n2\n3\n4\n5\n6\n7\n8\n9\n',
      'x\n2\n3\n4\n5\n6\n7\n8\ny\n',
      ['@@ -1,4 +1,4 @@', '-1', '+x', ' 2', ' 3', ' 4', '@@ -6,4 +6,4 @@', ' 6', ' 7', ' 8', '-9', '+y'],
    ],
  ])('is written as others write it: %s', (_, before, after, lines) => {
    expect(diffTexts(before, after, 'f').text).toBe(`--- a/f\n+++ b/f\n${lines.join('\n')}\n`);
  });

  it('from nothing names no file of before', () => {
    const { text, added, removed } = diffTexts(null, 'a\nb\n', 'f');
    expect(text).toBe('--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+b\n');
    expect([added, removed]).toEqual([2, 0]);
  });

  it('of equal texts is empty', () => {
    expect(diffTexts('a\n', 'a\n', 'f')).toEqual({ text: '', added: 0, removed: 0 });
  });

  it('of two long and different texts has all of both, and is fast', () => {
    const lines = (word: string) => Array.from({ length: 5_000 }, (_, index) => `${word}${index}\n`).join('');
    const { added, removed } = diffTexts(lines('a'), lines('b'), 'f');
    expect([added, removed]).toEqual([5_000, 5_000]);
  });

  it('has everything that turns one text into the other', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const text = (all: readonly string[]) => all.map((line) => `${line}\n`).join('');
        const diff = diffTexts(text(before), text(after), 'f');
        expect(applied(before, diff.text)).toEqual(after);
        // Whatever is kept is kept: no shorter way takes away fewer lines than the longest common part leaves.
        expect(before.length - diff.removed).toBe(commonLength(before, after));
      }),
    );
  });
});

/** What comes of the lines when every hunk is put where it says. */
function applied(before: readonly string[], diff: string): string[] {
  const result: string[] = [];
  let at = 0;
  for (const line of diff.split('\n').slice(2, -1)) {
    const [, start, count] = /^@@ -(\d+),(\d+) /.exec(line) ?? [];
    if (start !== undefined) {
      const from = count === '0' ? Number(start) : Number(start) - 1;
      result.push(...before.slice(at, from));
      at = from;
    } else {
      if (line[0] !== '+') {
        expect(before[at]).toBe(line.slice(1));
        at += 1;
      }
      if (line[0] !== '-') result.push(line.slice(1));
    }
  }
  return [...result, ...before.slice(at)];
}

function commonLength(left: readonly string[], right: readonly string[]): number {
  let row = right.map(() => 0);
  for (const one of left) {
    let corner = 0;
    let best = 0;
    row = row.map((above, index) => {
      const value = right[index] === one ? corner + 1 : Math.max(above, best);
      corner = above;
      best = value;
      return value;
    });
  }
  return row.at(-1) ?? 0;
}
