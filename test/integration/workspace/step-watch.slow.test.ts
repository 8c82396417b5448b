import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { listFiles, makeWitness, type Run, startRun, temporaryFolder } from './fixture.ts';
import { describeChanges, watchWhile } from './watch-while.ts';

const exec = promisify(execFile);

describe('control files of the workspace', () => {
  it.each<[string, (run: Run, script: string) => Promise<unknown>, readonly string[]]>([
    [
      'a hook',
      async ({ path }, script) => {
        await mkdir(path('.git/hooks'));
        for (const name of ['pre-commit', 'post-checkout', 'reference-transaction', 'post-index-change'])
          await writeFile(path(`.git/hooks/${name}`), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      },
      [
        'created .git/hooks/post-checkout, restored',
        'created .git/hooks/post-index-change, restored',
        'created .git/hooks/pre-commit, restored',
        'created .git/hooks/reference-transaction, restored',
      ],
    ],
    [
      'a filter for all files',
      async ({ git, path }, script) => {
        for (const key of ['clean', 'smudge', 'process']) await git('config', `filter.x.${key}`, script);
        await appendFile(path('.git/info/attributes'), '* filter=x\n');
      },
      ['changed .git/config, restored', 'changed .git/info/attributes, restored'],
    ],
    [
      'a monitor, a pager and an alias',
      async ({ git }, script) => {
        await git('config', 'core.fsmonitor', script);
        await git('config', 'core.pager', script);
        await git('config', 'alias.status', `!${script}`);
      },
      ['changed .git/config, restored'],
    ],
    [
      'an include behind a harmless section',
      async ({ path }, script) => {
        await writeFile(path('.git/evil'), `[core]\n\tfsmonitor = ${script}\n`);
        await appendFile(path('.git/config'), '[user][include]\n\tpath = evil\n');
      },
      ['changed .git/config, restored'],
    ],
    [
      'alternates and ignore rules',
      async ({ path }) => {
        await writeFile(path('.git/objects/info/alternates'), '/elsewhere\n');
        await appendFile(path('.git/info/exclude'), '*\n');
      },
      ['changed .git/info/exclude, restored', 'changed .git/objects/info/alternates, restored'],
    ],
    [
      'links in the place of files and folders',
      async ({ path }) => {
        const elsewhere = await temporaryFolder();
        await writeFile(join(elsewhere, 'pre-commit'), 'evil\n');
        await symlink(elsewhere, path('.git/hooks'));
        await rm(path('.git/config'));
        await symlink('/dev/null', path('.git/config'));
      },
      ['changed .git/config, restored', 'created .git/hooks, restored'],
    ],
    [
      'another repository behind the checkout',
      async ({ path }) => {
        await writeFile(path('.git/commondir'), '/elsewhere\n');
        await writeFile(path('.git/config.worktree'), '[core]\n\tbare = true\n');
        await writeFile(path('.git/shallow'), '');
      },
      [
        'created .git/commondir, restored',
        'created .git/config.worktree, restored',
        'created .git/shallow, restored',
      ],
    ],
    [
      'a promisor remote, which makes git start a program for a missing object',
      async ({ git, path, run }, script) => {
        await git('config', 'core.repositoryformatversion', '1');
        await git('config', 'extensions.partialClone', 'evil');
        await git('config', 'remote.evil.url', '/tmp');
        await git('config', 'remote.evil.uploadpack', script);
        await writeFile(path(`.git/refs/heads/main`), `${'1'.repeat(run.baseSha.length)}\n`);
      },
      ['changed .git/config, restored'],
    ],
  ])('are restored, reported and never used: %s', async (_, act, expected) => {
    const { script, trace } = await makeWitness();
    const run = await startRun({ files: { 'README.md': '# hello\n', 'src/app.ts': 'one\n' } });
    const control = async () => ({
      config: await readFile(run.path('.git/config'), 'utf8'),
      info: await listFiles(run.path('.git/info')),
      objects: await listFiles(run.path('.git/objects/info')),
      hooks: await listFiles(run.path('.git/hooks')).catch(() => ({})),
      names: (await readdir(run.path('.git'))).filter((name) => !['evil', 'hooks', 'logs'].includes(name)),
    });
    const before = await control();
    const { settled, files } = await watchWhile(run, async () => {
      await run.write('README.md', 'changed\n');
      await act(run, script);
      await rm(trace, { force: true });
    });
    expect(describeChanges(settled.changes)).toEqual(expected);
    expect(settled.checkoutGone).toBe(false);
    expect(await control()).toEqual(before);
    expect(files).toEqual(['M README.md']);
    await run.workspaces.restore(run.run, { kind: 'base' }, 'a@1');
    expect(existsSync(trace)).toBe(false);
    expect(await run.git('status', '--porcelain', '--branch')).toBe('## conductor/run/demo/r1\n');
  });

  it('may have another identity', async () => {
    const run = await startRun();
    const { settled } = await watchWhile(run, () => run.git('config', 'user.name', 'Agent'));
    expect(settled.changes).toEqual([]);
    expect(await run.git('config', 'user.name')).toBe('Agent\n');
  });

  it('are restored by a rollback too, if conductor died during the step', async () => {
    const { script, trace } = await makeWitness();
    const run = await startRun();
    const { commit } = await run.workspaces.snapshot(run.run, 'a@1');
    await mkdir(run.path('.git/hooks'));
    await writeFile(run.path('.git/hooks/post-checkout'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    await run.git('config', 'core.fsmonitor', script);
    await rm(trace, { force: true });
    await run.workspaces.reopen(run.run, null);
    await run.workspaces.restore(run.run, { kind: 'snapshot', commit }, 'a@1');
    expect(existsSync(trace)).toBe(false);
    expect(existsSync(run.path('.git/hooks'))).toBe(false);
    expect(await run.git('config', 'core.fsmonitor')).toBe('false\n');
  });
});

describe('a git folder', () => {
  it.each<[string, string, (run: Run) => Promise<unknown>]>([
    ['deleted', 'that was deleted', ({ path }) => rm(path('.git'), { recursive: true })],
    [
      'changed',
      'that a file has replaced',
      async ({ path }) => {
        await rm(path('.git'), { recursive: true });
        await writeFile(path('.git'), 'gitdir: /elsewhere\n');
      },
    ],
    [
      'changed',
      'that a link has replaced',
      async ({ path }) => {
        await rm(path('.git'), { recursive: true });
        await symlink('/tmp', path('.git'));
      },
    ],
    [
      'deleted',
      'that a pipe has replaced',
      async ({ path }) => {
        await rm(path('.git'), { recursive: true });
        await exec('mkfifo', [path('.git')]);
      },
    ],
    ['changed', 'without a HEAD', ({ path }) => rm(path('.git/HEAD'))],
    [
      'changed',
      'whose HEAD is a folder',
      async ({ path }) => {
        await rm(path('.git/HEAD'));
        await mkdir(path('.git/HEAD'));
      },
    ],
    [
      'changed',
      'with a configuration of 17 MB',
      ({ path }) => appendFile(path('.git/config'), `# ${'x'.repeat(17 * 1024 * 1024)}\n`),
    ],
    [
      'changed',
      'with more hooks than a folder should have',
      async ({ path }) => {
        await mkdir(path('.git/hooks'));
        await exec('sh', ['-c', 'seq 1 20001 | xargs touch'], { cwd: path('.git/hooks') });
      },
    ],
  ])('is restored and reported as %s: one %s', async (verb, _, act) => {
    const run = await startRun(undefined, (repo) => repo.git('tag', 'v1'));
    const { settled, files, traces } = await watchWhile(run, async () => {
      await run.write('README.md', 'changed\n');
      await act(run);
    });
    expect(describeChanges(settled.changes)).toEqual([`${verb} .git, restored`]);
    expect(files).toEqual(['M README.md']);
    expect(traces.refsAfter).toEqual(traces.refsBefore);
    expect(existsSync(run.path('.git/hooks'))).toBe(false);
    expect(await run.git('status', '--porcelain', '--branch')).toBe(
      '## conductor/run/demo/r1\n M README.md\n',
    );
    expect(await run.git('describe', '--tags')).toBe('v1\n');
  });

  it('keeps the objects of the agent when it is written anew', async () => {
    const run = await startRun();
    const commit: string[] = [];
    await watchWhile(run, async () => {
      await run.write('a.txt', 'a\n');
      await run.git('add', 'a.txt');
      await run.git('commit', '--quiet', '--message=agent');
      commit.push((await run.git('rev-parse', 'HEAD')).trim());
      await rm(run.path('.git/HEAD'));
    });
    expect(await run.git('show', `${commit[0]}:a.txt`)).toBe('a\n');
  });

  it.each<[string, (run: Run) => Promise<unknown>]>([
    ['pipes', ({ path }) => exec('mkfifo', [path('.git/MERGE_HEAD'), path('.git/refs/heads/pipe')])],
    ['garbage in its index', ({ path }) => writeFile(path('.git/index'), 'junk')],
    ['an index of 30 MB', ({ path }) => writeFile(path('.git/index'), new Uint8Array(30 * 1024 * 1024))],
    [
      'a folder in the place of its index',
      ({ path }) => rm(path('.git/index')).then(() => mkdir(path('.git/index'))),
    ],
    ['packed refs and collected garbage', ({ git }) => git('gc', '--quiet', '--aggressive', '--prune=now')],
    ['a folder without permissions', ({ path }) => chmod(path('.git/refs'), 0)],
  ])('may have %s: the files of the step are seen, and can be undone', async (_, act) => {
    const run = await startRun();
    const { files, traces } = await watchWhile(run, async () => {
      await run.write('README.md', 'changed\n');
      await act(run);
    });
    expect(files).toEqual(['M README.md']);
    expect(traces.refsAfter).toEqual(traces.refsBefore);
    await run.workspaces.restore(run.run, { kind: 'base' }, 'a@1');
    expect(await run.git('status', '--porcelain', '--branch')).toBe('## conductor/run/demo/r1\n');
  });
});

describe('refs of the workspace', () => {
  it('are compared without those that did not change', async () => {
    const run = await startRun(undefined, (repo) => repo.git('tag', 'v1'));
    const { traces } = await watchWhile(run, async () => {
      await run.git('commit', '--quiet', '--allow-empty', '--message=agent');
      await run.git('branch', 'side');
      await run.git('tag', '-d', 'v1');
      await run.git('checkout', '--quiet', '--detach');
    });
    const { baseSha } = run.run;
    const head = (await run.git('rev-parse', 'HEAD')).trim();
    expect(traces.refsBefore).toEqual({
      refs: {
        'refs/heads/conductor/run/demo/r1': baseSha,
        'refs/heads/main': baseSha,
        'refs/tags/v1': baseSha,
      },
      head: 'refs/heads/conductor/run/demo/r1',
    });
    expect(traces.refsAfter).toEqual({
      refs: {
        'refs/heads/conductor/run/demo/r1': head,
        'refs/heads/main': baseSha,
        'refs/heads/side': head,
      },
      head: null,
    });
    expect(traces.rewritten).toEqual([]);
    expect(traces.salvaged).toEqual([]);
  });

  it('that were rewritten are named, and commits that only they led to are kept in the store', async () => {
    const run = await startRun();
    await run.git('checkout', '--quiet', '-b', 'topic');
    await run.git('commit', '--quiet', '--allow-empty', '--message=one');
    const topic = (await run.git('rev-parse', 'topic')).trim();
    await run.git('checkout', '--quiet', 'conductor/run/demo/r1');
    await run.git('commit', '--quiet', '--allow-empty', '--message=two');
    const own = (await run.git('rev-parse', 'HEAD')).trim();
    const { traces } = await watchWhile(run, async () => {
      await run.git('branch', '--quiet', '-D', 'topic');
      await run.git('commit', '--quiet', '--allow-empty', '--amend', '--message=three');
      await run.git('reflog', 'expire', '--expire=now', '--all');
      await run.git('update-ref', 'refs/heads/main', 'HEAD');
    });
    expect(traces.rewritten).toEqual(['refs/heads/conductor/run/demo/r1']);
    expect(traces.salvaged.map(({ commit }) => commit).sort()).toEqual([own, topic].sort());
    await run.git('gc', '--quiet', '--prune=now');
    for (const { ref, commit } of traces.salvaged)
      expect(await run.store('rev-parse', '--verify', `${ref}^{commit}`)).toBe(`${commit}\n`);
  });

  it('may lead nowhere', async () => {
    const run = await startRun();
    const nowhere = '1'.repeat(run.run.baseSha.length);
    const { traces } = await watchWhile(run, async () => {
      await mkdir(run.path('.git/refs/heads/conductor/run/demo'), { recursive: true });
      await writeFile(run.path('.git/refs/heads/conductor/run/demo/r1'), `${nowhere}\n`);
      await run.write('new.txt', 'new\n');
    });
    expect(traces.rewritten).toEqual(['refs/heads/conductor/run/demo/r1']);
    const { after } = await run.workspaces.restore(run.run, { kind: 'base' }, 'a@1');
    expect(after.commit).toBe(run.run.baseSha);
    expect(await run.git('rev-parse', 'HEAD')).toBe(`${run.run.baseSha}\n`);
  });
});

describe('a step', () => {
  it('that deleted its checkout is reported', async () => {
    const run = await startRun();
    const watcher = watchWhile(run, () => rm(run.run.checkoutPath, { recursive: true }));
    await expect(watcher).rejects.toThrow('is missing');
  });

  it('shows links that lead out of the checkout', async () => {
    const outside = await temporaryFolder();
    const run = await startRun(undefined, async (repo) => {
      await symlink(outside, join(repo.root, 'old'));
      await repo.git('add', 'old');
      await repo.git('commit', '--quiet', '--message=link');
    });
    const { traces } = await watchWhile(run, async () => {
      await symlink('src', run.path('inside'));
      await symlink('../../..', run.path('up'));
      await rm(run.path('README.md'));
      await symlink(outside, run.path('README.md'));
    });
    const top = join(run.run.checkoutPath, '../../..');
    expect(describeChanges(traces.hidden)).toEqual([
      `changed README.md -> ${outside}`,
      `created up -> ${top}`,
    ]);
  });

  it('shows ignored files that a policy forbids, also if the agent stages them', async () => {
    const run = await startRun();
    await run.write('old.log', 'old\n');
    const { traces } = await watchWhile(run, async () => {
      await run.write('new.log', 'x\n');
      await run.git('add', '--force', 'new.log');
      await rm(run.path('old.log'));
      await run.write('node_modules/a.js', 'x\n');
    });
    expect(traces.ignoredChanges.map(({ status, path }) => `${status} ${path}`)).toEqual([
      'A new.log',
      'D old.log',
    ]);
  });
});
