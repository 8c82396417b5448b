import { describe, expect, it } from 'vitest';
import { excerptOutput } from '../../../src/setup/excerpt-output.ts';

const lines = (count: number, from = 1) =>
  Array.from({ length: count }, (_, index) => `line ${from + index}`);
const text = (count: number, from = 1) => `${lines(count, from).join('\n')}\n`;

describe('excerptOutput', () => {
  it.each<[string, string, string | null, readonly string[]]>([
    ['nothing', '', null, []],
    ['a short output whole', text(20), null, lines(20)],
    ['both ends of a longer one', text(21), null, [...lines(8), '  …', ...lines(12, 10)]],
    ['without empty lines', 'a\n\n  \nb\n', null, ['a', 'b']],
    [
      "without npm's empty lines",
      'npm error code EUSAGE\nnpm error\nnpm ERR!\n',
      null,
      ['npm error code EUSAGE'],
    ],
    [
      'both ends of what was read, without cut lines',
      `${text(9)}lin`,
      `e 90\n${text(13, 91)}`,
      [...lines(8), '  …', ...lines(12, 92)],
    ],
    ['a line longer than what is read', 'x'.repeat(9), 'x'.repeat(9), ['  …', 'x'.repeat(9)]],
  ])('shows %s', (_case, head, tail, expected) => {
    expect(excerptOutput(head, tail)).toEqual(expected);
  });
});
