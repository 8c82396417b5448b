import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { figuresOf, scoreOf, sumOf, tableOf, writeTable } from '../../scripts/mutation-figures.mjs';

const mutants = (...statuses: string[]) => ({ mutants: statuses.map((status) => ({ status })) });

describe('the figures of the mutation tests', () => {
  const figures = figuresOf([
    { files: { 'src/b.ts': mutants('Survived', 'NoCoverage', 'Ignored', 'Killed', 'RuntimeError') } },
    { files: { 'src/a.ts': mutants('Killed', 'Timeout'), 'src/none.ts': mutants('Ignored') } },
  ]);

  it('count what was noticed and what was not, and leave out files without either', () => {
    expect(figures).toEqual([
      { path: 'src/a.ts', killed: 2, living: 0, left: 0 },
      { path: 'src/b.ts', killed: 1, living: 2, left: 1 },
    ]);
    expect(sumOf(figures, 'src')).toEqual({ path: 'src', killed: 3, living: 2, left: 1 });
  });

  it.each([
    [849_999, 150_001, 84.9],
    [850_000, 150_000, 85],
    [0, 0, 0],
    [7, 0, 100],
  ])('%d of them killed and %d alive give %d', (killed, living, score) => {
    expect(scoreOf({ killed, living })).toBe(score);
  });

  it('take the place of those that the page had', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'conductor-figures-'));
    try {
      const page = join(folder, 'page.md');
      await writeFile(page, 'before\n<!-- figures -->\nold\n<!-- end of figures -->\nafter\n');
      writeTable(page, tableOf([{ folder: 'src', figures }]));
      const text = await readFile(page, 'utf8');
      expect(text).toBe(`before
<!-- figures -->

| file       | mutants | killed | alive | score   |
| ---------- | ------- | ------ | ----- | ------- |
| **src**    | 5       | 3      | 2     | 60.0 %  |
| \`src/a.ts\` | 2       | 2      | 0     | 100.0 % |
| \`src/b.ts\` | 3       | 1      | 2     | 33.3 %  |

<!-- end of figures -->
after
`);
      await writeFile(page, 'nothing');
      expect(() => writeTable(page, 'x')).toThrow('has no place for the figures');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
