import { describe, expect, it } from 'vitest';
import type { Operation, PolicyOverride } from '../../../../src/contracts/documents/policy.ts';
import { checkLine } from './check-line.ts';

const forbidding = (...operations: Operation[]): PolicyOverride => ({ forbidden_operations: operations });

const OPERATIONS: readonly (readonly [Operation, readonly string[], readonly string[]])[] = [
  [
    'commit',
    [
      'git commit -m x',
      'git commit --amend --no-edit',
      'git -c user.name=x commit -m x',
      'git merge topic',
      'git cherry-pick abc',
      'git revert HEAD',
      'git rebase topic',
      'git am < a.patch',
      'git stash',
      'git stash pop',
      'git tag v1',
      'git branch topic',
      'git commit-tree abc',
      'env git commit -m x',
      'git -c alias.ci=commit ci -m x',
      "git -c 'alias.x=!git commit' x",
      "sh -c 'git commit -m x'",
      'eval git commit -m x',
      "alias ci='git commit -m x'\nci",
      'x=commit; git $x -m y',
      'echo $(git commit -m x)',
      'watch git commit -m x',
      'f() { git "$@"; }; f commit -m x',
      'if true; then git commit -m x; fi',
      '((n++)); git commit -m x',
      'echo "unclosed; git commit -m x\ngit commit -m x',
    ],
    [
      'git commit --dry-run',
      'git merge --abort',
      'git stash list',
      'git tag',
      'git tag -l "v*"',
      'git branch',
      'git branch -a',
      'git log',
      'git add .',
      'git merge-base a b',
      'echo git commit',
    ],
  ],
  [
    'push',
    [
      'git push',
      'git -C . push',
      'git push --dry-run origin topic',
      'git send-pack x',
      'git subtree push --prefix=a b c',
      'git lfs push origin topic',
    ],
    ['git fetch', 'git stash list', "git log --grep='push'"],
  ],
  [
    'force',
    [
      'git push -f',
      'git push --force-with-lease',
      'git push origin +topic',
      'git push origin :topic',
      'git push origin --delete topic',
      'git reset --hard HEAD~1',
      'git checkout -f',
      'git branch -D topic',
      'git branch -f topic HEAD',
      'git tag -d v1',
      'git update-ref refs/heads/topic abc',
      'git filter-branch x',
      'git reflog expire --all',
      'git commit --amend',
    ],
    ['git push', 'git reset HEAD a', 'git reset --soft HEAD~1', 'git reflog', 'rm -f a', 'git add -f a'],
  ],
  [
    'branch_switch',
    [
      'git checkout topic',
      'git checkout -b topic',
      'git checkout HEAD~1',
      'git checkout --detach',
      'git checkout topic --',
      'git switch topic',
      'git switch -c topic',
      'git symbolic-ref HEAD refs/heads/topic',
      'git worktree add x topic',
      'git bisect start',
      'git stash branch topic',
    ],
    [
      'git checkout -- src/a.ts',
      'git checkout HEAD~1 -- src/a.ts',
      'git checkout .',
      'git checkout src/a.ts',
      'git checkout HEAD~1 src/a',
      'git restore src/a.ts',
      'git symbolic-ref HEAD',
      'git worktree list',
      'git log topic',
    ],
  ],
  [
    'delete',
    [
      'git rm a',
      'git clean -fd',
      'rm a',
      'rmdir a',
      'unlink a',
      'shred a',
      'npx rimraf a',
      'find . -exec rm {} +',
      'find -name x -delete',
      'find -L src -name x -delete',
    ],
    ['git rm --cached a', 'git clean -n', 'git rm -n a', 'mv a b'],
  ],
  [
    'dependency_change',
    [
      'npm install lodash',
      'npm i -D lodash',
      'npm --prefix x install lodash',
      'npm uninstall lodash',
      'npm update',
      'npm audit fix',
      'npm pkg set a=b',
      'yarn add lodash',
      'pnpm add lodash',
      'pnpm install lodash',
      'bun add lodash',
      'pip install requests',
      'pip3 install -U requests',
      'python3 -m pip install requests',
      'uv add requests',
      'poetry add requests',
      'cargo add serde',
      'cargo update',
      'go get x',
      'go mod tidy',
      'gem install x',
      'bundle update',
      'composer require x',
      'dotnet add package x',
      'timeout 60 npm install lodash',
    ],
    [
      'npm install',
      'npm ci',
      'npm test',
      'npm ls',
      'npm audit',
      'yarn install',
      'pip install -r requirements.txt',
      'pip install -e .',
      'pip list',
      'cargo build',
      'go build ./...',
      'go mod download',
      'npm install --help',
      'poetry install',
    ],
  ],
];

describe.each(OPERATIONS)('where %s is forbidden', (operation, refused, allowed) => {
  it.each(refused)('%j is refused', (line) => {
    const found = checkLine(forbidding(operation), line);
    expect(found.includes('forbidden_operation') || found.includes('native_policy_block')).toBe(true);
  });

  it.each(allowed)('%j is allowed', (line) => {
    expect(checkLine(forbidding(operation), line)).toEqual([]);
  });
});

