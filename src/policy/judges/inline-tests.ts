import { collapseSpace } from '../../text/outside-text.ts';
import { C, type CodeLanguage, RUST } from '../content/code-text.ts';
import { findBlocks } from './code-blocks.ts';

/**
 * Tests in the same file as the code they check: Rust modules, Zig blocks, examples in documentation, vitest's
 * in-source tests. Such a file can't be restored to the base without undoing the work, so its tests are compared by
 * their text.
 */

/** By file extension. */
const READERS: Readonly<Record<string, (text: string) => readonly string[]>> = {
  rs: (text) => [...rustTests(text), ...rustExamples(text)],
  zig: (text) => blocksAfter(text, /^[ \t]*test\b[^{;\n]{0,200}\{/gm, C),
  py: pythonExamples,
  ...Object.fromEntries(['js', 'mjs', 'jsx', 'ts', 'mts', 'tsx'].map((ending) => [ending, inSourceTests])),
};

export function mayHaveInlineTests(path: string): boolean {
  return readerOf(path) !== undefined;
}

/** Texts by path; null if the file doesn't exist. */
type Texts = ReadonlyMap<string, string | null>;

/**
 * Paths whose inline tests were edited or deleted since the base, sorted. New tests are fine, and so is moving a
 * test to another changed file.
 */
export function changedInlineTests(base: Texts, now: Texts): string[] {
  const kept = new Map<string, number>();
  for (const [path, text] of now)
    for (const test of findTests(path, text)) kept.set(test, (kept.get(test) ?? 0) + 1);
  const changed = [...base].flatMap(([path, text]) => {
    const lost = findTests(path, text).filter((test) => {
      const left = kept.get(test) ?? 0;
      kept.set(test, left - 1);
      return left <= 0;
    });
    return lost.length > 0 || addsMacro(path, text, now.get(path) ?? null) ? [path] : [];
  });
  return changed.sort();
}

function readerOf(path: string): ((text: string) => readonly string[]) | undefined {
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(READERS, ending) ? READERS[ending] : undefined;
}

function findTests(path: string, text: string | null): readonly string[] {
  // White space is collapsed so that a formatter's changes don't count.
  return text === null ? [] : (readerOf(path)?.(text) ?? []).map(collapseSpace);
}

/** A macro next to the tests can replace `assert_eq!`. */
function addsMacro(path: string, base: string | null, now: string | null): boolean {
  if (!path.endsWith('.rs') || base === null || now === null || rustTests(base).length === 0) return false;
  const count = (text: string) => [...text.matchAll(/\bmacro_rules!/g)].length;
  return count(now) > count(base);
}

/** The lines from the vitest condition for in-source tests to the end of the file. */
function inSourceTests(text: string): readonly string[] {
  const start = text.search(/^[ \t]*if\s*\(\s*import\.meta\.vitest\b/m);
  if (start < 0) return [];
  const lines = text.slice(start).split('\n');
  return lines.map((line) => line.trim()).filter((line) => !/^(?:\/\/.*|[)}\];]*)$/.test(line));
}

