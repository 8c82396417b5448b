import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPatchScanner, type PatchIndex } from '../../../src/app/page/evidence/patch-index.ts';
import { readPatchLines } from '../../../src/app/page/evidence/patch-lines.ts';
import { parsePatch } from '../../../src/policy/patches/patch.ts';
import { memoryFile } from './memory-file.ts';

function scan(patch: string, pieceBytes = 7): PatchIndex {
  const bytes = new TextEncoder().encode(patch);
  const scanner = createPatchScanner();
  for (let at = 0; at < bytes.length; at += pieceBytes) scanner.add(bytes.slice(at, at + pieceBytes));
  return scanner.end();
}

const PATCH = `diff --git a/src/a.ts b/src/a.ts
index 1111111..2222222 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,3 +1,4 @@ function first() {
 one
-two
+2
+two and a half
 three
@@ -10 +11 @@
--- looks like a header
+++ looks like one too
\\ No newline at end of file
diff --git a/old name.txt b/new name.txt
similarity index 100%
rename from old name.txt
rename to new name.txt
diff --git "a/tab\\there.txt" "b/tab\\there.txt"
new file mode 100644
index 0000000..3333333
--- /dev/null
+++ "b/tab\\there.txt"
@@ -0,0 +1 @@
+diff --git a/not b/a-header
diff --git a/picture.png b/picture.png
index 4444444..5555555 100644
GIT binary patch
literal 10
zcmV+b0RR6000031

literal 8
Pc$@

diff --git a/gone.txt b/gone.txt
deleted file mode 100644
index 6666666..0000000
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
`;

describe('a patch scanner', () => {
  it('reads the same files as the parser of whole patches, whatever the pieces are', () => {
    const parsed = parsePatch(PATCH);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 900 }), (pieceBytes) => {
        const index = scan(PATCH, pieceBytes);
        expect(index.problem).toBeNull();
        expect(index.sections.map(({ change }) => change)).toEqual(parsed.ok && parsed.changes);
        expect(index.sections.map(({ lines }) => lines)).toEqual(
          parsed.ok &&
            parsed.texts.map(({ hunks }) => hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0)),
        );
        expect([index.insertions, index.deletions]).toEqual([4, 3]);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['an empty patch', '', [], null],
    [
      'text before the first file',
      'warning: x\ndiff --git a/a b/a\nold mode 100644\nnew mode 100755\n',
      ['a'],
      null,
    ],
    [
      'a patch that ends in a hunk',
      'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n x\n',
      ['a'],
      'the patch ends in the middle of a change',
    ],
    [
      'a file whose path is ambiguous',
      'diff --git a/a b c/a\n',
      [],
      "the patch can't be read: a file's path is ambiguous",
    ],
  ])('reads %s', (_, patch, paths, problem) => {
    const index = scan(patch);
    expect([index.sections.map(({ change }) => change.path), index.problem]).toEqual([paths, problem]);
  });

  it('keeps the beginning of the first hunk, to recognise generated files', () => {
    expect(scan(PATCH).sections[0]?.sample).toMatch(/^ one\n-two\n/);
  });
});

describe('the lines of a file', () => {
  it('have their numbers before and after the change', async () => {
    const { sections } = scan(PATCH);
    const [first] = sections;
    if (first === undefined) throw new Error('no file');
    expect(await readPatchLines(memoryFile(PATCH), first, 0, 100)).toEqual([
      {
        old_start: 1,
        new_start: 1,
        continued: false,
        heading: 'function first() {',
        lines: [
          ['context', 1, 1, 'one'],
          ['removed', 2, null, 'two'],
          ['added', null, 2, '2'],
          ['added', null, 3, 'two and a half'],
          ['context', 3, 4, 'three'],
        ],
      },
      {
        old_start: 10,
        new_start: 11,
        continued: false,
        heading: '',
        lines: [
          ['removed', 10, null, '-- looks like a header'],
          ['added', null, 11, '++ looks like one too'],
          ['note', null, null, 'No newline at end of file'],
        ],
      },
    ]);
  });

  it('are the same in pages as at once', async () => {
    const long = Array.from({ length: 40_000 }, (_, at) => `${at % 3 === 0 ? '+' : ' '}line ${at}`);
    const added = long.filter((line) => line.startsWith('+')).length;
    const patch = `${PATCH}diff --git a/long b/long\n--- a/long\n+++ b/long\n@@ -1,${40_000 - added} +1,40000 @@ long\n${long.join('\n')}\n`;
    const section = scan(patch, 65_536).sections.at(-1);
    if (section === undefined) throw new Error('no file');
    expect(section.places.length).toBeGreaterThan(4);
    const file = memoryFile(patch);
    for (const from of [0, 1, 7_000, 20_001, 39_990]) {
      const hunks = await readPatchLines(file, section, from, 20);
      const lines = hunks.flatMap((hunk) => hunk.lines);
      expect(lines.map(([, , now, text]) => [now, text])).toEqual(
        long.slice(from, from + 20).map((line, at) => [from + at + 1, line.slice(1)]),
      );
      expect(hunks[0]).toMatchObject({ continued: from > 0, new_start: from + 1 });
    }
    expect(file.readBytes()).toBeLessThan(5 * 400_000);
  });

  it('are text without control and bidi characters', async () => {
    const patch =
      'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -0,0 +1 @@ f\u202e\n+a\u001b[31mb\u202ec\u0000<img>\n';
    const [section] = scan(patch).sections;
    if (section === undefined) throw new Error('no file');
    const [hunk] = await readPatchLines(memoryFile(patch), section, 0, 10);
    expect([hunk?.heading, hunk?.lines[0]?.[3]]).toEqual(['f\\u202e', 'a\\x1b[31mb\\u202ec\\x00<img>']);
  });
});
