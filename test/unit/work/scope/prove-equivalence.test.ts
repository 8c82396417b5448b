import { describe, expect, it } from 'vitest';
import { proveEquivalence } from '../../../../src/work/scope/proofs/prove-equivalence.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function prove(path: string, before: string | Uint8Array, after: string | Uint8Array) {
  const of = (text: string | Uint8Array) => (typeof text === 'string' ? bytes(text) : text);
  const step = proveEquivalence(path, { before: of(before), after: of(after) });
  if (step.kind !== 'decided') throw new Error('a compiler is needed');
  return step.proof;
}

type Case = readonly [name: string, path: string, before: string, after: string];

const PROVED: readonly Case[] = [
  ['a comment in Python', 'a.py', 'f(1)\n', '# Says it.\nf(1)  # So.\n'],
  ['a comment with any indentation in Python', 'a.py', 'if a:\n    b()\n', 'if a:\n  # So.\n    b()\n'],
  ['another depth of a whole block', 'a.py', 'if a:\n  b()\n  c()\n', 'if a:\n    b()\n    c()\n'],
  ['lines in brackets', 'a.py', 'f(1, 2)\n', 'f(\n    1,  # One.\n    2\n)\n'],
  ['blanks around an assignment', 'a.py', 'a=1\n', 'a = 1\n'],
  ['a joined line', 'a.py', 'a = b + c\n', 'a = b + \\\n    c\n'],
  ['blank lines', 'a.py', 'a\nb', 'a\n\n\nb\n\n'],
  ['ends of lines in Python', 'a.py', 'a = """b\nc"""\n', 'a = """b\r\nc"""\r\n'],
  ['a comment beside a formatted text', 'a.py', "f(f'{a:{b}} {{')\n", "f(f'{a:{b}} {{')  # So.\n"],
  ['a comment in C', 'a.c', 'int a; \n', '/* So. */ int a; // It is.\n'],
  ['a comment beside a raw text of C++', 'a.cpp', 'f(R"x(a // ")x"); \n', 'f(R"x(a // ")x"); // So.\n'],
  ['a comment in Java', 'A.java', 'class A { int a=1; }', '/** So. */ class A { int a = 1; }'],
  [
    'a comment in Go',
    'a.go',
    'package a\n\nfunc f() {\n\tg()\n}\n',
    'package a\n\n// f is so.\nfunc f() {\n\tg() // So.\n}\n',
  ],
  [
    'a comment in Rust',
    'a.rs',
    "fn f<'a>(a: &'a str) { g('\\'') }",
    "// So. /*\nfn f<'a>(a: &'a str) { g('\\'') /* a /* b */ c */ }",
  ],
  ['a raw text of Rust', 'a.rs', 'f(r#"a " // "#);', 'f(r#"a " // "#); // So.'],
  ['a comment in C#', 'a.cs', 'f(@"a\\"); g("//");', 'f(@"a\\"); /* So. */ g("//");'],
  ['a comment in CSS', 'a.css', 'a { b: c }\n', '/* So. */\na {\n  b: c\n}\n'],
  ['an address in CSS', 'a.css', 'a { b: url(//c/*d) }', 'a { b: url(//c/*d) /* So. */ }'],
  ['white space in JSON', 'a.json', '{"a":[1,2]}', '{\n  "a": [1, 2]\n}\n'],
  ['a comment where JSON has them', 'tsconfig.json', '{"a":1}', '// So.\n{"a":1}'],
  ['a comment in YAML', 'a.yaml', 'a: [b, c]\n', '# So.\na:\n  - b # It is.\n  - c\n'],
  ['a comment between documents', 'a.yml', 'a: 1\n---\nb: 2\n', 'a: 1\n---\n# So.\nb: 2\n'],
  ['nothing at all', 'a.md', 'a', 'a'],
];

