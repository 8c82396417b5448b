import { describe, expect, it } from 'vitest';
import { changedInlineTests, mayHaveInlineTests } from '../../../../src/policy/judges/inline-tests.ts';

const texts = (files: Readonly<Record<string, string>>) =>
  new Map<string, string | null>(Object.entries(files));

const CODE = 'pub fn add(a: i32, b: i32) -> i32 { a - b }\n';
const ADDS = '    #[test]\n    fn adds() {\n        assert_eq!(add(2, 3), 5); // "}"\n    }\n';
const moduleOf = (body: string) => `#[cfg(test)]\nmod tests {\n    use super::*;\n${body}}\n`;
const RUST = `${CODE}${moduleOf(ADDS)}`;

describe('tests inside of a Rust file', () => {
  it.each<[string, string, boolean]>([
    ['stay as they are', RUST, false],
    ['stay while the code changes', RUST.replace('a - b', 'a + b'), false],
    [
      'are formatted in another way',
      RUST.replace('assert_eq!(add(2, 3), 5);', 'assert_eq!(add(2, 3),\n 5);'),
      false,
    ],
    ['get another import', RUST.replace('use super::*', 'use super::{add}'), false],
    ['get a new test', RUST.replace(ADDS, `${ADDS}    #[test]\n    fn zero() {}\n`), false],
    ['get a helper', RUST.replace(ADDS, `    fn two() -> i32 { 2 }\n${ADDS}`), false],
    ['have a type with a semicolon', RUST.replace('fn adds()', 'fn adds(_: [u8; 2])'), true],
    ['are weakened', RUST.replace(', 5)', ', -1)'), true],
    ['are ignored', RUST.replace('#[test]', '#[test]\n    #[ignore]'), true],
    ['are ignored by an attribute before', RUST.replace('#[test]', '#[ignore]\n    #[test]'), true],
    ['return early', RUST.replace('{\n        assert', '{\n        return;\n        assert'), true],
    ['are no tests any more', RUST.replace('    #[test]\n', ''), true],
    ['are gone', CODE, true],
    ['are behind another condition', RUST.replace('cfg(test)', 'cfg(never)'), true],
    [
      'get a macro in the place of an assertion',
      RUST.replace(ADDS, `    macro_rules! assert_eq { ($($x:tt)*) => {}; }\n${ADDS}`),
      true,
    ],
  ])('%s', (_name, now, expected) => {
    const base = texts({ 'src/lib.rs': RUST });
    expect(changedInlineTests(base, texts({ 'src/lib.rs': now }))).toEqual(expected ? ['src/lib.rs'] : []);
  });

  it('may move to another file', () => {
    const base = texts({ 'src/lib.rs': RUST });
    const moved = texts({ 'src/lib.rs': CODE, 'src/sum.rs': moduleOf(ADDS) });
    expect(changedInlineTests(base, moved)).toEqual([]);
  });

  it('are lost with their file', () => {
    const base = texts({ 'src/lib.rs': RUST });
    expect(changedInlineTests(base, new Map([['src/lib.rs', null]]))).toEqual(['src/lib.rs']);
  });

  it('are counted: two equal ones are two', () => {
    const base = texts({ 'src/a.rs': RUST, 'src/b.rs': RUST });
    const now = texts({ 'src/a.rs': RUST, 'src/b.rs': CODE });
    expect(changedInlineTests(base, now)).toEqual(['src/b.rs']);
  });
});

describe('tests inside of a Zig file', () => {
  const path = 'src/sum.zig';
  const text = 'test "adds" {\n  try expect(add(2, 3) == 5);\n}\n';
  it.each([
    ['stay as they are', `// more\n${text}`, []],
    ['are weakened', text.replace('== 5', '!= 5'), [path]],
  ])('%s', (_name, now, expected) => {
    expect(changedInlineTests(texts({ [path]: text }), texts({ [path]: now }))).toEqual(expected);
  });
});

it.each([
  ['src/lib.rs', true],
  ['src/sum.zig', true],
  ['README.md', false],
  ['src/sum.py', true],
  ['src/sum.ts', true],
  ['src/sum.go', false],
  ['Makefile', false],
])('tests are looked for inside of %s: %s', (path, expected) => {
  expect(mayHaveInlineTests(path)).toBe(expected);
});

it('any text is read in time', () => {
  for (const text of [
    '#['.repeat(20_000),
    '#[test] fn a() {'.repeat(5_000),
    `r${'#'.repeat(50_000)}"`,
    "'".repeat(50_000),
  ])
    expect(changedInlineTests(texts({ 'a.rs': RUST }), texts({ 'a.rs': text }))).toEqual(['a.rs']);
});
