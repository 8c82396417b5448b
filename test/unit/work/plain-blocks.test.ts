import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { templateOf } from '../../../src/work/body-template.ts';
import { piecesOf } from '../../../src/work/markdown-pieces.ts';
import { readMdastBlocks } from '../../../src/work/mdast-blocks.ts';
import { readPlainBlocks } from '../../../src/work/plain-blocks.ts';
import { BLOCKED_SUMMARY, REFINEMENT_BODY, TASK_BODY } from './work-fixtures.ts';

const ODD = [
  '- ',
  '-',
  '1. a',
  '2. b',
  '1) c',
  '* d',
  '***',
  '---',
  '===',
  '+ e',
  '> f',
  '```',
  '~~~',
  '    g',
  '  - h',
  '# i #',
  '#',
  '#j',
  '<b>',
  '| a |',
  '[x]: /y',
  '**k**',
  '*l*',
  '`m',
  '1',
  '12 n',
  '3.',
  'o  ',
  ' p',
  '_q_',
  '- [ ]',
  '- [ ] r',
  '- # s',
  '- > t',
  '- ```',
  '- 1. u',
  '- **v**',
  '\u00a0w',
  'x\\',
  '&amp;',
  '\ty',
  '- a:\n- b',
  '* * *',
  '',
  '',
  '<!--',
  '-->',
  'z\r\n',
  '> - a',
  '  b',
];
const lines = [...`${TASK_BODY}\n${REFINEMENT_BODY}\n${BLOCKED_SUMMARY}`.split('\n'), ...ODD];
const text = fc
  .array(
    fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...lines) }, { weight: 1, arbitrary: fc.string() }),
    { maxLength: 12 },
  )
  .map((all) => all.join('\n'));

describe('the reader of plain bodies', () => {
  it.each([
    ['the template of a task', templateOf('task')],
    ['the template of a refinement', templateOf('refinement')],
    ['a task', TASK_BODY],
    ['a refinement', REFINEMENT_BODY],
    ['nothing', ''],
  ])('reads %s as the parser does', (_, body) => {
    expect(readPlainBlocks(body)).toEqual(readMdastBlocks(body));
  });

  it('reads every text as the parser does, or leaves it to the parser', () => {
    let read = 0;
    fc.assert(
      fc.property(text, (body) => {
        const plain = readPlainBlocks(body);
        if (plain === null) return;
        read += 1;
        expect(plain).toEqual(readMdastBlocks(body));
      }),
      { numRuns: 3_000 },
    );
    expect(read).toBeGreaterThan(100);
  });

  it('takes bullets of every kind', () => {
    expect(readPlainBlocks('* a\n+ b\n- c\n')?.map(({ kind }) => kind)).toEqual(['item', 'item', 'item']);
  });

  it.each([
    '- ',
    '-',
    '1. a',
    '2. b',
    '1) c',
    '* - d',
    '***',
    '---',
    '===',
    '+ * e',
    '> f',
    '```',
    '~~~',
    '    g',
    '  - h',
    '# i #',
    '#',
    '#j',
    '<b>',
    '_q_',
    'o  ',
    ' p',
    '- # s',
    '- > t',
    '- ```',
    '- 1. u',
    '\ty',
  ])('leaves %j below a paragraph to the parser', (line) => {
    expect(readPlainBlocks(`Words.\n${line}\n\nMore.`)).toBeNull();
  });
});

describe('the parser', () => {
  it('finds the same blocks in the pieces of a text as in the whole', () => {
    fc.assert(
      fc.property(text, (body) => {
        expect(readMdastBlocks(body, 1)).toEqual(readMdastBlocks(body, Number.POSITIVE_INFINITY));
      }),
      { numRuns: 500 },
    );
  });

  it('gets no piece that is much longer than it has to be', () => {
    const nested = '- a\n  - b\n'.repeat(5_000);
    expect(Math.max(...piecesOf(nested).map((piece) => piece.text.split('\n').length))).toBeLessThan(300);
    expect(
      piecesOf(nested)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(nested);
  });
});
