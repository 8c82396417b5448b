import { describe, expect, it } from 'vitest';
import { wrapLine } from '../../../src/text/wrap-line.ts';

describe('wrapLine', () => {
  it.each<readonly [string, number, readonly string[]]>([
    ['short', 80, ['short']],
    ['one two three', 8, ['one two', '  three']],
    ['  one two three', 9, ['  one two', '    three']],
    ['a verylongwordthatfitsnowhere b', 10, ['a', '  verylongwordthatfitsnowhere', '  b']],
    ['a  b  c', 5, ['a  b', '  c']],
    ['', 10, ['']],
  ])('%j in %d columns', (line, width, expected) => {
    expect(wrapLine(line, width)).toEqual(expected);
  });
});
