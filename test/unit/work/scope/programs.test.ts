import { describe, expect, it } from 'vitest';
import { createPrograms } from '../../../../src/adapters/programs/compare-programs.ts';

const programs = createPrograms();
const usual = { keepsImports: false, emitsTypes: false };

async function compare(path: string, before: string, after: string, settings = usual) {
  const [proof] = await programs.compare([{ path, before, after }], settings);
  return proof;
}

type Case = readonly [name: string, path: string, before: string, after: string];

const PROVED: readonly Case[] = [
  ['a comment', 'a.ts', 'f(1);\n', '// Says it.\nf(1);\n'],
  ['white space', 'a.ts', 'f( 1 )\n', 'f(1);\n\n'],
  ['a type of a parameter', 'a.ts', 'function f(a: string) {}', 'function f(a: string | null) {}'],
  ['an interface', 'a.ts', 'interface A { a: 1 }\nf();', 'f();'],
  ['an interface that leaves a semicolon behind', 'a.ts', 'interface A {};\nf();', 'f();'],
  [
    'an import of a type',
    'a.ts',
    'export const a = 1;',
    "import type { A } from './a.ts';\nexport const a = 1;",
  ],
  [
    'an import of types',
    'a.ts',
    'export const a = b;',
    "import { A } from './a.ts';\nexport const a = b as A;",
  ],
  ['a cast', 'a.ts', 'f(a);', 'f(a as unknown as B);'],
  ['satisfies and an assertion that it is there', 'a.ts', 'f(a);', 'f(a! satisfies B);'],
  ['a generic', 'a.mts', 'f(a);', 'f<B>(a);'],
  ['an overload', 'a.ts', 'function f(a) {}', 'function f(a: 1): void;\nfunction f(a) {}'],
  ['readonly and visibility', 'a.ts', 'class A { a = 1 }', 'class A { private readonly a = 1 }'],
  ['a comment for types', 'a.ts', 'f(1);', '// @ts-expect-error\nf(1);'],
  ['a comment for a linter', 'a.js', 'f(1);', '/* eslint-disable */\nf(1);'],
  ['quotes', 'a.js', "f('a');", 'f("a");'],
  ['how a number is spelt', 'a.js', 'f(1000, 0x10);', 'f(1_000, 16);'],
  ['parentheses that say nothing', 'a.js', 'a = b + c;', 'a = (b + c);'],
  ['the ends of lines', 'a.js', 'f(1);\ng();\n', 'f(1);\r\ng();\r\n'],
  ['a comment in JSX code', 'a.jsx', '<a b={c} />;', '<a b={c /* why */} />;'],
  ['a comment between tags', 'a.tsx', '<a>\n  <b />\n</a>;', '<a>\n  {/* why */}\n  <b />\n</a>;'],
  ['white space between tags', 'a.jsx', '<a><b /></a>;', '<a>\n    <b />\n</a>;'],
  ['a line break between tag and text', 'a.jsx', '<a>b c</a>;', '<a>\n  b c\n</a>;'],
  ['a type in JSX', 'a.tsx', 'const a = (b: 1) => <a>{b}</a>;', 'const a = (b: 2) => <a>{b}</a>;'],
  ['a script that is no module', 'a.cjs', 'with (a) f();', '// Old.\nwith (a) f();'],
  ['a script by the name of any', 'a.js', 'return 1;', '// Old.\nreturn 1;'],
  ['a type in a file of declarations', 'a.d.ts', 'export const a: 1;', 'export const a: 2;'],
  [
    'a comment beside one that is obeyed',
    'a.js',
    'a = /* @__PURE__ */ f();',
    '// It is.\na = /* @__PURE__ */ f();',
  ],
  [
    'a comment behind what runs it',
    'a.mjs',
    '#!/usr/bin/env node\nf();',
    '#!/usr/bin/env node\n// Runs.\nf();',
  ],
];

