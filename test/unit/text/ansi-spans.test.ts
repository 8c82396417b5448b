import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PLAIN_STYLE, readAnsiLine } from '../../../src/text/ansi-spans.ts';

const E = '\u001b';
const spansOf = (line: string) =>
  readAnsiLine(line, PLAIN_STYLE).spans.map(({ text, style = '' }) => [text, style]);
const textOf = (line: string) =>
  readAnsiLine(line, PLAIN_STYLE)
    .spans.map(({ text }) => text)
    .join('');

describe('readAnsiLine', () => {
  it.each([
    ['plain text', 'plain', [['plain', '']]],
    ['an empty line', '', []],
    [
      'one colour',
      `${E}[31mred${E}[0m done`,
      [
        ['red', 'fg-red'],
        [' done', ''],
      ],
    ],
    [
      'an empty code, which resets',
      `${E}[1mb${E}[mc`,
      [
        ['b', 'bold'],
        ['c', ''],
      ],
    ],
    ['bright colours', `${E}[94;107mx`, [['x', 'fg-bright-blue bg-bright-white']]],
    [
      'styles and their ends',
      `${E}[1;2;3;4;9mx${E}[22;23;24;29my`,
      [
        ['x', 'bold dim italic underline strike'],
        ['y', ''],
      ],
    ],
    [
      'a default colour',
      `${E}[31;41ma${E}[39mb${E}[49mc`,
      [
        ['a', 'fg-red'],
        ['b', 'bg-red'],
        ['c', ''],
      ],
    ],
    ['256 colours, the first sixteen', `${E}[38;5;9mx`, [['x', 'fg-bright-red']]],
    ['256 colours, the cube', `${E}[48;5;21mx`, [['x', 'bg-blue']]],
    ['256 colours, greys', `${E}[38;5;244mx`, [['x', 'fg-bright-black']]],
    ['true colour', `${E}[38;2;250;10;10;1mx`, [['x', 'fg-bright-red bold']]],
    ['true colour with colons', `${E}[38:2::0:200:0mx`, [['x', 'fg-green']]],
    ['a colour of underlines, which is skipped', `${E}[58;5;1;4mx`, [['x', 'underline']]],
    [
      'an underline that colons switch off',
      `${E}[4:3mx${E}[4:0my`,
      [
        ['x', 'underline'],
        ['y', ''],
      ],
    ],
    [
      'inverse text',
      `${E}[7mx${E}[31my`,
      [
        ['x', 'inverse'],
        ['y', 'bg-red inverse'],
      ],
    ],
    ['a colour that does not exist', `${E}[38;5;999mx`, [['x', '']]],
    ['a private sequence', `${E}[>4;2mx`, [['x', '']]],
    ['text of one style in one span', `${E}[31ma${E}[31mb`, [['ab', 'fg-red']]],
  ])('reads %s', (_, line, spans) => {
    expect(spansOf(line)).toEqual(spans);
  });

  it.each([
    ['concealed text', `${E}[8msecret`, [['secret', '']]],
    ['text in the colour of its background', `${E}[30;40msecret`, [['secret', 'fg-black']]],
    ['the same by nearly equal colours', `${E}[38;2;1;1;1;48;2;0;0;0msecret`, [['secret', 'fg-black']]],
    ['text that the cursor would go back over', `FAILED${E}[6DPASSED`, [['FAILEDPASSED', '']]],
    ['text that would be erased', `FAILED${E}[2K${E}[1Gok`, [['FAILEDok', '']]],
  ])('hides no %s', (_, line, spans) => {
    expect(spansOf(line)).toEqual(spans);
  });

  it.each([
    ['a title of the window', `${E}]0;owned\u0007text`],
    ['a link', `${E}]8;;file:///etc/passwd${E}\\text${E}]8;;${E}\\`],
    ['a string for the device', `${E}P1$r${E}\\text`],
    ['a character set', `${E}(Btext`],
    ['a saved cursor', `${E}7text${E}8`],
    ['a mode', `${E}[?1049htext${E}[?25l`],
  ])('drops %s', (_, line) => {
    expect(textOf(line)).toBe('text');
  });

  it.each([
    ['an escape without a sequence', `a${E}`, 'a\\x1b'],
    ['a sequence that is cut off', `a${E}[31`, 'a\\x1b[31'],
    ['a title without an end', `${E}]0;text`, '\\x1b]0;text'],
    ['a bell and a backspace', 'a\u0007b\u0008', 'a\\x07b\\x08'],
    ['bidi controls', 'a\u202eb', 'a\\u202eb'],
    ['NUL and lone surrogates', 'a\u0000b\ud800', 'a\\x00b\\ud800'],
    ['the single-byte form of an escape', 'a\u009b31mb', 'a\\x9b31mb'],
  ])('shows %s as escapes', (_, line, text) => {
    expect(textOf(line)).toBe(text);
  });

  it('keeps the last text of a progress line and counts the others', () => {
    const { spans, overwritten } = readAnsiLine(`10%\r50%\r${E}[2K${E}[32m100%${E}[0m\r`, PLAIN_STYLE);
    expect([spans, overwritten]).toEqual([[{ text: '100%', style: 'fg-green' }], 2]);
  });

  it.each([
    ['another word', 'FAILED\rok', 'FAILED\\rok', 0],
    ['more of the same', 'ok\rok, 2 left', 'ok, 2 left', 1],
    ['a bar that ends with a word', '[=> ] 10%\r[==>] 90%\rdone', 'done', 2],
    ['words after a bar', 'copy 1\rcopy 2\rdone', 'copy 2\\rdone', 1],
  ])('keeps words that a carriage return would hide: %s', (_, line, text, overwritten) => {
    const read = readAnsiLine(line, PLAIN_STYLE);
    expect([textOf(line), read.overwritten]).toEqual([text, overwritten]);
  });

  it('reads a line that ends with a carriage return as a plain line', () => {
    expect(readAnsiLine('text\r', PLAIN_STYLE)).toMatchObject({ spans: [{ text: 'text' }], overwritten: 0 });
  });

  it('carries the style to the next line', () => {
    const { style } = readAnsiLine(`${E}[31mred`, PLAIN_STYLE);
    expect(readAnsiLine('still', style).spans).toEqual([{ text: 'still', style: 'fg-red' }]);
  });

  it('never lets a control character through, whatever a program prints', () => {
    const piece = fc.constantFrom(
      E,
      '[',
      ']',
      'P',
      '\\',
      '\u0007',
      '31',
      ';',
      'm',
      '\r',
      'a',
      '\u009b',
      '\u202e',
      '\u0000',
      '?',
      ':',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        expect(textOf(pieces.join(''))).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
      }),
    );
  });

  it.each([
    ['escapes', E.repeat(50_000)],
    ['unended titles', `${E}]`.repeat(50_000)],
    ['carriage returns', '\r'.repeat(100_000)],
    ['parameters', `${E}[${'1;'.repeat(50_000)}`],
  ])('reads a long line of %s in linear time', (_, line) => {
    const start = process.cpuUsage();
    readAnsiLine(line, PLAIN_STYLE);
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(1_500);
  });
});
