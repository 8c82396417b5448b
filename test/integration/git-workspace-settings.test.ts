import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type GitRepo, gitAt } from '../../testing/git-repo.ts';
import {
  createRun,
  listFiles,
  requestFor,
  startRun,
  temporaryFolder,
  testRepo,
  workspacesOf,
} from './git-workspace-fixture.ts';

const POINTER = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n';
const FILES = {
  'README.md': '# hello\n',
  'src/app.ts': 'one\ntwo\n',
  'image.bin': POINTER,
  '.gitignore': '*.log\n',
  '.gitattributes': '*.bin filter=lfs -text\n*.sec filter=spy\n',
};

/** A script that leaves a trace when it is run, and fails. */
async function makeWitness(): Promise<{ readonly script: string; readonly trace: string }> {
  const folder = await temporaryFolder();
  const [script, trace] = [join(folder, 'witness.sh'), join(folder, 'trace')];
  await writeFile(script, `#!/bin/sh\necho "$0 $*" >> ${trace}\nexit 1\n`, { mode: 0o755 });
  return { script, trace };
}

const SETTINGS: readonly (readonly [string, (repo: GitRepo, script: string) => Promise<unknown>])[] = [
  ['nothing in particular', () => Promise.resolve()],
  [
    'a required filter whose program is missing',
    async ({ git }) => {
      await git('config', 'filter.lfs.process', 'no-such-program filter-process');
      await git('config', 'filter.lfs.clean', 'no-such-program clean');
      await git('config', 'filter.lfs.smudge', 'no-such-program smudge');
      await git('config', 'filter.lfs.required', 'true');
    },
  ],
  [
    'filters that run a program, one with an odd name',
    async ({ git }, script) => {
      for (const name of ['lfs', 'spy', 'odd=name.x y'])
        for (const key of ['clean', 'smudge']) await git('config', `filter.${name}.${key}`, script);
    },
  ],
  [
    'hooks of the user, by configuration and in their place',
    async ({ git, root, write }, script) => {
      const hook = await readFile(script);
      const names = ['post-checkout', 'pre-commit', 'reference-transaction', 'post-index-change'];
      for (const name of names) {
        await write(`.git/hooks/${name}`, hook);
        await chmod(join(root, '.git/hooks', name), 0o755);
        await mkdir(join(root, '.git/own'), { recursive: true });
        await writeFile(join(root, '.git/own', name), hook, { mode: 0o755 });
      }
      await git('config', 'core.hooksPath', join(root, '.git/own'));
    },
  ],
  ['line endings that are converted', ({ git }) => git('config', 'core.autocrlf', 'true')],
  ['line endings of another system', ({ git }) => git('config', 'core.eol', 'crlf')],
  ['a sparse checkout', ({ git }) => git('sparse-checkout', 'set', '--cone', 'src')],
  [
    'caches and monitors for large repositories',
    async ({ git }, script) => {
      await git('config', 'core.fsmonitor', script);
      await git('config', 'core.untrackedCache', 'true');
      await git('config', 'core.splitIndex', 'true');
      await git('config', 'feature.manyFiles', 'true');
    },
  ],
  ['submodules that are always updated', ({ git }) => git('config', 'submodule.recurse', 'true')],
];

describe('a repository with', () => {
  it.each(SETTINGS)('%s gets back every byte, and nothing of it is run', async (_name, prepare) => {
    const { script, trace } = await makeWitness();
    // Not by `startRun`: it looks at the checkout with a git that does run what is configured.
    const repo = await testRepo({ files: FILES });
    await prepare(repo, script);
    await rm(trace, { force: true });
    const workspaces = workspacesOf(repo);
    const run = await createRun(workspaces, await requestFor(repo, 'r1'));
    const path = (name: string) => join(run.worktreePath, name);
    const write = (name: string, content: string | Uint8Array) => writeFile(path(name), content);
    expect(await readFile(path('image.bin'), 'utf8')).toBe(POINTER);
    expect(await readFile(path('README.md'), 'utf8')).toBe('# hello\n');
    await write('mixed.txt', 'one\r\ntwo\nthree\r\n');
    await write('crlf.txt', 'one\r\ntwo\r\n');
    await write('new.bin', new Uint8Array([0, 13, 10, 255]));
    await write('key.sec', 'secret\n');
    await write('debug.log', 'ignored\r\n');
    const before = await listFiles(run.worktreePath);
    const { commit } = await workspaces.snapshot(run, 'one');
    for (const name of ['mixed.txt', 'crlf.txt', 'new.bin', 'key.sec', 'image.bin', 'debug.log'])
      await write(name, 'changed\n');
    await rm(path('src'), { recursive: true });
    await workspaces.restore(run, { kind: 'snapshot', commit }, 'one');
    expect(await listFiles(run.worktreePath)).toEqual(before);
    const committed = await workspaces.commit(run, 'work');
    expect(await repo.git('show', `${committed}:mixed.txt`)).toBe('one\r\ntwo\nthree\r\n');
    expect(await repo.git('show', `${committed}:image.bin`)).toBe(POINTER);
    expect(existsSync(trace)).toBe(false);
  });

  it('a shallow history works like any other', async () => {
    const { repo } = await startRun({ files: FILES });
    const clone = join(await temporaryFolder(), 'shallow clone');
    await gitAt(repo.root, 'clone', '--quiet', '--depth=1', `file://${repo.root}`, clone);
    const shallow = { ...repo, root: clone, git: (...args: readonly string[]) => gitAt(clone, ...args) };
    const workspaces = workspacesOf(shallow);
    const run = await createRun(workspaces, await requestFor(shallow, 'r2'));
    const before = await listFiles(run.worktreePath);
    await writeFile(join(run.worktreePath, 'README.md'), 'changed\n');
    await workspaces.restore(run, { kind: 'base' }, 'one');
    expect(await listFiles(run.worktreePath)).toEqual(before);
  });
});

describe('what an agent prepares in the git folder', () => {
  it('is not believed: an index of ours that it wrote', async () => {
    const { run, workspaces, write, git, repo } = await startRun();
    await workspaces.snapshot(run, 'one');
    const index = join(repo.root, '.git/worktrees/r1/conductor/index');
    await write('README.md', 'changed\n');
    const env = `GIT_INDEX_FILE=${index}`;
    await git('-c', `alias.forge=!${env} git update-index --assume-unchanged README.md`, 'forge');
    const { commit } = await workspaces.snapshot(run, 'two');
    expect(await repo.git('show', `${commit}:README.md`)).toBe('changed\n');
  });

  it('is not run: the configuration of a repository in a submodule', async () => {
    const { script, trace } = await makeWitness();
    const { run, workspaces, write, git, path } = await startRun();
    await git('init', '--quiet', 'sub');
    const sub = path('sub');
    await write('sub/a.txt', 'a\n');
    await gitAt(sub, 'add', '.');
    await gitAt(sub, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--message=a');
    await git('add', 'sub');
    await git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--message=sub');
    await gitAt(sub, 'config', 'core.fsmonitor', script);
    await write('sub/a.txt', 'changed\n');
    await workspaces.snapshot(run, 'one');
    await write('other.txt', 'x\n');
    await workspaces.snapshot(run, 'two');
    await workspaces.restore(run, { kind: 'base' }, 'three');
    expect(existsSync(trace)).toBe(false);
  });
});
