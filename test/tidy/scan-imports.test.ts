import { describe, expect, it } from 'vitest';
import { blankSource } from './blank-source.ts';
import { scanImports } from './scan-imports.ts';

const FOUND: readonly (readonly [string, string])[] = [
  ["import './a.ts';", 'import ./a.ts'],
  ["import a from './a.ts';", 'import ./a.ts'],
  ["import * as z from 'zod';", 'import zod'],
  ['import{a}from"./a.ts";', 'import ./a.ts'],
  ["import a, { b as c } from './a.ts';", 'import ./a.ts'],
  ["import {\n  a,\n  b, // why\n} from './a.ts';", 'import ./a.ts'],
  ["import type { A } from './a.ts';", 'import ./a.ts as types'],
  ["import type A from './a.ts';", 'import ./a.ts as types'],
  ["import type * as a from './a.ts';", 'import ./a.ts as types'],
  ["import { type A } from './a.ts';", 'import ./a.ts'],
  ["import type from './a.ts';", 'import ./a.ts'],
  ["import data from './a.json' with { type: 'json' };", 'import ./a.json'],
  ["export * from './a.ts';", 'export ./a.ts'],
  ["export * as a from './a.ts';", 'export ./a.ts'],
  ["export { a } from './a.ts';", 'export ./a.ts'],
  ["export type { A } from './a.ts';", 'export ./a.ts as types'],
  ["const a = await import('./a.ts');", 'dynamic ./a.ts'],
  ["const all = [...(await import('./a.ts')).all];", 'dynamic ./a.ts'],
  ['const a = import(`./a.ts`);', 'dynamic ./a.ts'],
  ["type A = typeof import('./a.ts');", 'dynamic ./a.ts as types'],
  ["const text = `${await import('./a.ts')}`;", 'dynamic ./a.ts'],
  ['const a = import(name);', 'dynamic ?'],
  ["const a = import('./' + name);", 'dynamic ?'],
  ['const a = import(`./${name}.ts`);', 'dynamic ?'],
];

const NOT_FOUND: readonly string[] = [
  "// import './a.ts';",
  "/* import('./a.ts') */",
  'const text = "import \'./a.ts\'";',
  "const text = 'it\\'s import(\"./a.ts\")';",
  "const text = `import('./a.ts') ${1 + 1} import './b.ts'`;",
  "const pattern = /import '.\\/a.ts'/;",
  "const pattern = /[/'\"]/; // import './a.ts';",
  "const half = (a + b) / 2; // import './a.ts'; /",
  "loader.import('./a.ts');",
  'export const here = import.meta.url;',
  'export { a };',
  'export const from = 1;',
];

describe('the import scanner', () => {
  it.each(FOUND)('reads %j', (text, expected) => {
    const found = scanImports(text).map(
      ({ form, specifier, typeOnly }) => `${form} ${specifier ?? '?'}${typeOnly ? ' as types' : ''}`,
    );
    expect(found).toEqual([expected]);
  });

  it.each(NOT_FOUND)('finds no import in %j', (text) => {
    expect(scanImports(text)).toEqual([]);
  });

  it('reports the line of each of many', () => {
    const text = "import a from 'a';\n\nimport {\n  b,\n} from 'b';\nexport * from 'c';\n";
    expect(scanImports(text).map(({ specifier, line }) => [specifier, line])).toEqual([
      ['a', 1],
      ['b', 3],
      ['c', 6],
    ]);
  });

  it('keeps every offset and every line', () => {
    const text = "#!/usr/bin/env node\nconst a = `x\n${b + `y${'}'}`} z`; /* c\n */ const d = /e/g;\n";
    const { bare, comments } = blankSource(text);
    expect([bare.length, comments.length]).toEqual([text.length, text.length]);
    expect(bare.split('\n')[2]).toBe("${b + ` ${' '}`}  `;     ");
    expect(comments.split('\n')[3]?.trimEnd()).toBe(' */');
  });
});
