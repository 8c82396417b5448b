import { describe, expect, it } from 'vitest';
import { cleanOutput, escapeUnsafe, formatJson, oneLine } from '../../../src/text/outside-text.ts';

const ESC = String.fromCharCode(27);
const BEL = String.fromCharCode(7);

describe('text from outside', () => {
  it.each([
    ['letters, tabs\tand\nlines', 'letters, tabs\tand\nlines'],
    ['ümläuts, 漢字, עברית and العربية', 'ümläuts, 漢字, עברית and العربية'],
    ['👩‍💻 👍🏽 ❤️', '👩‍💻 👍🏽 ❤️'],
    [`${ESC}[2K${ESC}[1A it.skip`, '\\x1b[2K\\x1b[1A it.skip'],
    [`${ESC}]0;title${BEL}`, '\\x1b]0;title\\x07'],
    ['shown\rhidden', 'shown\\rhidden'],
    ['\u009b31m', '\\x9b31m'],
    ['a\u0000b\u007fc', 'a\\x00b\\x7fc'],
    ['\u202etxt.exe\u2066\u200f\u061c', '\\u202etxt.exe\\u2066\\u200f\\u061c'],
    ['pass\u200bword\u00ad\ufeff\u2060', 'pass\\u200bword\\xad\\ufeff\\u2060'],
    ['is\u3164Admin\uffa0\u115f', 'is\\u3164Admin\\uffa0\\u115f'],
    ['a\u200db\ufe0f', 'a\\u200db\\ufe0f'],
    ['one\u2028line\u2029', 'one\\u2028line\\u2029'],
    ['tag \u{e0041}\u{e0100}', 'tag \\u{e0041}\\u{e0100}'],
    ['half \ud800', 'half \\ud800'],
  ])('shows %j so that all of it is seen and nothing is obeyed', (given, shown) => {
    expect(escapeUnsafe(given)).toBe(shown);
    expect(escapeUnsafe(shown)).toBe(shown);
  });

  it('takes time in proportion to its length, whatever it is made of', () => {
    const many = 300_000;
    expect(cleanOutput(`${'\r'.repeat(many)}x\r\r\ny`)).toBe(`${'\\r'.repeat(many)}x\ny`);
    expect(cleanOutput(`${ESC}[1;`.repeat(many))).toHaveLength('\\x1b[1;'.length * many);
    expect(oneLine(' \t'.repeat(many))).toBe('');
  });

  it('loses colours and carriage returns at line ends where a program printed it', () => {
    expect(cleanOutput(`${ESC}[1;32mok${ESC}[0m\r\n${ESC}[8mhidden${ESC}[m ${ESC}[2J`)).toBe(
      'ok\nhidden \\x1b[2J',
    );
  });

  it('fits on one line', () => {
    expect(oneLine(`  two\n\n lines\t and ${ESC}[31mred${ESC}[0m\u2028`)).toBe('two lines and red');
  });

  it('keeps its value in JSON', () => {
    const value = { text: `${ESC}[2K \u202e \u{e0041} \u200b ünï 👩‍💻` };
    const json = formatJson(value);
    expect(JSON.parse(json)).toEqual(value);
    expect(json).not.toMatch(/[\p{Cf}\p{Cs}]/u);
  });
});
