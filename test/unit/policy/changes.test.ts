import { describe, expect, it } from 'vitest';
import type { Operation, PolicyOverride } from '../../../src/contracts/documents/policy.ts';
import type { FileChange } from '../../../src/contracts/run/workspace-change.ts';
import { checkChanges, checkFiles, listApprovals } from '../../../src/policy/changes.ts';
import { formatViolation } from '../../../src/policy/violation.ts';
import { change, OWN, policyOf, refs } from './policy-builder.ts';

interface Case {
  readonly name: string;
  readonly policy: PolicyOverride;
  readonly changes: readonly FileChange[];
  readonly violations: readonly string[];
}

const FILE_CASES: readonly Case[] = [
  { name: 'an empty policy allows every path', policy: {}, changes: [change('.hidden/x')], violations: [] },
  {
    name: "git's own folder is forbidden whatever the policy",
    policy: {},
    changes: [change('.git/hooks/pre-commit'), change('.git'), change('.gitignore')],
    violations: ['forbidden_path: .git/hooks/pre-commit', 'forbidden_path: .git'],
  },
  {
    name: 'a path outside the allowed ones is forbidden',
    policy: { allowed_paths: ['src/**'] },
    changes: [change('src/a/.b/c.ts'), change('docs/a.md')],
    violations: ['forbidden_path: docs/a.md'],
  },
  {
    name: 'an allowed folder with a slash covers what is below',
    policy: { allowed_paths: ['src/'] },
    changes: [change('src/a/b.ts'), change('srcs/a.ts')],
    violations: ['forbidden_path: srcs/a.ts'],
  },
  {
    name: 'an empty list of allowed paths allows nothing',
    policy: { allowed_paths: [] },
    changes: [change('a')],
    violations: ['forbidden_path: a'],
  },
  {
    name: 'forbidden wins over allowed and is reported once',
    policy: { allowed_paths: ['src/**'], forbidden_paths: ['src/gen/**', 'docs/**'] },
    changes: [change('src/gen/a.ts'), change('docs/a.md')],
    violations: ['forbidden_path: src/gen/a.ts', 'forbidden_path: docs/a.md'],
  },
  {
    name: 'a forbidden plain name covers what is below',
    policy: { forbidden_paths: ['vendor', 'deps/'] },
    changes: [change('vendor/a/b.js'), change('vendored.js'), change('deps/x')],
    violations: ['forbidden_path: vendor/a/b.js', 'forbidden_path: deps/x'],
  },
  {
    name: 'a name with glob characters means itself',
    policy: { forbidden_paths: ['app/[id]/page.tsx'] },
    changes: [change('app/[id]/page.tsx')],
    violations: ['forbidden_path: app/[id]/page.tsx'],
  },
  {
    name: 'both ends of a rename count',
    policy: { forbidden_paths: ['ci/**'] },
    changes: [
      change('old/a.yml', { status: 'R', oldPath: 'ci/a.yml' }),
      change('ci/b.yml', { status: 'R', oldPath: 'old/b.yml' }),
    ],
    violations: ['forbidden_path: ci/a.yml', 'forbidden_path: ci/b.yml'],
  },
  {
    name: 'read-only allows no change',
    policy: { execution: 'read_only' },
    changes: [change('a.ts')],
    violations: ['forbidden_operation: a.ts'],
  },
  {
    name: 'a forbidden delete is about deleted files alone',
    policy: { forbidden_operations: ['delete'] },
    changes: [change('a.ts', { status: 'D' }), change('b.ts'), change('c.ts', { status: 'A' })],
    violations: ['forbidden_operation: a.ts'],
  },
  {
    name: 'manifests and lock files need dependency_change',
    policy: { forbidden_operations: ['dependency_change'] },
    changes: [
      change('package.json'),
      change('web/pnpm-lock.yaml'),
      change('requirements-dev.txt'),
      change('Cargo.lock', { status: 'D' }),
      change('x.json', { status: 'R', oldPath: 'go.mod' }),
      change('src/package.json.ts'),
    ],
    violations: [
      'forbidden_operation: package.json',
      'forbidden_operation: web/pnpm-lock.yaml',
      'forbidden_operation: requirements-dev.txt',
      'forbidden_operation: Cargo.lock',
      'forbidden_operation: x.json',
    ],
  },
  {
    name: 'dependencies may change by default',
    policy: {},
    changes: [change('package.json')],
    violations: [],
  },
];

describe('changed files', () => {
  it.each(FILE_CASES)('$name', ({ policy, changes, violations }) => {
    expect(checkFiles(policyOf(policy), changes).map(formatViolation)).toEqual(violations);
  });

  it('that git ignores count for forbidden paths and not for allowed ones', () => {
    const policy = policyOf({ allowed_paths: ['src/**'], forbidden_paths: ['**/.env'] });
    const found = checkFiles(policy, [], [change('.env'), change('node_modules/a.js')]);
    expect(found.map(formatViolation)).toEqual(['forbidden_path: .env']);
  });
});

