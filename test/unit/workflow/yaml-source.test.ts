import { describe, expect, it } from 'vitest';
import { decodeSource, MAX_SOURCE_BYTES } from '../../../src/workflow/yaml/source-text.ts';
import { parseYaml } from '../../../src/workflow/yaml/yaml-source.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const nested = (levels: number) => `a: ${'['.repeat(levels - 1)}1${']'.repeat(levels - 1)}`;

function codesOf(text: string): string[] {
  return parseYaml(text, 'WF').diagnostics.map(({ code }) => code);
}

describe('decodeSource', () => {
  it('drops a byte order mark, so that the first column is the first character', () => {
    const decoded = decodeSource({ name: 'x', bytes: bytes('\ufeffa: 1') }, 'WF');
    expect(decoded).toEqual({ text: 'a: 1', problem: null });
  });

  it('accepts a replacement character that really is in the file', () => {
    expect(decodeSource({ name: 'x', bytes: bytes('a: \ufffd') }, 'WF').problem).toBeNull();
  });

  it('finds the broken byte behind a genuine replacement character', () => {
    const broken = Uint8Array.from([...bytes('a: \ufffd\nb: '), 0xff]);
    const { problem } = decodeSource({ name: 'x', bytes: broken }, 'WF');
    expect(problem).toMatchObject({ code: 'WF001', span: { line: 2, column: 4 } });
  });

  it('reads exactly 16 MiB and not a byte more', () => {
    const text = (size: number) => new Uint8Array(size).fill(0x20);
    expect(decodeSource({ name: 'x', bytes: text(MAX_SOURCE_BYTES) }, 'WF').problem).toBeNull();
    expect(decodeSource({ name: 'x', bytes: text(MAX_SOURCE_BYTES + 1) }, 'WF').problem?.code).toBe('WF001');
  });
});

describe('parseYaml', () => {
  it.each<[string, string, string[]]>([
    ['64 levels are read', nested(64), []],
    ['65 levels are refused', nested(65), ['WF004']],
    ['100,000 levels are refused without a crash', '['.repeat(100_000), ['WF004']],
    ['deep block sequences are refused too', `${'- '.repeat(65)}x`, ['WF004']],
    [
      'levels that only an alias adds count as well',
      `a: &a ${'['.repeat(40)}${']'.repeat(40)}\nb: ${'['.repeat(40)}*a${']'.repeat(40)}`,
      ['WF004'],
    ],
    ['10,000 aliases are read', `a: &a 1\nb: [${'*a,'.repeat(10_000)}]`, []],
    ['10,001 aliases are refused', `a: &a 1\nb: [${'*a,'.repeat(10_001)}]`, ['WF004']],
    [
      'few aliases of something huge are refused',
      `a: &a [${'1,'.repeat(50_000)}]\nb: [${'*a,'.repeat(100)}]`,
      ['WF004'],
    ],
    ['an alias before its anchor is refused', 'a: *b\nb: &b 1', ['WF002']],
    ['a quoted << is an ordinary key', '"<<": 1', []],
    ['keys that are equal as text are duplicates', '1: a\n"1": b', ['WF006']],
    ['a list as a key is refused', '? [a]\n: 1', ['WF009']],
    ['unknown tags are refused', 'a: !secret 1', ['WF002']],
    ['a document end is fine', 'a: 1\n...\n', []],
    ['a document start is fine', '---\na: 1\n', []],
    ['an empty second document is a second document', 'a: 1\n---\n', ['WF003']],
  ])('%s', (_, text, expected) => {
    expect(codesOf(text)).toEqual(expected);
  });

  it.each(['', '\n', '# comment\n', '---\n', '---\n...\n'])('%j is empty, not wrong', (text) => {
    expect(parseYaml(text, 'CF')).toMatchObject({ empty: true, diagnostics: [] });
  });

  it.each<[string, unknown]>([
    ['yes', 'yes'],
    ['off', 'off'],
    ['012', 12],
    ['0o14', 12],
    ['1_000', '1_000'],
    ['2026-01-01', '2026-01-01'],
    ['~', null],
    ['True', true],
  ])('reads %s by the core schema of YAML 1.2', (text, value) => {
    expect(parseYaml(`a: ${text}`, 'WF').source?.data).toEqual({ a: value });
  });

  it('keeps keys such as __proto__ and constructor as data', () => {
    const data = parseYaml('__proto__: 1\nconstructor: 2', 'WF').source?.data;
    expect(Object.entries(data ?? {})).toEqual([
      ['__proto__', 1],
      ['constructor', 2],
    ]);
  });

  it('locates keys, values, list entries, parts of text, and the target of an alias', () => {
    const source = parseYaml('a: &a\n  - b: "x ${y} z"\nc: *a\n', 'WF').source;
    expect(source?.locate(['a', 0, 'b'], 'key')).toEqual({ line: 2, column: 5, endLine: 2, endColumn: 6 });
    expect(source?.locate(['a', 0, 'b'], 'value')).toMatchObject({ line: 2, column: 8, endColumn: 18 });
    expect(source?.locateText(['a', 0, 'b'], '${y}')).toMatchObject({ line: 2, column: 11, endColumn: 15 });
    expect(source?.locate(['c'], 'value')).toMatchObject({ line: 3, column: 4, endColumn: 6 });
    expect(source?.locate(['c', 0, 'b'], 'value')).toMatchObject({ line: 2, column: 8 });
    expect(source?.locateFirstKey([])).toMatchObject({ line: 1, column: 1 });
  });
});
