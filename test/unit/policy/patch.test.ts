import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parsePatch } from '../../../src/policy/patches/patch.ts';

/** Changes as `status old -> path modes +n -n`. */
function spell(patch: string): string[] {
  const parsed = parsePatch(patch);
  if (!parsed.ok) throw new Error(`line ${parsed.line}: ${parsed.message}`);
  return parsed.changes
    .map(({ status, path, oldPath, oldMode, newMode, insertions, deletions }) =>
      [
        status,
        ...(oldPath === null ? [] : [oldPath, '->']),
        path,
        `${oldMode}:${newMode}`,
        `+${insertions}`,
        `-${deletions}`,
      ].join(' '),
    )
    .sort();
}

describe('a patch that git wrote', () => {
  let folder = '';
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
  const put = (path: string, text: string) => writeFileSync(join(folder, path), text);

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'conductor-patch-'));
    git('init', '-q');
    mkdirSync(join(folder, 'a'));
    put('a/b.txt', 'one\ntwo\nthree\n');
    put('gone', '--- gone\n+++ not a header\n');
    put('old name.txt', `${'same\n'.repeat(20)}end\n`);
    put('mode.sh', '#!/bin/sh\n');
    put('empty', '');
    put('binary', '\0\x01\x02');
    put('naïve "quoted".txt', 'x\n');
    git('add', '-A');
    git('commit', '-qm', 'base');
    put('a/b.txt', 'one\n-- two\n++ three\n');
    rmSync(join(folder, 'gone'));
    renameSync(join(folder, 'old name.txt'), join(folder, 'new name.txt'));
    chmodSync(join(folder, 'mode.sh'), 0o755);
    rmSync(join(folder, 'empty'));
    put('binary', '\0\x01\x03');
    put('naïve "quoted".txt', 'y\n');
    put('added empty', '');
    symlinkSync('/etc', join(folder, 'link'));
    git('add', '-A');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const EXPECTED = [
    'A added empty 000000:100644 +0 -0',
    'A link 000000:120000 +1 -0',
    'D empty 100644:000000 +0 -0',
    'D gone 100644:000000 +0 -2',
    'M a/b.txt 100644:100644 +2 -2',
    'M binary 100644:100644 +null -null',
    'M mode.sh 100644:100755 +0 -0',
    'M naïve "quoted".txt 100644:100644 +1 -1',
    'R old name.txt -> new name.txt 100644:100644 +0 -0',
  ];

  it.each([
    ['as it is', []],
    ['without prefixes', ['--no-prefix']],
    ['with other prefixes', ['--src-prefix=i/', '--dst-prefix=w/']],
    ['with binary content', ['--binary']],
    ['without context', ['-U0']],
    ['with paths as they are', ['--full-index']],
  ])('is read %s', (_name, options) => {
    expect(
      spell(git('-c', 'core.quotepath=on', 'diff', '--cached', '-M', '--no-rename-empty', ...options)),
    ).toEqual(EXPECTED);
  });

  it('is read out of a letter', () => {
    git('commit', '-qm', 'rename to nowhere\n\nrename to nowhere/else');
    expect(spell(git('format-patch', '-1', '--stdout', '--no-rename-empty'))).toEqual(EXPECTED);
  });
});

describe('a hand-written patch', () => {
  it.each([
    ['', []],
    ['--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n', ['M x 100644:100644 +1 -1']],
    ['--- a/x\t2020-01-01\n+++ b/x\t2020-01-02\n@@ -1 +1 @@\n-a\n+b\n', ['M x 100644:100644 +1 -1']],
    ['--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n', ['A x 100644:100644 +1 -0']],
    ['--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n', ['D x 100644:100644 +0 -1']],
    ['--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n', ['R x -> y 100644:100644 +1 -1']],
    [
      '--- a/x\n+++ b/../y\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n',
      ['R x -> ../y 100644:100644 +1 -1'],
    ],
    ['diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n', ['A y 100644:100644 +0 -0']],
    ['--- old/src/x\n+++ new/src/x\n@@ -1 +1 @@\n-a\n+b\n', ['M src/x 100644:100644 +1 -1']],
    ['--- x.orig\n+++ x\n@@ -1 +1 @@\n-a\n+b\n', ['R x.orig -> x 100644:100644 +1 -1']],
    ['--- a/./src//x\n+++ b/./src//x\n@@ -1 +1 @@\n-a\n+b\n', ['M src/x 100644:100644 +1 -1']],
    [
      '--- a/x\t2020-01-01\n+++ b/x\t1970-01-01 00:00:00.000000000 +0000\n@@ -1 +0,0 @@\n-a\n',
      ['D x 100644:100644 +0 -1'],
    ],
    [
      'diff --git b/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n',
      ['A b/x 000000:100644 +1 -0'],
    ],
    [
      'diff --git src/x lib/x\nrename from src/x\nrename to lib/x\n--- src/x\n+++ lib/x\n@@ -1 +1 @@\n-a\n+b\n',
      ['R src/x -> lib/x 100644:100644 +1 -1'],
    ],
    [
      'diff --git a/l b/l\nindex 1..2 120000\n--- a/l\n+++ b/l\n@@ -1 +1 @@\n-a\n+b\n',
      ['M l 120000:120000 +1 -1'],
    ],
    ['diff --git a/x b/x\r\nold mode 100644\r\nnew mode 100755\r\n', ['M x 100644:100755 +0 -0']],
  ])('%j is %j', (patch, expected) => {
    expect(spell(patch)).toEqual(expected);
  });

  it.each([
    ['hello', 'the patch names no file'],
    ['diff --cc x\n', 'combined diffs are not supported'],
    ['--- a/x\n+++ b/x\n@@ -1,3 +1 @@\n-a\n', 'the patch ends inside a hunk'],
    ['--- a/x\n+++ b/x\n@@ -1 +1 @@\nrubbish\n', 'a hunk has an invalid line'],
    ['@@ -1 +1 @@\n-a\n+b\n', 'a hunk has no file header'],
    [
      'diff --git a/x b/y\nrename from x\nrename to y\n--- a/secret\n+++ b/secret\n@@ -1 +1 @@\n-a\n+b\n',
      'the headers of a file name different paths',
    ],
    [
      'diff --git a/x b/y\ncopy from x\ncopy to y\n--- a/x\n+++ b/secret\n@@ -1 +1 @@\n-a\n+b\n',
      'the headers of a file name different paths',
    ],
    [
      '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n*** a/y\n--- b/y\n***************\n*** 1 ****\n! a\n',
      'context diffs are not supported',
    ],
    ['diff --git a/x y b/z\n', "a file's path is ambiguous"],
    ['Submodule sub 123..456:\n  > x\n', 'submodule summaries are not supported'],
  ])('%j is refused: %s', (patch, message) => {
    expect(parsePatch(patch)).toMatchObject({ ok: false, message });
  });
});
