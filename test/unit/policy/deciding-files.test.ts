import { describe, expect, it } from 'vitest';
import { decidingFiles, decidingKind, foldByFolder } from '../../../src/policy/files/deciding-files.ts';
import { change } from './policy-builder.ts';

describe('what a file decides', () => {
  it.each([
    ['test/cart.test.ts', 'test'],
    ['src/cart.spec.ts', 'test'],
    ['tests/test_cart.py', 'test'],
    ['pkg/cart_test.go', 'test'],
    ['src/test/java/CartTest.java', 'test'],
    ['__snapshots__/a.snap', 'test'],
    ['vitest.config.ts', 'check_configuration'],
    ['conftest.py', 'check_configuration'],
    ['eslint.config.js', 'check_configuration'],
    ['tsconfig.json', 'check_configuration'],
    ['.golangci.yml', 'check_configuration'],
    ['.npmrc', 'check_configuration'],
    ['.env.test', 'check_configuration'],
    ['Makefile', 'script'],
    ['scripts/check.mjs', 'script'],
    ['tools/build.sh', 'script'],
    ['Dockerfile', 'script'],
    ['justfile', 'script'],
    ['package.json', 'dependencies'],
    ['package-lock.json', 'dependencies'],
    ['web/yarn.lock', 'dependencies'],
    ['go.sum', 'dependencies'],
    ['Cargo.lock', 'dependencies'],
    ['uv.lock', 'dependencies'],
    ['pyproject.toml', 'dependencies'],
    ['.github/workflows/ci.yml', 'ci'],
    ['.gitlab-ci.yml', 'ci'],
    ['.husky/pre-commit', 'git_hook'],
    ['.pre-commit-config.yaml', 'git_hook'],
    ['AGENTS.md', 'agent_instructions'],
    ['web/CLAUDE.md', 'agent_instructions'],
    ['.claude/settings.json', 'agent_instructions'],
    ['.vscode/tasks.json', 'agent_instructions'],
    ['deploy/server.pem', 'secret'],
    ['src/cart.ts', null],
    ['README.md', null],
    ['src/latest/index.ts', null],
    ['docs/testing.md', null],
  ])('%s: %s', (path, kind) => {
    expect(decidingKind(path, null)).toBe(kind);
  });

  it('goes by `tests` of the configuration', () => {
    expect(decidingKind('checks/a.ts', ['checks/**'])).toBe('test');
    expect(decidingKind('test/a.test.ts', ['checks/**'])).toBeNull();
  });

  it('is listed by kind, with both ends of renames and what the policy asks about', () => {
    const changes = [
      change('.github/ci.yml', { status: 'A' }),
      change('api/v1.json'),
      change('src/a.ts'),
      change('src/moved.ts', { status: 'R', oldPath: 'test/a.test.ts' }),
      change('test/b.test.ts', { status: 'D' }),
    ];
    expect(
      decidingFiles(changes, null, new Set(['api/v1.json'])).map(
        ({ change: { path }, kind }) => `${kind} ${path}`,
      ),
    ).toEqual(['test src/moved.ts', 'test test/b.test.ts', 'ci .github/ci.yml', 'approval api/v1.json']);
  });
});

describe('foldByFolder', () => {
  it('counts files and lines by folder, largest first', () => {
    const changes = [
      change('src/a/x.ts', { insertions: 3, deletions: 1 }),
      change('src/a/y.ts', { insertions: 2, deletions: 0 }),
      change('README.md', { insertions: null, deletions: null }),
    ];
    expect(foldByFolder(changes)).toEqual([
      { folder: 'src/a/', files: 2, insertions: 5, deletions: 1 },
      { folder: '', files: 1, insertions: 0, deletions: 0 },
    ]);
  });

  it('joins folders by the first parts of their paths if there are many', () => {
    const many = Array.from({ length: 40 }, (_, at) => change(`src/deep/f${at}/x.ts`));
    expect(foldByFolder(many)).toMatchObject([{ folder: 'src/deep/', files: 40 }]);
    expect(foldByFolder([...many, change('docs/a.md')])).toMatchObject([
      { folder: 'src/deep/', files: 40 },
      { folder: 'docs/', files: 1 },
    ]);
  });
});
