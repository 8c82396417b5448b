import { describe, expect, it } from 'vitest';
import { outputTail, streamsTail, stripEscapeSequences } from '../../../src/reports/output-tail.ts';

const ESC = '\u001B';
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`);

describe('the end of an output', () => {
  it.each([
    ['short text as it is', 'a\nb', 'a\nb'],
    ['no blank end', 'a\n\n  \n', 'a'],
    ['the indentation of its first line', '  at x\n', '  at x'],
    ['line ends of Windows as those of others', 'a\r\nb\r\n', 'a\nb'],
    ['a line that was drawn over as a line', '10%\r100%\n', '10%\n100%'],
    ['no colours', `${ESC}[31mred${ESC}[0m and ${ESC}[1;4mbold${ESC}[m`, 'red and bold'],
    ['no cursor moves', `${ESC}[2K${ESC}[1Gdone${ESC}[?25h`, 'done'],
    ['the text of a link', `${ESC}]8;;https://example.com${ESC}\\page${ESC}]8;;${ESC}\\`, 'page'],
    ['no title of a window', `${ESC}]0;title\u0007text`, 'text'],
    ['nothing of nothing', '', ''],
    ['nothing of blank lines', '\n\n', ''],
  ])('has %s', (_, text, expected) => {
    expect(outputTail(text)).toBe(expected);
  });

  it('has the last 60 lines', () => {
    expect(outputTail(numbered(61).join('\n'))).toBe(numbered(61).slice(1).join('\n'));
    expect(outputTail(numbered(60).join('\n'))).toBe(numbered(60).join('\n'));
  });

  it('has the last 6,000 characters, counted without escape sequences', () => {
    const text = `${'a'.repeat(3000)}${`${ESC}[0m`.repeat(2000)}${'b'.repeat(5999)}`;
    expect(outputTail(text)).toBe(`a${'b'.repeat(5999)}`);
  });
});

describe('the end of two streams', () => {
  const many = numbered(200).join('\n');
  it.each([
    ['both, where there is room', 'out', 'err', 'out\nerr'],
    ['the one that is not empty', '', 'err', 'err'],
    [
      'the failure before a flood of warnings',
      'FAILED adds\n',
      many,
      `FAILED adds\n${numbered(200).slice(-59).join('\n')}`,
    ],
    ['the error behind a flood of output', many, 'exit 1', `${numbered(200).slice(-59).join('\n')}\nexit 1`],
  ])('has %s', (_, stdout, stderr, expected) => {
    expect(streamsTail(stdout, stderr)).toBe(expected);
  });

  it('keeps to 60 lines and 6,000 characters together', () => {
    expect(streamsTail(many, many).split('\n')).toHaveLength(60);
    expect(streamsTail('a'.repeat(9000), 'b'.repeat(9000))).toHaveLength(6000);
  });
});

describe('text without escape sequences', () => {
  it('keeps brackets and line ends that are no part of one', () => {
    const text = '[31m is text\r\nand ]8; too\n';
    expect(stripEscapeSequences(text)).toBe(text);
  });
});
