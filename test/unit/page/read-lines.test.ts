import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineReader, type LineRange } from '../../../src/app/page/evidence/read-lines.ts';
import { memoryFile, vastFile } from './memory-file.ts';

const decoder = new TextDecoder();
const textsOf = ({ lines }: LineRange) => lines.map(({ bytes }) => decoder.decode(bytes));

describe('a line reader', () => {
  it.each([
    ['', []],
    ['a', ['a']],
    ['a\n', ['a']],
    ['a\nb', ['a', 'b']],
    ['a\n\n', ['a', '']],
    ['\n', ['']],
  ])('splits %j', async (content, lines) => {
    const range = await createLineReader().read(memoryFile(content), 0, 100);
    expect([textsOf(range), range.total, range.more]).toEqual([lines, lines.length, false]);
  });

  it('reads any range as splitting the whole text does', async () => {
    const line = fc.oneof(
      fc.constant(''),
      fc.string({ maxLength: 30 }).map((text) => text.replaceAll('\n', ' ')),
      fc.integer({ min: 1, max: 90_000 }).map((n) => 'x'.repeat(n)),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 30 }),
        fc.nat(35),
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        async (lines, from, limit, ended) => {
          const text = lines.join('\n') + (ended ? '\n' : '');
          const all = text === '' ? [] : text.replace(/\n$/, '').split('\n');
          const range = await createLineReader().read(memoryFile(text), from, limit);
          const shown = textsOf(range);
          expect(shown.map((found, at) => [found, range.lines[at]?.cutBytes])).toEqual(
            all
              .slice(from, from + shown.length)
              .map((found) => [
                decoder.decode(new TextEncoder().encode(found).slice(0, 16_384)),
                Math.max(0, new TextEncoder().encode(found).length - 16_384),
              ]),
          );
          expect(range.more).toBe(from + shown.length < all.length);
          expect(range.total).toBe(all.length);
          expect(shown.length === Math.min(limit, Math.max(0, all.length - from)) || range.more).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('reads the end with the numbers of its lines', async () => {
    const range = await createLineReader().read(memoryFile('a\nb\nc\n'), 'end', 2);
    expect([range.first, textsOf(range)]).toEqual([1, ['b', 'c']]);
  });

  it('reads little of 1 GB for the first page and for the end', async () => {
    const lines = 2 ** 24;
    const file = vastFile(lines);
    const reader = createLineReader();
    const first = await reader.read(file, 0, 200);
    expect([first.first, first.lines.length, first.total, first.more]).toEqual([0, 200, null, true]);
    const end = await reader.read(file, 'end', 200);
    expect([end.first, end.lines.length, end.total]).toEqual([-200, 200, null]);
    expect(textsOf(end).at(-1)).toMatch(/^line 16777215 /);
    expect(file.readBytes()).toBeLessThan(80 * 1024 ** 2);
    expect(end.counted).toBeGreaterThanOrEqual(2 ** 20);
  });

  it('counts on with every request, until it knows the number of lines', async () => {
    const file = vastFile(2 ** 21);
    const reader = createLineReader();
    const totals: (number | null)[] = [];
    for (let request = 0; request < 5; request += 1) totals.push((await reader.read(file, 0, 10)).total);
    expect(totals.slice(0, 2)).toEqual([null, null]);
    expect(totals.at(-1)).toBe(2 ** 21);
    const before = file.readBytes();
    expect((await reader.read(file, 2 ** 20, 10)).first).toBe(2 ** 20);
    expect(file.readBytes() - before).toBeLessThan(1024 ** 2);
  });

  it('counts only the new part of a file that grew, and all of one that was replaced', async () => {
    const reader = createLineReader();
    expect((await reader.read(memoryFile('a\nb'), 0, 10)).total).toBe(2);
    expect((await reader.read(memoryFile('a\nbc\nd\n'), 0, 10)).total).toBe(3);
    expect((await reader.read(memoryFile('x\n'), 0, 10)).total).toBe(1);
    expect((await reader.read(memoryFile('1\n2\n3\n4\n', '1:2'), 0, 10)).total).toBe(4);
  });

  it('gives the same numbers to two requests at once', async () => {
    const reader = createLineReader();
    const file = memoryFile('line\n'.repeat(200_000));
    const ranges = await Promise.all([0, 150_000, 10].map((from) => reader.read(file, from, 5)));
    expect(ranges.map(({ total }) => total)).toEqual([200_000, 200_000, 200_000]);
  });

  it('reads a line without an end as a cut line, and not the whole file', async () => {
    const file = memoryFile(new Uint8Array(64 * 1024 ** 2).fill(120));
    const range = await createLineReader().read(file, 0, 10);
    expect(range.lines.map(({ bytes }) => bytes.length)).toEqual([16_384]);
  });
});
