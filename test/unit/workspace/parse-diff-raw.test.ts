import { describe, expect, it } from 'vitest';
import { parseDiffRaw } from '../../../src/adapters/workspace/files/parse-diff-raw.ts';
import type { FileChange } from '../../../src/contracts/run/workspace-change.ts';

const ZERO = '0'.repeat(40);
const OLD = 'a'.repeat(40);
const NEW = 'b'.repeat(40);

function output(...fields: readonly string[]): string {
  return fields.map((field) => `${field}\0`).join('');
}

function parse(text: string) {
  return parseDiffRaw(Buffer.from(text)).diff;
}

const change: FileChange = {
  path: 'a.txt',
  oldPath: null,
  status: 'M',
  insertions: 1,
  deletions: 2,
  oldMode: '100644',
  newMode: '100644',
  blob: NEW,
};

const cases: readonly { says: string; from: string; gives: Partial<FileChange> }[] = [
  {
    says: 'a changed file',
    from: output(`:100644 100644 ${OLD} ${NEW} M`, 'a.txt', '1\t2\ta.txt'),
    gives: {},
  },
  {
    says: 'an added file',
    from: output(`:000000 100755 ${ZERO} ${NEW} A`, 'a.txt', '3\t0\ta.txt'),
    gives: { status: 'A', oldMode: '000000', newMode: '100755', insertions: 3, deletions: 0 },
  },
  {
    says: 'a deleted file, whose blob is zeros',
    from: output(`:100644 000000 ${OLD} ${ZERO} D`, 'a.txt', '0\t4\ta.txt'),
    gives: { status: 'D', newMode: '000000', blob: ZERO, insertions: 0, deletions: 4 },
  },
  {
    says: 'a rename, with the old path beside the new one',
    from: output(`:100644 100644 ${OLD} ${NEW} R087`, 'old.txt', 'new.txt', '1\t1\t', 'old.txt', 'new.txt'),
    gives: { status: 'R', path: 'new.txt', oldPath: 'old.txt', deletions: 1 },
  },
  {
    says: 'a change of mode only',
    from: output(`:100644 100755 ${NEW} ${NEW} M`, 'a.txt', '0\t0\ta.txt'),
    gives: { newMode: '100755', insertions: 0, deletions: 0 },
  },
  {
    says: 'a binary file without counts',
    from: output(`:100644 100644 ${OLD} ${NEW} M`, 'a.txt', '-\t-\ta.txt'),
    gives: { insertions: null, deletions: null },
  },
  {
    says: 'a change of type as a modification',
    from: output(`:100644 120000 ${OLD} ${NEW} T`, 'a.txt', '1\t2\ta.txt'),
    gives: { newMode: '120000' },
  },
  {
    says: 'a path with a line feed, a tab and a leading colon',
    from: output(`:100644 100644 ${OLD} ${NEW} M`, ':a\n\tb', '1\t2\t:a\n\tb'),
    gives: { path: ':a\n\tb' },
  },
  {
    says: 'object ids of SHA-256 repositories',
    from: output(`:100644 100644 ${'1'.repeat(64)} ${'2'.repeat(64)} M`, 'a.txt', '1\t2\ta.txt'),
    gives: { blob: '2'.repeat(64) },
  },
];

describe('parseDiffRaw', () => {
  it.each(cases)('reads $says', ({ from, gives }) => {
    expect(parse(from).files).toEqual([{ ...change, ...gives }]);
  });

  it('gives the patch behind an empty field', () => {
    const text = `${output(`:100644 100644 ${OLD} ${NEW} M`, 'a.txt', '1\t2\ta.txt', '')}diff --git a/a.txt b/a.txt\n`;
    expect(parseDiffRaw(Buffer.from(text)).patch.toString()).toBe('diff --git a/a.txt b/a.txt\n');
  });

  it('reads no output as no change', () => {
    expect(parse('')).toEqual({ files: [], insertions: 0, deletions: 0 });
  });

  it('sorts by path and adds up what can be counted', () => {
    const raw = ['b', 'B', 'a'].flatMap((path) => [`:100644 100644 ${OLD} ${NEW} M`, path]);
    const diff = parse(output(...raw, '1\t2\tb', '-\t-\tB', '10\t20\ta'));
    expect(diff.files.map((file) => file.path)).toEqual(['B', 'a', 'b']);
    expect([diff.insertions, diff.deletions]).toEqual([11, 22]);
  });

  it.each([
    ['is cut off within a field', `:100644 100644 ${OLD} ${NEW} M\0a.t`, /cut off/],
    ['lacks a path', output(`:100644 100644 ${OLD} ${NEW} M`), /cut off/],
    ['lacks the counts of a file', output(`:100644 100644 ${OLD} ${NEW} M`, 'a'), /no counts/],
    ['has a broken record', output(':100644 M', 'a'), /not a record of a raw diff/],
    ['has broken counts', output('x\ty\tz'), /not a record of diff counts/],
    ['has an unknown status', output(`:100644 100644 ${OLD} ${NEW} U`, 'a'), /unknown status/],
  ])('refuses output that %s', (_says, from, message) => {
    expect(() => parse(from)).toThrow(message);
  });
});