describe('a command of git that the line does not name', () => {
  it.each(['git $x', 'git ci', 'git "$@"'])('%j is refused under a policy with commands alone', (line) => {
    expect(checkLine(forbidding('commit'), line)).toEqual([]);
    expect(checkLine({ ...forbidding('commit'), commands: { deny: ['deploy'] } }, line)).toEqual([
      'native_policy_block',
    ]);
  });
});

describe('where nothing may be written', () => {
  it.each([
    'git apply p.patch',
    'git checkout -- a',
    'git restore a',
    'git reset --hard',
    'git stash',
    'git merge topic',
    'patch -p1 < p',
    'echo x > a',
    'find -name x -delete',
  ])('%j is refused', (line) => {
    expect(checkLine({ execution: 'read_only' }, line)).toEqual(['forbidden_operation']);
  });

  it.each([
    'git log',
    'git status',
    'git apply --check p.patch',
    'git stash list',
    'git reset HEAD a',
    'npm test',
  ])('%j is allowed', (line) => {
    expect(checkLine({ execution: 'read_only' }, line)).toEqual([]);
  });
});

describe('operations that are not forbidden', () => {
  it.each([
    'git commit -m x',
    'git push origin topic',
    'git checkout -b topic',
    'git reset --hard',
    'rm -rf dist',
    'npm install lodash',
    'git st',
    "alias g='git status'\ng",
  ])('%j is allowed', (line) => {
    expect(checkLine({}, line)).toEqual([]);
  });
});

describe('protected branches', () => {
  it.each([
    'git branch -f main HEAD',
    'git branch -D master',
    'git branch -m main old',
    'git branch main',
    'git branch -f release/1.0 HEAD',
    'git update-ref refs/heads/main abc',
    'git update-ref -d refs/heads/main',
    'git push origin HEAD:heads/main',
    'git push origin main',
    'git push origin HEAD:main',
    'git push . +topic:refs/heads/main',
    'git push origin :main',
    'git fetch origin main:main',
    'git checkout -B main',
    'git switch -C main',
    'git rebase topic main',
    'git worktree add -B main wt',
  ])('%j would move one', (line) => {
    expect(checkLine({}, line)).toEqual(['protected_branch_violation']);
  });

  it.each([
    'git push --all origin',
    'git push --mirror',
    'git push origin :',
    "git push origin 'refs/heads/*'",
    "git fetch origin '+refs/heads/*:refs/heads/*'",
  ])('%j would move all', (line) => {
    expect(checkLine({}, line)).toEqual(['native_policy_block']);
  });

  it.each([
    'git push origin "$b"',
    'git branch -f "$b" HEAD',
    'git update-ref --stdin',
    'git fast-import < x',
  ])('%j may move one, which is refused under a policy with commands', (line) => {
    expect(checkLine({}, line)).toEqual([]);
    expect(checkLine({ commands: { deny: ['deploy'] } }, line)).toEqual(['native_policy_block']);
  });

  it.each([
    'b=main; git push origin "$b"',
    'for b in topic main; do git branch -f "$b" HEAD; done',
    "bash -c 'git branch -f main HEAD'",
  ])('%j would move one by a name in the line', (line) => {
    expect(checkLine({}, line)).toEqual(['protected_branch_violation']);
  });

  it.each([
    'git branch topic main',
    'git diff main...HEAD',
    'git push origin main:topic',
    'git fetch origin main',
    'git log main',
    'git branch --list main',
  ])('%j does not', (line) => {
    expect(checkLine({}, line)).toEqual([]);
  });
});

describe('where the network is denied', () => {
  it.each([
    'curl http://x',
    'wget http://x',
    'ssh host',
    'nc host 80',
    'gh pr list',
    'git fetch',
    'git pull',
    'git push',
    'git clone http://x y',
    'git ls-remote',
    'git submodule update --init',
    'npm install',
    'npm ci',
    'npm view lodash',
    'yarn',
    'pip install -r requirements.txt',
    'cargo fetch',
    'go mod download',
    'apt-get install x',
    'rsync host:a b',
    'timeout 5 curl x',
    'xargs curl',
    'echo x > /dev/tcp/host/80',
    'cat < /dev/tcp/host/80',
    'npm test && curl x',
  ])('%j is refused', (line) => {
    expect(checkLine({ network: 'deny' }, line)).toContain('network_violation');
  });

  it.each([
    'npm test',
    'npm run build',
    'git status',
    'git log',
    'rsync -a a b',
    'cargo build',
    'echo curl x',
    "grep 'curl' a",
    'npm --version',
    'yarn test',
    'yarn --version',
  ])('%j is allowed', (line) => {
    expect(checkLine({ network: 'deny' }, line)).toEqual([]);
  });

  it('and nowhere else', () => {
    expect(checkLine({ network: 'allow' }, 'curl http://x')).toEqual([]);
  });
});
