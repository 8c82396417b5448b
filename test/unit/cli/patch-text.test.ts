import { describe, expect, it } from 'vitest';
import { choosePager } from '../../../src/surfaces/cli/output/pager.ts';
import { paintPatch } from '../../../src/surfaces/cli/output/patch-text.ts';

const style = (mark: string) => (text: string) => `<${mark}>${text}`;
const PAINT = {
  bold: style('b'),
  dim: style('d'),
  red: style('-'),
  green: style('+'),
  yellow: style('y'),
  blue: style('@'),
  enabled: true,
};

describe('the colours of a patch', () => {
  it('follow the hunk, so that a removed line that looks like a header is red', () => {
    const patch = [
      'diff --git a/q.sql b/q.sql',
      '--- a/q.sql',
      '+++ b/q.sql',
      '@@ -1,2 +1 @@ select',
      '--- a comment',
      ' same',
      '\\ No newline at end of file',
      'diff --git a/x b/x',
      '',
    ];
    expect(paintPatch(PAINT, patch.join('\n')).split('\n')).toEqual([
      '<b>diff --git a/q.sql b/q.sql',
      '<b>--- a/q.sql',
      '<b>+++ b/q.sql',
      '<@>@@ -1,2 +1 @@ select',
      '<->--- a comment',
      ' same',
      '<d>\\ No newline at end of file',
      '<b>diff --git a/x b/x',
      '',
    ]);
    expect(paintPatch({ ...PAINT, enabled: false }, patch.join('\n'))).toBe(patch.join('\n'));
  });
});

describe('the pager', () => {
  it.each([
    [undefined, 'less -FRX'],
    ['', null],
    ['cat', null],
    ['most -w', 'most -w'],
  ])('for PAGER=%s is %s', (given, expected) => {
    expect(choosePager(given === undefined ? {} : { PAGER: given })).toBe(expected);
  });
});
