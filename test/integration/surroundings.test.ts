import { appendFile, chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitAt } from '../../testing/git-repo.ts';
import { FILES, listFiles, type Run, startRun, temporaryFolder } from './git-workspace-fixture.ts';
import { lookWhile, told } from './look-while.ts';

const gitFile = (run: Run, path: string) => join(run.repo.root, '.git', path);

describe("git's own files", () => {
  it('are put back to the byte and the mode, and what was made of them is kept', async () => {
    const run = await startRun(undefined, async ({ root }) => {
      await writeFile(join(root, '.git/hooks/post-commit'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
      await symlink('post-commit', join(root, '.git/hooks/linked'));
    });
    const config = await readFile(gitFile(run, 'config'), 'utf8');
    const hooks = await listFiles(gitFile(run, 'hooks'));
    const { settled } = await lookWhile(run, async () => {
      await run.git('config', 'core.pager', 'evil');
      await writeFile(gitFile(run, 'hooks/pre-push'), 'evil\n', { mode: 0o755 });
      await chmod(gitFile(run, 'hooks/post-commit'), 0o644);
      await rm(gitFile(run, 'hooks/linked'));
      await appendFile(gitFile(run, 'info/exclude'), 'secret\n');
      await writeFile(gitFile(run, 'objects/info/alternates'), '/elsewhere\n');
    });
    expect(told(settled.changes).sort()).toEqual([
      'git_files changed .git/config',
      'git_files changed .git/hooks/post-commit',
      'git_files changed .git/info/exclude',
      'git_files created .git/hooks/pre-push',
      'git_files created .git/objects/info/alternates',
      'git_files deleted .git/hooks/linked',
    ]);
    expect(settled.changes.every(({ putBack }) => putBack)).toBe(true);
    const kept = settled.displaced.find(({ path }) => path === 'config');
    expect(new TextDecoder().decode(kept?.content)).toContain('pager = evil');
    expect(await readFile(gitFile(run, 'config'), 'utf8')).toBe(config);
    expect(await listFiles(gitFile(run, 'hooks'))).toEqual(hooks);
  });

  it('come back where a folder was put in the place of one, or a link in that of a folder', async () => {
    const run = await startRun();
    const hooks = await listFiles(gitFile(run, 'hooks'));
    const { settled } = await lookWhile(run, async () => {
      await rm(gitFile(run, 'config'));
      await mkdir(gitFile(run, 'config'));
      await writeFile(gitFile(run, 'config/x'), '');
      await rm(gitFile(run, 'hooks'), { recursive: true });
      await symlink('/tmp', gitFile(run, 'hooks'));
    });
    expect(settled.changes.every(({ putBack }) => putBack)).toBe(true);
    expect(await listFiles(gitFile(run, 'hooks'))).toEqual(hooks);
  });

  it('are left to a person who makes a branch that follows a known remote', async () => {
    const run = await startRun(undefined, async (repo) => {
      await repo.git('remote', 'add', 'origin', repo.root);
      await repo.git('config', 'branch.mine.remote', 'origin');
    });
    const { settled } = await lookWhile(run, () => run.repo.git('config', 'branch.main.remote', 'origin'));
    expect(told(settled.changes)).toEqual(['git_files changed .git/config excused']);
    expect(await run.repo.git('config', 'branch.main.remote')).toBe('origin\n');
    await run.repo.git('config', '--remove-section', 'branch.main');
  });

  it('are not left to somebody who makes a branch follow a place of their own', async () => {
    const run = await startRun();
    const { settled } = await lookWhile(run, () =>
      run.git('config', 'branch.main.pushRemote', '/tmp/theirs'),
    );
    expect(told(settled.changes)).toEqual(['git_files changed .git/config']);
  });

  it('of other worktrees may come and go, but not change', async () => {
    const run = await startRun();
    const other = join(await temporaryFolder(), 'other');
    await run.repo.git('worktree', 'add', '--quiet', '--detach', other);
    const { settled } = await lookWhile(run, async () => {
      await run.repo.git('worktree', 'add', '--quiet', '--detach', `${other}-2`);
      await writeFile(gitFile(run, 'worktrees/other/commondir'), '/elsewhere\n');
    });
    expect(told(settled.changes)).toEqual(['git_files changed .git/worktrees/other/commondir']);
    for (const path of [other, `${other}-2`]) await run.repo.git('worktree', 'remove', '--force', path);
  });
});

describe("the user's checkout", () => {
  const undo = async ({ repo }: Run, path: string) => {
    if (path === 'README.md') await repo.write(path, FILES[path]);
    else await rm(join(repo.root, path));
  };

  it.each([
    ['a file that is written', 'new.txt', 'checkout created new.txt'],
    ['a tracked file that is edited', 'README.md', 'checkout changed README.md'],
  ])('shows %s', async (_what, path, expected) => {
    const run = await startRun();
    const { observed } = await lookWhile(run, () => run.repo.write(path, 'evil\n'));
    expect(told(observed.outside)).toEqual([expected]);
    await undo(run, path);
  });

  it('shows a file that is deleted, and work that was not committed', async () => {
    const run = await startRun(undefined, (repo) => repo.write('draft.txt', 'mine\n'));
    const { observed } = await lookWhile(run, async () => {
      await rm(join(run.repo.root, 'README.md'));
      await run.repo.write('draft.txt', 'gone\n');
    });
    expect(told(observed.outside)).toEqual(['checkout deleted README.md', 'checkout changed draft.txt']);
    await undo(run, 'README.md');
  });

  it('shows nothing when a person stages what was there, and excuses what came with a commit', async () => {
    const run = await startRun(undefined, (repo) => repo.write('draft.txt', 'mine\n'));
    const base = (await run.repo.git('rev-parse', 'HEAD')).trim();
    const staged = await lookWhile(run, () => run.repo.git('add', 'draft.txt'));
    expect(told(staged.observed.outside)).toEqual([]);
    await run.repo.git('commit', '--quiet', '--message=more');
    await run.repo.write('draft.txt', 'edited\n');
    const { observed } = await lookWhile(run, () => run.repo.git('reset', '--quiet', '--hard', base));
    expect(told(observed.outside)).toEqual(['checkout deleted draft.txt excused']);
    await run.repo.write('draft.txt', 'mine\n');
  });

  it('is the affair of others when the step was shut in', async () => {
    const run = await startRun();
    const { observed } = await lookWhile(run, () => run.repo.write('new.txt', 'mine\n'), { shutIn: true });
    expect(told(observed.outside)).toEqual(['checkout created new.txt excused']);
    await undo(run, 'new.txt');
  });
});

describe('a HEAD', () => {
  it.each([
    ['of the repository', '.git/HEAD'],
    ['of the worktree', '.git/worktrees/r1/HEAD'],
  ])('%s that git can not read any more is put back and told', async (_name, path) => {
    const run = await startRun();
    const file = join(run.repo.root, path);
    const before = await readFile(file, 'utf8');
    const { settled } = await lookWhile(run, () => writeFile(file, 'junk\n'));
    expect(settled.changes).toMatchObject([
      { place: 'git_files', verb: 'changed', subject: path, putBack: true },
    ]);
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  it('that names another branch is no file that was tampered with', async () => {
    const run = await startRun();
    const { settled } = await lookWhile(run, () => run.repo.git('checkout', '--quiet', '-b', 'mine'));
    expect(settled.changes).toEqual([]);
    await run.repo.git('checkout', '--quiet', 'main');
    await run.repo.git('branch', '-D', 'mine');
  });
});

describe('what else can be seen', () => {
  it('is what lies behind a link, and a link that leads out', async () => {
    const outside = await temporaryFolder();
    await writeFile(join(outside, 'a'), 'a\n');
    const run = await startRun(undefined, async (repo) => {
      await symlink(outside, join(repo.root, 'way'));
      await symlink('README.md', join(repo.root, 'inner'));
      await repo.git('add', 'way', 'inner');
      await repo.git('commit', '--quiet', '--message=links');
    });
    const { observed } = await lookWhile(run, async () => {
      await run.write('way/a', 'evil\n');
      await symlink('src', run.path('harmless'));
      await symlink('../../..', run.path('out'));
    });
    expect(told(observed.outside)).toEqual([
      'behind_link changed way/a',
      `link created out -> ${run.repo.root}`,
    ]);
  });

  it('is nothing where a link itself is taken away, or leads above the worktree', async () => {
    const outside = await temporaryFolder();
    await writeFile(join(outside, 'a'), 'a\n');
    const run = await startRun(undefined, async (repo) => {
      await symlink(outside, join(repo.root, 'way'));
      await symlink('../..', join(repo.root, 'up'));
      await repo.git('add', 'way', 'up');
      await repo.git('commit', '--quiet', '--message=links');
    });
    const { observed } = await lookWhile(run, async () => {
      await rm(run.path('way'));
      await run.write('way', 'a file now\n');
      await run.write('README.md', 'seen through the other link too\n');
    });
    expect(told(observed.outside)).toEqual([]);
  });

  it('is a record that changes, and not the runs that begin and end meanwhile', async () => {
    const run = await startRun();
    const record = (path: string) => join(run.repo.root, '.tnh', 'run', path);
    const put = async (path: string, text: string) => {
      await mkdir(join(record(path), '..'), { recursive: true });
      await writeFile(record(path), text);
    };
    await put('r0/final-state.txt', 'completed success completed\n');
    await put('r2/workflow.yaml', 'a\n');
    await put('r1/artifacts/earlier/final.md', 'true\n');
    const { observed } = await lookWhile(run, async () => {
      await put('r3/workflow.yaml', 'begun\n');
      await put('r2/final-state.txt', 'ended\n');
      await put('r0/final-state.txt', 'forged\n');
      await put('r1/artifacts/earlier/final.md', 'forged\n');
      await put('r1/artifacts/gate/gate_outcome.json', '{}\n');
      await put('r1/artifacts/a/transcript.txt', 'its own\n');
    });
    expect(told(observed.outside).sort()).toEqual([
      'record changed r0/final-state.txt',
      'record changed r1/artifacts/earlier/final.md',
      'record created r1/artifacts/gate/gate_outcome.json',
    ]);
  });

  it('is a start-up file of the home folder', async () => {
    const home = await temporaryFolder();
    const run = await startRun();
    const { observed } = await lookWhile(run, () => writeFile(join(home, '.bashrc'), 'evil\n'), { home });
    expect(told(observed.outside)).toEqual(['home created ~/.bashrc']);
  });

  it('is a file that git ignores, if somebody has a rule about it, also when the agent adds it', async () => {
    const run = await startRun({ files: FILES });
    await run.write('old.log', 'old\n');
    const { observed } = await lookWhile(run, async () => {
      await run.write('new.log', 'x\n');
      await run.git('add', '--force', 'new.log');
      await rm(run.path('old.log'));
      await run.write('node_modules/a.js', 'x\n');
    });
    expect(observed.ignoredChanges.map(({ status, path }) => `${status} ${path}`)).toEqual([
      'A new.log',
      'D old.log',
    ]);
  });

  it('is that the snapshots of the run were deleted, and they are there again', async () => {
    const run = await startRun();
    const { observed } = await lookWhile(run, () => run.git('update-ref', '-d', 'refs/conductor/r1/a@1'));
    expect(told(observed.outside)).toEqual(['own_ref deleted refs/conductor/r1/a@1']);
    expect(await run.sha('refs/conductor/r1/a@1')).toMatch(/^[0-9a-f]{40}$/);
  });
});

describe('a ref that moved', () => {
  it('has its old value under a salvage ref, the first one where it moved twice', async () => {
    const run = await startRun(undefined, (repo) => repo.git('branch', 'topic'));
    const first = await run.sha('topic');
    const moveBy = (message: string) => async () => {
      const commit = await run.git('commit-tree', '-m', message, 'HEAD^{tree}');
      await run.git('update-ref', 'refs/heads/topic', commit.trim());
    };
    const once = await lookWhile(run, moveBy('one'));
    const second = await run.sha('topic');
    const twice = await lookWhile(run, moveBy('two'));
    expect(once.observed.rewritten).toEqual(['refs/heads/topic']);
    expect(once.observed.salvaged).toEqual([
      { ref: 'refs/conductor/salvage/r1/refs/refs/heads/topic', commit: first },
    ]);
    expect(twice.observed.salvaged).toEqual([
      { ref: 'refs/conductor/r1/moved/a@1/refs/heads/topic', commit: second },
    ]);
    await run.repo.git('update-ref', 'refs/heads/topic', first);
  });

  it('by a push is told, with the ref of the remote where that is on this machine', async () => {
    const remote = join(await temporaryFolder(), 'remote.git');
    await gitAt('/', 'init', '--quiet', '--bare', remote);
    const run = await startRun(undefined, async (repo) => {
      await repo.git('remote', 'add', 'origin', remote);
    });
    const { observed } = await lookWhile(run, () =>
      run.git('push', '--quiet', 'origin', 'HEAD:refs/heads/x'),
    );
    expect(observed.pushed).toEqual(['refs/remotes/origin/x']);
    expect(told(observed.outside)).toEqual(['remote_ref created origin refs/heads/x']);
    await run.repo.git('update-ref', '-d', 'refs/remotes/origin/x');
  });
});