const UNPROVED: readonly Case[] = [
  ['indentation of Python', 'a.py', 'if a:\n    b()\n    c()\n', 'if a:\n    b()\nc()\n'],
  [
    'one of several indentations',
    'a.py',
    'if a:\n  if b:\n    c()\n  d()\n',
    'if a:\n  if b:\n    c()\n    d()\n',
  ],
  ['a line of Python', 'a.py', 'a\n-b\n', 'a -b\n'],
  ['a docstring', 'a.py', 'def f():\n    """A."""\n', 'def f():\n    """B."""\n'],
  ['white space in a text of Python', 'a.py', "f('a b')\n", "f('a  b')\n"],
  ['a prefix of a text', 'a.py', "f(r'a')\n", "f(b'a')\n"],
  ['a comment with a type', 'a.py', 'a = []\n', 'a = []  # type: List[int]\n'],
  ['the encoding', 'a.py', 'a\n', '# -*- coding: latin-1 -*-\na\n'],
  ['what runs it', 'a.py', 'a\n', '#!/usr/bin/env python3\na\n'],
  ['an operator that is set apart', 'a.py', 'a ** b\n', 'a * * b\n'],
  ['tabs beside blanks', 'a.py', 'if a:\n\tb()\nif c:\n  d()\n', 'if a:\n\tb()\nif c:\n  d() # So.\n'],
  ['texts in texts with the same quotes', 'a.py', 'f(f"{a["b c"]}")\n', 'f(f"{a["b  c"]}")\n'],
  ['such texts behind a backslash', 'a.py', 'f(rf"\\{a["b c"]}")\n', 'f(rf"\\{a["b  c"]}")\n'],
  ['one character of Python', 'a.py', 'a < b\n', 'a > b\n'],
  ['a text that does not end', 'a.py', "'''a\n", "'''a\n\n"],
  ['a line for the preprocessor', 'a.c', '#define A b\nc', '#define A b c'],
  ['a blank in a macro', 'a.c', '#define A(b) b\n', '#define A (b) b\n'],
  ['a blank that a macro can see', 'a.c', 'A(b+c)', 'A(b + c)'],
  ['a comment that goes on in the next line', 'a.c', 'a;\nb;', 'a; // So.\\\nb;'],
  ['the number of a line', 'a.c', 'f(__LINE__);', '\nf(__LINE__);'],
  ['white space in a raw text', 'a.cpp', 'f(R"(a b)");', 'f(R"(a  b)");'],
  ['a comment in a text', 'A.java', 'f("a");', 'f("a /* b */");'],
  ['an escape that ends a comment', 'A.java', 'f();', '/* \\u002a/ g(); /* */ f();'],
  ['what is deprecated', 'A.java', 'class A {}', '/** @deprecated */ class A {}'],
  ['a line of Go', 'a.go', 'a := b\n-c\n', 'a := b -c\n'],
  ['a comment of Go that ends a line', 'a.go', 'return a\n', 'return /*\n*/ a\n'],
  ['a directive of Go', 'a.go', 'package a\n', '//go:build linux\n\npackage a\n'],
  ['what an example has to print', 'a_test.go', 'func f() {\n}\n', 'func f() {\n\t// Output: a\n}\n'],
  ['a comment before import "C"', 'a.go', '// int a;\nimport "C"\n', '// int b;\nimport "C"\n'],
  ['a comment that documents', 'a.rs', 'fn f() {}', '/// So.\nfn f() {}'],
  ['a blank in an operator', 'A.java', 'a+ +b', 'a++b'],
  ['a text that others are put into', 'a.cs', 'f($"{a}");', 'f($"{a}"); // So.'],
  ['a blank between selectors', 'a.css', 'a .b {}', 'a.b {}'],
  ['a comment in place of a blank', 'a.css', 'a .b {}', 'a/**/.b {}'],
  ['a custom property', 'a.css', 'a { --b: c }', 'a { --b:  c }'],
  ['a number of JSON', 'a.json', '{"a":1.0}', '{"a":1}'],
  ['the order of keys', 'a.json', '{"a":1,"b":2}', '{"b":2,"a":1}'],
  ['a key that is there twice', 'a.json', '{"a":1,"a":2}', '{"a":2}'],
  ['a comment where JSON has none', 'package.json', '{"a":1}', '// So.\n{"a":1}'],
  ['a quote of YAML', 'a.yaml', 'a: no\n', 'a: "no"\n'],
  ['a tag', 'a.yaml', 'a: 1\n', 'a: !!str 1\n'],
  ['an anchor', 'a.yaml', 'a: 1\nb: 1\n', 'a: &c 1\nb: *c\n'],
  ['indentation of YAML', 'a.yaml', 'a:\n  b:\n  c: 1\n', 'a:\n  b:\n    c: 1\n'],
  ['a comment in a block', 'a.yaml', 'a: |\n  b\n', 'a: |\n  # So.\n  b\n'],
  ['a comment in a template', 'a.yaml', 'a: 1\n', '# {{ fail "x" }}\na: 1\n'],
  ['one document more', 'a.yaml', 'a: 1\n', 'a: 1\n---\n'],
  [
    'what a script needs',
    'a.py',
    '# /// script\n# dependencies = []\n# ///\na\n',
    '# /// script\n# dependencies = ["b"]\n# ///\na\n',
  ],
  ['what a condition leaves out', 'a.cs', '#if X\n/*\n#endif\nf(); /**/', '#if X\n/*\n#endif\ng(); /**/'],
  ['a directive in other letters', 'a.c', '%:define A b\nc', '%:define A b c'],
  ['a comment that sets a value', 'a.yaml', 'a: b\n', 'a: b # {"$imagepolicy": "c"}\n'],
  ['a comment of a shell', 'a.sh', 'a\n', '# So.\na\n'],
  ['a comment of a Makefile', 'Makefile', 'a:\n', '# So.\na:\n'],
  ['prose', 'a.md', 'a\n', 'a\n\n'],
  ['a query', 'a.sql', 'select 1', '-- So.\nselect 1'],
  ['a file that PHP reads', 'a.php', '<?php a();', '<?php a(); // So.'],
];