const UNPROVED: readonly Case[] = [
  ['one character', 'a.ts', 'f(a < b);', 'f(a > b);'],
  ['a digit', 'a.ts', 'f(1);', 'f(2);'],
  ['a line break behind return', 'a.ts', 'function f() { return 1; }', 'function f() { return\n1; }'],
  ['a default', 'a.ts', 'function f(a: number) {}', 'function f(a: number = 1) {}'],
  ['a name', 'a.js', 'let a = 1;', 'let b = 1;'],
  ['a value of an enum', 'a.ts', 'enum A { B = 1 }', 'enum A { B = 2 }'],
  ['a value of a constant enum', 'a.ts', 'const enum A { B = 1 }', 'const enum A { B = 2 }'],
  [
    'a value of a declared constant enum',
    'a.ts',
    'declare const enum A { B = 1 }',
    'declare const enum A { B = 2 }',
  ],
  [
    'such a value in declarations',
    'a.d.ts',
    'export const enum A { B = 1 }',
    'export const enum A { B = 2 }',
  ],
  ['a namespace', 'a.ts', 'namespace A { export const b = 1 }', 'namespace A { export const b = 2 }'],
  [
    'a parameter that is a property',
    'a.ts',
    'class A { constructor(a: 1) {} }',
    'class A { constructor(private a: 1) {} }',
  ],
  ['a decorator', 'a.ts', '@a class A {}', '@b class A {}'],
  ['a type beside a decorator', 'a.ts', 'class A { @a b: string }', 'class A { @a b: number }'],
  ['a field without a value', 'a.ts', 'class A {}', 'class A { a: string }'],
  ['an import that makes a module of a script', 'a.ts', 'f();', "import type { A } from './a.ts';\nf();"],
  ['an import for its effect', 'a.ts', 'f();', "import './a.ts';\nf();"],
  ['an import of JavaScript', 'a.js', 'f();', "import { a } from './a.js';\nf();"],
  ['an import beside JSX', 'a.tsx', "import React from 'react';\n<a />;", '<a />;'],
  ['a directive', 'a.js', 'f();', '"use strict";\nf();'],
  ['a directive in parentheses', 'a.js', '"use strict"; f();', '("use strict"); f();'],
  ['a directive behind a semicolon', 'a.cjs', '"use strict"; f();', '; "use strict"; f();'],
  ['a template', 'a.js', 'f(`a b`);', 'f(`a  b`);'],
  ['what a tag sees of a template', 'a.js', 'f`\\u0061`;', 'f`a`;'],
  ['white space in a text', 'a.js', "f('a b');", "f('a  b');"],
  ['a regular expression', 'a.js', 'f(/a/g);', 'f(/a/i);'],
  ['a large number', 'a.js', 'f(1n);', 'f(2n);'],
  ['a number without end for null', 'a.js', 'f(null);', 'f(1e999);'],
  ['a comment inside of text', 'a.jsx', '<a>bc</a>;', '<a>b{/* why */}c</a>;'],
  ['a blank between tags', 'a.jsx', '<a><b /><c /></a>;', '<a><b /> <c /></a>;'],
  ['a line break inside of text', 'a.jsx', '<a>bc</a>;', '<a>b\nc</a>;'],
  ['a written blank between tags', 'a.jsx', '<a>\n<b /></a>;', '<a>&#32;\n<b /></a>;'],
  ['text in JSX', 'a.jsx', '<a>b c</a>;', '<a>b  c</a>;'],
  ['optional calls that end earlier', 'a.js', 'a?.b.c;', '(a?.b).c;'],
  ['what runs it', 'a.mjs', '#!/usr/bin/env node\nf();', '#!/usr/bin/env deno\nf();'],
  ['what a bundler may drop', 'a.js', 'a = f();', 'a = /* @__PURE__ */ f();'],
  [
    'which one a bundler may drop',
    'a.js',
    'a = /* @__PURE__ */ f(); b = f();',
    'a = f(); b = /* @__PURE__ */ f();',
  ],
  [
    'the name of a chunk',
    'a.js',
    "import(/* webpackChunkName: 'a' */ './a.js');",
    "import(/* webpackChunkName: 'b' */ './a.js');",
  ],
  ['how JSX is made', 'a.jsx', '<a />;', '/** @jsx h */\n<a />;'],
  ['what is injected', 'a.js', 'f(() => {});', 'f(/* @ngInject */ () => {});'],
  ['where a test runs', 'a.test.ts', 'f();', '/** @jest-config-loader ts-node */\nf();'],
  ['where its map is', 'a.js', 'f();', 'f();\n//# sourceMappingURL=a.js.map'],
  ['a reference to other files', 'a.ts', 'f();', '/// <reference path="b.ts" />\nf();'],
  ['what is no program', 'a.ts', 'f(', 'f((('],
  ['what is no program any more', 'a.ts', 'f();', 'f(;'],
];

describe('a change of TypeScript or JavaScript', () => {
  it('is proved or not, in both directions', async () => {
    const cases = [...PROVED, ...UNPROVED];
    const pairs = cases.flatMap(([, path, before, after]) => [
      { path, before, after },
      { path, before: after, after: before },
    ]);
    const proofs = await programs.compare(pairs, usual);
    const results = cases.map(([name], index) => [
      name,
      proofs[2 * index]?.proved,
      proofs[2 * index + 1]?.proved,
    ]);
    expect(results).toEqual([
      ...PROVED.map(([name]) => [name, true, true]),
      ...UNPROVED.map(([name]) => [name, false, false]),
    ]);
    expect(proofs.filter(({ reason }) => reason === '')).toEqual([]);
  });

  it('counts an import that the compiler must keep', async () => {
    const texts = ['export const a = 1;', "import { A } from './a.ts';\nexport const a = 1;"] as const;
    expect(await compare('a.ts', ...texts)).toMatchObject({ proved: true });
    expect(await compare('a.ts', ...texts, { ...usual, keepsImports: true })).toMatchObject({
      proved: false,
    });
  });

  it('counts a type if the compiler must emit types', async () => {
    const texts = ['type A = string;', 'type A = number;'] as const;
    expect(await compare('a.ts', ...texts)).toMatchObject({ proved: true });
    expect(await compare('a.ts', ...texts, { ...usual, emitsTypes: true })).toMatchObject({ proved: false });
  });

  it('is not proved if the parser crashes, and the others are still compared', async () => {
    const deep = (last: string) => `${'!'.repeat(200_000)}${last};`;
    const proofs = await programs.compare(
      [
        { path: 'a.ts', before: 'f();', after: 'f(); // So.' },
        { path: 'b.ts', before: deep('a'), after: deep('b') },
        { path: 'c.ts', before: 'f();', after: 'f( );' },
      ],
      usual,
    );
    expect(proofs.map(({ proved }) => proved)).toEqual([true, false, true]);
    expect(proofs[1]?.reason).toBe("it can't be parsed: the parser gave up on it");
  });
});
