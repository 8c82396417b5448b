import { describe, expect, it } from 'vitest';
import { parsePatch } from '../../../../src/policy/patches/patch.ts';
import { applyHunks } from '../../../../src/work/scope/apply-hunks.ts';

function hunksOf(...lines: readonly string[]) {
  const parsed = parsePatch(['--- a/x', '+++ b/x', ...lines, ''].join('\n'));
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.texts[0]?.hunks ?? [];
}

describe('hunks', () => {
  const NO_END = '\\ No newline at end of file';
  it.each([
    ['a change', 'a\nb\nc\n', 'a\nx\nc\n', ['@@ -1,3 +1,3 @@', ' a', '-b', '+x', ' c']],
    ['two of them', 'a\nb\nc\nd\n', 'x\nb\nc\ny\nd\n', ['@@ -1 +1 @@', '-a', '+x', '@@ -3,0 +4 @@', '+y']],
    ['an insertion at the start', 'a\n', 'x\na\n', ['@@ -0,0 +1 @@', '+x']],
    ['the last line', 'a\nb\n', 'a\n', ['@@ -2 +1,0 @@', '-b']],
    ['an end that goes', 'a\n', 'a', ['@@ -1 +1 @@', '-a', '+a', NO_END]],
    ['an end that comes', 'a', 'a\n', ['@@ -1 +1 @@', '-a', NO_END, '+a']],
    ['no end on either side', 'a\nb', 'x\nb', ['@@ -1,2 +1,2 @@', '-a', '+x', ' b', NO_END]],
    ['ends of lines', 'a\nb\n', 'a\r\nb\n', ['@@ -1 +1 @@', '-a', '+a\r']],
    [
      'an empty line whose blank was taken off',
      'a\n\nb\n',
      'a\n\nc\n',
      ['@@ -1,3 +1,3 @@', ' a', '', '-b', '+c'],
    ],
  ])('lead from one text to the other and back: %s', (_name, before, after, lines) => {
    const hunks = hunksOf(...lines);
    expect(applyHunks(before, hunks)).toBe(after);
    expect(applyHunks(after, hunks, true)).toBe(before);
  });

  it.each([
    ['another line', 'a\nz\n', ['@@ -1,2 +1,2 @@', ' a', '-b', '+x']],
    ['the line elsewhere', 'a\na\nb\n', ['@@ -1,2 +1,2 @@', ' a', '-b', '+x']],
    ['a line behind the end', 'a\n', ['@@ -5 +5 @@', '-b', '+x']],
    ['another end', 'a', ['@@ -1 +1 @@', '-a', '+x']],
    ['the same lines twice', 'a\n', ['@@ -1 +1 @@', '-a', '+x', '@@ -1 +1 @@', '-a', '+y']],
    ['bytes that are no text', '\uFFFD\n', ['@@ -1 +1 @@', '-\uFFFD', '+x']],
    ['an end in the middle', 'a\nb\n', ['@@ -1 +1 @@', '-a', '+x', NO_END]],
  ])('fit no text with %s', (_name, text, lines) => {
    expect(applyHunks(text, hunksOf(...lines))).toBeNull();
  });
});