/** Examples in docstrings: a prompt with its continuation lines, and the expected output. */
function pythonExamples(text: string): readonly string[] {
  const found: string[][] = [];
  let isOpen = false;
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line.startsWith('>>>')) found.push([line]);
    else if (isOpen && line !== '' && !/^(?:"""|''')/.test(line)) found.at(-1)?.push(line);
    isOpen = line.startsWith('>>>') || (isOpen && line !== '' && !/^(?:"""|''')/.test(line));
  }
  return found.map((lines) => lines.join('\n'));
}

const NOT_RUN = /\b(?:text|ignore|no_run|compile_fail|toml|sh|bash|console|json)\b/;

/** Code in Rust documentation, which `cargo test` runs unless its fence says otherwise. */
function rustExamples(text: string): readonly string[] {
  const found: string[] = [];
  let open: string[] | null = null;
  let isRun = false;
  for (const line of text.split('\n')) {
    const comment = /^\s*\/\/[/!] ?(.*)$/.exec(line)?.[1];
    const fence = comment === undefined ? undefined : /^\s*```(.*)$/.exec(comment)?.[1];
    if (comment === undefined) open = null;
    else if (fence === undefined) open?.push(comment);
    else if (open === null) {
      open = [];
      isRun = !NOT_RUN.test(fence);
    } else {
      if (isRun) found.push(open.join('\n'));
      open = null;
    }
  }
  return found;
}

function blocksAfter(text: string, head: RegExp, language: CodeLanguage): string[] {
  const blocks = findBlocks(text, language);
  return [...text.matchAll(head)].map((match) => {
    const open = match.index + match[0].length - 1;
    return text.slice(match.index, blocks.endOf(open));
  });
}

const TEST_ATTRIBUTE = /^#\[\s*(?:\w+\s*::\s*)*(?:test|rstest|test_case|quickcheck|wasm_bindgen_test)\b/;
const TEST_MODULE = /^#\[\s*cfg\s*\(.*\btest\b/s;

/** Functions with a test attribute, and the other lines of test-only modules. */
function rustTests(text: string): readonly string[] {
  const found: string[] = [];
  for (const { start, attributes, end } of rustItems(text)) {
    const item = text.slice(start, end);
    if (isTest(attributes)) found.push(item);
    else if (attributes.some((each) => TEST_MODULE.test(each))) found.push(...moduleLines(item));
  }
  return found;
}

function isTest(attributes: readonly string[]): boolean {
  return attributes.some((each) => TEST_ATTRIBUTE.test(each));
}

/** The lines of a test module besides its tests; imports may change with new tests. */
function moduleLines(item: string): string[] {
  const open = item.indexOf('{');
  if (open < 0) return [item];
  const body = item.slice(open + 1, -1);
  const tests = rustItems(body).filter(({ attributes }) => isTest(attributes));
  const parts = tests.map(({ start }, index) => body.slice(tests[index - 1]?.end ?? 0, start));
  const rest = [...parts, body.slice(tests.at(-1)?.end ?? 0)].join('\n');
  const lines = rest.split('\n').map((line) => line.trim());
  return [item.slice(0, open), ...lines.filter((line) => line !== '' && !/^(?:use|\/\/)/.test(line))];
}

interface RustItem {
  readonly start: number;
  readonly attributes: readonly string[];
  readonly end: number;
}

/** Items with attributes, in order; items inside a test are part of it. */
function rustItems(text: string): RustItem[] {
  const blocks = findBlocks(text, RUST);
  const items: RustItem[] = [];
  for (let at = text.indexOf('#['); at >= 0; at = text.indexOf('#[', at)) {
    const start = at;
    const attributes: string[] = [];
    for (let end = endOfAttribute(text, at); end > at; end = endOfAttribute(text, at)) {
      attributes.push(text.slice(at, end));
      at = skipSpace(text, end);
    }
    const end = blocks.endOf(at);
    if (attributes.length > 0) items.push({ start, attributes, end });
    at = isTest(attributes) ? end : Math.max(at, start + 2);
  }
  return items;
}

/** A longer text is not an attribute. */
const MAX_ATTRIBUTE = 1_000;

/** The offset after the attribute that starts here; `at` itself if there is none. */
function endOfAttribute(text: string, at: number): number {
  if (!text.startsWith('#[', at)) return at;
  let depth = 0;
  for (let end = at + 1; end < Math.min(text.length, at + MAX_ATTRIBUTE); end += 1) {
    if (text[end] === '[') depth += 1;
    if (text[end] === ']') depth -= 1;
    if (depth === 0) return end + 1;
  }
  return at;
}

/** Skips white space and comments. */
function skipSpace(text: string, from: number): number {
  let at = from;
  for (;;) {
    while (/\s/.test(text[at] ?? '')) at += 1;
    if (!text.startsWith('//', at)) return at;
    const end = text.indexOf('\n', at);
    at = end < 0 ? text.length : end + 1;
  }
}
