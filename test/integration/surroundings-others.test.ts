import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitAt } from '../../testing/git-repo.ts';
import { type Run, startRun, temporaryFolder, testRepo } from './git-workspace-fixture.ts';
import { lookWhile, told } from './look-while.ts';

const LOCAL_CLONES = ['-c', 'protocol.file.allow=always'];

const gitFile = (run: Run, path: string) => join(run.repo.root, '.git', path);

describe('the worktree of another run', () => {
  it.each([
    ['has no files but its place yet', { gitdir: '/elsewhere/.git\n' }],
    [
      'is being filled',
      { gitdir: '/elsewhere/.git\n', commondir: '../..\n', HEAD: 'ref: x\n', locked: 'initializing' },
    ],
  ])('is left alone when it %s as the step begins', async (_says, files) => {
    const run = await startRun();
    const folder = gitFile(run, 'worktrees/other');
    await mkdir(folder);
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const { settled } = await lookWhile(run, async () => {
      await writeFile(join(folder, 'commondir'), '../..\n');
      await writeFile(join(folder, 'config.worktree'), '');
      await rm(join(folder, 'locked'), { force: true });
    });
    expect(told(settled.changes)).toEqual([]);
    expect(await readFile(join(folder, 'commondir'), 'utf8')).toBe('../..\n');
    expect(existsSync(join(folder, 'config.worktree'))).toBe(true);
    await rm(folder, { recursive: true });
  });

  it('is not brought back when git is still at removing it as the step ends', async () => {
    const run = await startRun();
    const folder = gitFile(run, 'worktrees/other');
    await mkdir(folder);
    for (const [name, text] of [
      ['gitdir', '/elsewhere/.git\n'],
      ['commondir', '../..\n'],
    ] as const)
      await writeFile(join(folder, name), text);
    const { settled } = await lookWhile(run, async () => {
      await rm(join(folder, 'commondir'));
      spawn('sh', ['-c', `sleep 0.3; rm -r '${folder}'`]);
    });
    expect(told(settled.changes)).toEqual([]);
    expect(existsSync(folder)).toBe(false);
  });
});

describe("the run's own worktree", () => {
  it('can be worked in again after a step took its part of the git folder away', async () => {
    const run = await startRun();
    const { settled } = await lookWhile(run, async () => {
      await rm(gitFile(run, 'worktrees/r1'), { recursive: true });
      await run.write('new.txt', 'new\n');
    });
    expect(told(settled.changes)).toEqual([
      'git_files deleted .git/worktrees/r1/commondir',
      'git_files deleted .git/worktrees/r1/gitdir',
    ]);
    await run.workspaces.restore(run.run, { kind: 'base' }, 'a@1');
    expect(existsSync(run.path('new.txt'))).toBe(false);
    expect(await run.git('status', '--porcelain', '--branch')).toBe('## conductor/run/demo/r1\n');
  });

  it('is found again with its files when that happened before a conductor died', async () => {
    const run = await startRun();
    await run.write('new.txt', 'new\n');
    await rm(gitFile(run, 'worktrees/r1'), { recursive: true });
    await run.workspaces.reopen(run.run, null);
    const { commit } = await run.workspaces.snapshot(run.run, 'a@1');
    expect(await run.repo.git('show', `${commit}:new.txt`)).toBe('new\n');
  });

  it('is looked at without waiting for a pipe in the place of its link to the repository', async () => {
    const run = await startRun();
    const { settled } = await lookWhile(run, async () => {
      await rm(run.path('.git'));
      await gitAt(run.repo.root, '-c', `alias.pipe=!mkfifo '${run.path('.git')}'`, 'pipe');
    });
    expect(told(settled.changes)).toEqual(['git_files changed .git']);
  });
});

