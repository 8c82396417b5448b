import { describe, expect, it } from 'vitest';
import type { PolicyOverride } from '../../../src/contracts/documents/policy.ts';
import { parsePatch } from '../../../src/policy/patches/patch.ts';
import { checkPatch } from '../../../src/policy/patches/patch-check.ts';
import { policyOf } from './policy-builder.ts';

function judge(policy: PolicyOverride, patch: string): string[] {
  const parsed = parsePatch(patch);
  if (!parsed.ok) throw new Error(`line ${parsed.line}: ${parsed.message}`);
  return checkPatch(policyOf(policy), parsed).map(({ class: kind, subject }) => `${kind} ${subject}`);
}

const edit = (path: string) => `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`;
const link = (path: string, target: string) =>
  `diff --git a/${path} b/${path}\nnew file mode 120000\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${target}\n\\ No newline at end of file\n`;

describe('a patch checked against a policy', () => {
  it.each([
    ['x', []],
    ['../x', ['outside_workspace ../x']],
    ['.git/config', ['forbidden_path .git/config']],
    ['.GIT/config', ['forbidden_path .GIT/config']],
    ['sub/.git/hooks/pre-commit', ['forbidden_path sub/.git/hooks/pre-commit']],
    ['sub/.Git', ['forbidden_path sub/.Git']],
    ['.gitignore', []],
    ['./secrets/x', ['forbidden_path secrets/x']],
  ])('an edit of %s: %j', (path, expected) => {
    expect(judge({ forbidden_paths: ['secrets'] }, edit(path))).toEqual(expected);
  });

  it.each([
    ['l', 'src/x', []],
    ['l', '.', []],
    ['src/l', '../lib', []],
    ['l', '/etc/passwd', ['outside_workspace l']],
    ['l', '..', ['outside_workspace l']],
    ['src/l', '../../x', ['outside_workspace src/l']],
    ['src/l', 'a/../../../x', ['outside_workspace src/l']],
    ['src/l', '../.git/config', ['forbidden_path src/l']],
  ])('a new link %s to %s: %j', (path, target, expected) => {
    expect(judge({}, link(path, target))).toEqual(expected);
  });

  it('sees where a changed link leads', () => {
    const patch = 'diff --git a/l b/l\nindex 1..2 120000\n--- a/l\n+++ b/l\n@@ -1 +1 @@\n-x\n+/etc\n';
    expect(judge({}, patch)).toEqual(['outside_workspace l']);
  });

  it.each([
    'package.json',
    'web/pnpm-lock.yaml',
    'yarn.lock',
    'bun.lock',
    'requirements-dev.txt',
    'dev-requirements.txt',
    'requirements/dev.txt',
    'pylock.toml',
    'poetry.lock',
    'uv.lock',
    'Cargo.lock',
    'go.sum',
    'Gemfile.lock',
    'composer.lock',
    'pom.xml',
    'app/build.gradle.kts',
    'gradle/libs.versions.toml',
    'gradle/wrapper/gradle-wrapper.properties',
    'buildscript-gradle.lockfile',
  ])('%s declares dependencies', (path) => {
    expect(judge({ forbidden_operations: ['dependency_change'] }, edit(path))).toEqual([
      `forbidden_operation ${path}`,
    ]);
  });

  it.each(['docs/functional-requirements.txt', 'src/package.ts', 'requirements.md'])(
    '%s does not',
    (path) => {
      expect(judge({ forbidden_operations: ['dependency_change'] }, edit(path))).toEqual([]);
    },
  );
});