describe('a change of a file', () => {
  it.each(PROVED)('is proved where it is %s', (_name, path, before, after) => {
    expect(prove(path, before, after)).toMatchObject({ proved: true });
    expect(prove(path, after, before)).toMatchObject({ proved: true });
  });

  it.each(UNPROVED)('is not proved where it is %s', (_name, path, before, after) => {
    expect(prove(path, before, after)).toMatchObject({ proved: false, reason: expect.stringMatching(/\w/) });
    expect(prove(path, after, before)).toMatchObject({ proved: false, reason: expect.stringMatching(/\w/) });
  });

  it('is not proved if it is not text, or a byte order mark was added', () => {
    expect(prove('a.py', new Uint8Array([0xff, 0x0a]), 'a\n').reason).toBe('the file is not text in UTF-8');
    expect(prove('a.py', 'a\n', '\uFEFFa\n').reason).toBe('a byte order mark was added or removed');
    expect(prove('a.py', 'a\n', 'b'.repeat(5_000_000)).reason).toBe('the file is too large to compare');
  });

  it.each(['a.yaml', 'a.json', 'a.py', 'a.c', 'a.rs', 'a.css'])(
    'is read to its end however deeply %s is nested',
    (path) => {
      const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
      expect(typeof prove(path, deep, `${deep}\n1`).reason).toBe('string');
    },
  );

  it.each([
    ['a.c', '/*'],
    ['a.rs', '/*'],
    ['a.rs', 'r#"'],
    ['a.cpp', 'R"('],
    ['a.c', '//'],
    ['a.css', 'url(a'],
    ['a.go', '`\n``'],
    ['a.py', '"""'],
    ['a.py', "f'{"],
    ['A.java', '"""\n'],
    ['a.cs', '@"'],
  ])('is read in no time where %s is full of %s that does not end', (path, part) => {
    const text = part.repeat(100_001);
    expect(prove(path, text, `${text}x`).proved).toBe(path === 'a.c' && part === '//');
  });
});
