import { describe, expect, it } from 'vitest';
import { renderTable } from '../../../src/surfaces/cli/output/table.ts';
import { visibleLength } from '../../../src/text/visible-length.ts';

const ROWS = [
  ['0199ab12', 'implement: Add a quiet flag to the command line', 'validate', '3 h ago', 'success'],
  ['0199ab13', 'fix: Small', 'fix', '2 d ago', 'interrupted: conductor resume 0199ab13'],
];

function fitted(width: number): string[] {
  return renderTable(ROWS, '', { width, drop: [3, 2], shorten: 1 })
    .trimEnd()
    .split('\n');
}

describe('a table', () => {
  it('is as wide as its cells for a pipe', () => {
    expect(renderTable(ROWS).split('\n')[0]).toBe(
      '0199ab12  implement: Add a quiet flag to the command line  validate  3 h ago  success',
    );
  });

  it('shortens a column at a word before it leaves others out', () => {
    expect(fitted(100)).toEqual([
      '0199ab12  implement: Add a quiet flag to…  validate  3 h ago  success',
      '0199ab13  fix: Small                       fix       2 d ago  interrupted: conductor resume 0199ab13',
    ]);
  });

  it('leaves out the least important columns first', () => {
    expect(fitted(85)).toEqual([
      '0199ab12  implement: Add a quiet…  validate  success',
      '0199ab13  fix: Small               fix       interrupted: conductor resume 0199ab13',
    ]);
    expect(fitted(75)).toEqual([
      '0199ab12  implement: Add a quiet…  success',
      '0199ab13  fix: Small               interrupted: conductor resume 0199ab13',
    ]);
  });

  it('wraps the last column if that is not enough', () => {
    expect(fitted(60)).toEqual([
      '0199ab12  implement: Add a quiet…  success',
      '0199ab13  fix: Small               interrupted: conductor',
      '                                     resume 0199ab13',
    ]);
  });

  it('puts the last cell below its row if there is no room beside it', () => {
    expect(fitted(45)).toEqual([
      '0199ab12  implement: Add a quiet…  success',
      '0199ab13  fix: Small',
      '    interrupted: conductor resume 0199ab13',
    ]);
  });

  it('puts a path below its row before it leaves columns out', () => {
    const rows = [['0199ab12', 'implement', '3 h ago', '/srv/ann/.local/state/conductor/work']];
    expect(renderTable(rows, '', { width: 45, drop: [2], lastBelow: true })).toBe(
      '0199ab12  implement  3 h ago\n    /srv/ann/.local/state/conductor/work\n',
    );
  });

  it.each([40, 50, 60, 70, 80, 100, 120])('is never wider than %d columns, and breaks no word', (width) => {
    const words = new Set(ROWS.flat().flatMap((cell) => cell.split(' ')));
    for (const line of fitted(width)) {
      expect(visibleLength(line)).toBeLessThanOrEqual(width);
      for (const word of line.split(/ +/).filter((each) => each !== ''))
        expect([...words, ...[...words].map((each) => `${each}…`)]).toContain(word);
    }
  });

  it('counts colours as nothing', () => {
    const red = (text: string) => `\u001b[31m${text}\u001b[39m`;
    expect(renderTable([['a', red('one two three')]], '', { width: 11 })).toBe(
      `a\n    \u001b[31mone two\n      three\u001b[39m\n`,
    );
  });
});

describe('characters that take two columns of a terminal, or none', () => {
  it.each([
    ['日本語', 6],
    ['한국', 4],
    ['🚀 go', 5],
    ['cafe\u0301', 4],
    ['Ｆ', 2],
    ['Grüße – „x“…', 12],
    ['\u001b[31m日\u001b[0m', 2],
  ])('%s takes %i', (text, columns) => {
    expect(visibleLength(text)).toBe(columns);
  });

  it('keep the columns of a table aligned and within its width', () => {
    const rows = [
      ['0199ab12', 'implement: 日本語の長いタイトルを追加する', '3 h ago'],
      ['0199ab13', 'fix: Small', '2 d ago'],
    ];
    const [wide = '', plain = ''] = renderTable(rows, '', { width: 45, shorten: 1 }).split('\n');
    expect([wide.slice(-7), plain.slice(-7)]).toEqual(['3 h ago', '2 d ago']);
    expect(visibleLength(wide)).toBe(visibleLength(plain));
    expect(visibleLength(wide)).toBeLessThanOrEqual(45);
  });
});
