import { describe, expect, it } from 'vitest';
import {
  type DiffLine,
  type DiffRow,
  keyOfRow,
  layOutRows,
  showsLine,
} from '../../../web/src/diff/diff-rows.ts';
import { layOutTree } from '../../../web/src/diff/file-tree.ts';
import { splitTokens } from '../../../web/src/diff/tokens.ts';
import { layOutDependencies } from '../../../web/src/screens/board/lay-out-dependencies.ts';
import { comparePixels } from '../../../web/src/screens/goldens/compare-pixels.ts';

function line(kind: DiffLine['kind'], oldNumber: number | null, newNumber: number | null): DiffLine {
  return { kind, oldNumber, newNumber, text: `${kind} ${oldNumber ?? newNumber}`, tokens: null };
}

const HUNK = {
  kind: 'hunk' as const,
  heading: '@@',
  from: 0,
  lines: [
    line('context', 1, 1),
    line('removed', 2, null),
    line('removed', 3, null),
    line('added', null, 2),
    line('context', 4, 3),
    line('added', null, 4),
  ],
};

const FILES = [
  { path: 'a.ts', fold: null, parts: [HUNK, { kind: 'gap' as const, from: 6, lines: 400 }] },
  { path: 'lock.json', fold: 'Generated file.', parts: [{ kind: 'gap' as const, from: 0, lines: 9_000 }] },
];

function describeRow(row: DiffRow): string {
  if (row.kind === 'pair') return `${row.left?.text ?? '-'} | ${row.right?.text ?? '-'}`;
  return row.kind === 'line' ? row.line.text : row.kind;
}

describe('the rows of a diff', () => {
  it('are the lines of each file below its name, with a gap for what is not fetched and none for what is folded', () => {
    expect(layOutRows(FILES, 'unified').map(describeRow)).toEqual([
      'file',
      'hunk',
      'context 1',
      'removed 2',
      'removed 3',
      'added 2',
      'context 4',
      'added 4',
      'gap',
      'file',
      'folded',
    ]);
  });

  it('put removed lines beside the added ones that replace them', () => {
    expect(layOutRows(FILES, 'split').slice(2, 7).map(describeRow)).toEqual([
      'context 1 | context 1',
      'removed 2 | added 2',
      'removed 3 | -',
      'context 4 | context 4',
      '- | added 4',
    ]);
  });

  it.each(['unified', 'split'] as const)('have keys of their own, %s', (layout) => {
    const keys = layOutRows(FILES, layout).map((row) => keyOfRow(row, layout));
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('are found by the new number of a line, or by the old one if it was removed', () => {
    const rows = layOutRows(FILES, 'unified');
    expect(rows.filter((row) => showsLine(row, 2)).map(describeRow)).toEqual(['removed 2', 'added 2']);
    expect(rows.filter((row) => showsLine(row, 4)).map(describeRow)).toEqual(['added 4']);
  });
});

describe('the tree of changed files', () => {
  it('joins folders that have nothing else in them', () => {
    const rows = layOutTree(['src/main/java/App.java', 'src/main/java/util/List.java', 'README.md']);
    expect(
      rows.map((row) => `${' '.repeat(row.depth)}${row.name}${row.kind === 'folder' ? '/' : ` ${row.file}`}`),
    ).toEqual(['src/main/java/', ' util/', '  List.java 1', ' App.java 0', 'README.md 2']);
  });
});

describe('syntax colours', () => {
  it('keep the kind of a token on each line that it spans', () => {
    const root = {
      type: 'root',
      children: [
        { type: 'text', value: 'a ' },
        {
          type: 'element',
          properties: { className: ['hljs-comment'] },
          children: [{ type: 'text', value: '/*\n*/' }],
        },
        {
          type: 'element',
          properties: { className: ['hljs-title', 'function_'] },
          children: [{ type: 'text', value: 'f' }],
        },
      ],
    };
    expect(splitTokens(root)).toEqual([
      [
        { text: 'a ', kind: null },
        { text: '/*', kind: 'comment' },
      ],
      [
        { text: '*/', kind: 'comment' },
        { text: 'f', kind: 'title' },
      ],
    ]);
  });
});

describe('the graph of dependencies', () => {
  it('puts every item to the right of all its blockers', () => {
    const { places, bends } = layOutDependencies([
      { from: '1', to: '2' },
      { from: '2', to: '3' },
      { from: '1', to: '3' },
      { from: '4', to: '3' },
    ]);
    expect([...places].map(([id, { column }]) => [id, column])).toEqual([
      ['1', 0],
      ['2', 1],
      ['3', 2],
      ['4', 0],
    ]);
    expect(places.get('4')?.row).not.toBe(places.get('1')?.row);
    const passed = [...bends.values()].flat();
    expect(passed.map(({ column }) => column)).toEqual([1, 1]);
    const taken = [...places.values(), ...passed].map(({ column, row }) => `${column} ${row}`);
    expect(new Set(taken).size).toBe(taken.length);
  });

  it('ends on a cycle that a damaged board contains', () => {
    expect(
      layOutDependencies([
        { from: '1', to: '2' },
        { from: '2', to: '1' },
      ]).places.size,
    ).toBe(2);
  });
});

describe('the difference of two pictures', () => {
  const picture = (width: number, ...reds: number[]) => ({
    width,
    height: reds.length / width,
    data: new Uint8ClampedArray(reds.flatMap((red) => [red, 0, 0, 255])),
  });

  it('counts every pixel that differs by any amount', () => {
    expect(comparePixels(picture(2, 10, 20, 30, 40), picture(2, 10, 21, 30, 40)).count).toBe(1);
  });

  it('counts pixels that only one of the pictures has', () => {
    const { width, height, count } = comparePixels(picture(1, 10, 20), picture(2, 10, 20));
    expect({ width, height, count }).toEqual({ width: 2, height: 2, count: 3 });
  });
});