describe('a submodule of the checkout', () => {
  const start = () =>
    startRun(undefined, async (repo) => {
      const other = await testRepo({ files: { 's.txt': 'inside\n' } });
      await repo.git(...LOCAL_CLONES, 'submodule', 'add', '--quiet', other.root, 'sub');
      await repo.git('commit', '--quiet', '--message=submodule');
    });

  it('is looked at as the rest of it', async () => {
    const run = await start();
    const path = join(run.repo.root, 'sub', 's.txt');
    const { observed } = await lookWhile(run, () => writeFile(path, 'changed\n'));
    expect(told(observed.outside)).toEqual(['checkout changed sub/s.txt']);
    await writeFile(path, 'inside\n');
  });

  it('has its hooks and configuration put back, and no filter of it is run', async () => {
    const run = await start();
    const proof = join(await temporaryFolder(), 'proof');
    const sub = join(run.repo.root, 'sub');
    const past = new Date('2020-01-01T00:00:00Z');
    const { settled } = await lookWhile(run, async () => {
      await gitAt(sub, 'config', 'filter.x.clean', `touch '${proof}'; cat`);
      await writeFile(gitFile(run, 'modules/sub/info/attributes'), '* filter=x\n');
      await writeFile(gitFile(run, 'modules/sub/hooks/post-commit'), 'exit 0\n');
      await utimes(join(sub, 's.txt'), past, past);
    });
    expect(told(settled.changes)).toEqual([
      'git_files created .git/modules/sub/hooks/post-commit',
      'git_files created .git/modules/sub/info/attributes',
      'git_files changed .git/modules/sub/config',
    ]);
    expect(existsSync(proof)).toBe(false);
    expect(existsSync(gitFile(run, 'modules/sub/hooks/post-commit'))).toBe(false);
  });
});

describe('the checkout', () => {
  it('is looked at without running a filter of the configuration', async () => {
    const proof = join(await temporaryFolder(), 'proof');
    const run = await startRun(undefined, async (repo) => {
      await repo.git('config', 'filter.x.clean', `touch '${proof}'; cat`);
      await writeFile(join(repo.root, '.git/info/attributes'), 'README.md filter=x\n');
    });
    const past = new Date('2020-01-01T00:00:00Z');
    // Whoever looked before this with a git of their own may have run it.
    await rm(proof, { force: true });
    await lookWhile(run, () => utimes(join(run.repo.root, 'README.md'), past, past));
    expect(existsSync(proof)).toBe(false);
  });

  it('is looked at for ignored files that the policy forbids, and for no others', async () => {
    const run = await startRun();
    const { observed } = await lookWhile(run, async () => {
      await run.repo.write('secret.log', 'stolen\n');
      await run.repo.write('node_modules/a/debug.log', 'many\n');
    });
    expect(told(observed.outside)).toEqual(['checkout created secret.log']);
    await rm(join(run.repo.root, 'secret.log'));
    await rm(join(run.repo.root, 'node_modules'), { recursive: true });
  });
});

describe('what git keeps for itself', () => {
  it('is not held against a step when git clears up', async () => {
    const run = await startRun();
    const { settled } = await lookWhile(run, () => run.repo.git('gc', '--quiet'));
    expect(told(settled.changes)).toEqual([]);
  });

  it('is told when snapshots are gone for good', async () => {
    const run = await startRun();
    const { observed } = await lookWhile(run, async () => {
      await run.git('update-ref', '-d', 'refs/conductor/r1/a@1');
      await run.git('gc', '--quiet', '--prune=now');
    });
    expect(told(observed.outside)).toEqual(['own_ref deleted refs/conductor/r1/a@1']);
    expect(observed.outside[0]?.putBack).toBe(false);
  });

  it("is looked at in the home folder too, where a list of ignored files would hide a step's own", async () => {
    const home = await temporaryFolder();
    const run = await startRun();
    const act = async () => {
      await mkdir(join(home, '.config/git'), { recursive: true });
      await writeFile(join(home, '.config/git/ignore'), 'evil.txt\n');
    };
    const { observed } = await lookWhile(run, act, { home });
    expect(told(observed.outside)).toEqual(['home created ~/.config/git/ignore']);
  });
});