const REF_CASES = [
  { name: 'nothing moved', after: refs(), operations: ['commit', 'branch_switch'], violations: [] },
  {
    name: 'a commit on the own branch is forbidden where commit is',
    after: refs({ [OWN]: 'o2' }),
    operations: ['commit'],
    violations: [`forbidden_operation: ${OWN}`],
  },
  { name: 'and allowed where it is not', after: refs({ [OWN]: 'o2' }), operations: [], violations: [] },
  {
    name: 'the own branch may never vanish',
    after: refs({ [OWN]: undefined }),
    operations: [],
    violations: [`forbidden_operation: ${OWN}`],
  },
  {
    name: 'a protected branch that moved',
    after: refs({ 'refs/heads/main': 'm2' }),
    operations: [],
    violations: ['protected_branch_violation: refs/heads/main'],
  },
  {
    name: 'a protected branch that was deleted',
    after: refs({ 'refs/heads/main': undefined }),
    operations: [],
    violations: ['protected_branch_violation: refs/heads/main'],
  },
  {
    name: 'a protected branch matched by a glob',
    after: refs({ 'refs/heads/release/2': 'r1' }),
    operations: [],
    violations: ['protected_branch_violation: refs/heads/release/2'],
  },
  {
    name: 'other refs that were moved, made or deleted',
    after: refs({ 'refs/heads/topic': undefined, 'refs/tags/v1': 'x', 'refs/remotes/origin/main': 'y' }),
    operations: [],
    violations: [
      'forbidden_operation: refs/heads/topic',
      'forbidden_operation: refs/remotes/origin/main',
      'forbidden_operation: refs/tags/v1',
    ],
  },
  {
    name: 'branches named like those of other runs and of work items: no other run writes to this repository',
    after: refs({ 'refs/heads/conductor/run/other/2': 'x', 'refs/heads/conductor/item/7': 'y' }),
    operations: [],
    violations: [
      'forbidden_operation: refs/heads/conductor/item/7',
      'forbidden_operation: refs/heads/conductor/run/other/2',
    ],
  },
  {
    name: 'a switch to another branch',
    after: refs({}, 'refs/heads/topic'),
    operations: ['branch_switch'],
    violations: ['forbidden_operation: refs/heads/topic'],
  },
  {
    name: 'a detached HEAD',
    after: refs({}, null),
    operations: ['branch_switch'],
    violations: ['forbidden_operation: HEAD'],
  },
  {
    name: 'a switch where it is allowed',
    after: refs({}, 'refs/heads/topic'),
    operations: [],
    violations: [],
  },
] as const;

describe('the branch of a run', () => {
  const check = (operations: readonly Operation[], rewritten: readonly string[]) =>
    checkChanges({
      policy: policyOf({ forbidden_operations: [...operations] }),
      changes: [],
      ignoredChanges: [],
      refsBefore: refs(),
      refsAfter: refs({ [OWN]: 'o2' }),
      ownBranch: 'conductor/run-1',
      protectedBranches: [],
      rewritten,
    }).map(({ message }) => message);

  it('may be committed to but not rewritten where only force is forbidden', () => {
    expect(check(['force'], [])).toEqual([]);
    expect(check(['force'], [OWN])).toEqual([
      'the step moved the branch of the run to another history; the policy forbids `force`',
    ]);
  });

  it('may not be committed to where that is forbidden', () => {
    expect(check(['commit', 'force'], [])).toEqual([
      'the step committed to the branch of the run; the policy forbids `commit`',
    ]);
  });

  it('may be rewritten where neither is forbidden, and is reported once, as rewritten, where both are', () => {
    expect(check([], [OWN])).toEqual([]);
    expect(check(['commit', 'force'], [OWN])).toEqual([
      'the step moved the branch of the run to another history; the policy forbids `force`',
    ]);
  });
});

describe('refs of the workspace', () => {
  it.each(REF_CASES)('$name', ({ after, operations, violations }) => {
    const found = checkChanges({
      policy: policyOf({ forbidden_operations: [...operations] }),
      changes: [],
      ignoredChanges: [],
      refsBefore: refs(),
      refsAfter: after,
      ownBranch: 'conductor/run-1',
      protectedBranches: ['main', 'master', 'release/*'],
    });
    expect(found.map(formatViolation)).toEqual(violations);
  });
});

describe('approvalsFor', () => {
  const POLICY = { approval_paths: ['ci/**', '**/*.pem', 'hooks'], forbidden_paths: ['ci/locked/**'] };

  it.each<readonly [string, readonly FileChange[], readonly string[]]>([
    ['a path that no glob covers', [change('src/a.ts')], []],
    ['an edited file', [change('ci/test.yml')], ['ci/test.yml by ci/**']],
    ['an added file', [change('a/b.pem', { status: 'A' })], ['a/b.pem by **/*.pem']],
    ['a deleted file', [change('ci/test.yml', { status: 'D' })], ['ci/test.yml by ci/**']],
    ['a plain name, which covers what is below', [change('hooks/pre-push')], ['hooks/pre-push by hooks']],
    [
      'both ends of a rename',
      [change('ci/b.yml', { status: 'R', oldPath: 'ci/a.yml' })],
      ['ci/a.yml by ci/**', 'ci/b.yml by ci/**'],
    ],
    [
      'the end of a rename that is left',
      [change('b.yml', { status: 'R', oldPath: 'ci/a.yml' })],
      ['ci/a.yml by ci/**'],
    ],
    ['a path that is forbidden as well: no approval helps', [change('ci/locked/x')], []],
    ["git's own folder", [change('.git/hooks.pem')], []],
    ['the same path twice', [change('ci/a'), change('ci/a')], ['ci/a by ci/**']],
  ])('asks about %s', (_name, changes, expected) => {
    expect(listApprovals(policyOf(POLICY), changes).map(({ path, glob }) => `${path} by ${glob}`)).toEqual(
      expected,
    );
  });

  it('is never a violation', () => {
    expect(checkFiles(policyOf(POLICY), [change('ci/test.yml'), change('x.pem')])).toEqual([]);
  });
});
