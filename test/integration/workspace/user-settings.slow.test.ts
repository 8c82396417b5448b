import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type GitRepo, gitAt } from '../../../testing/git-repo.ts';
import {
  createRun,
  listFiles,
  makeWitness,
  readUserSide,
  requestFor,
  runIn,
  startRun,
  temporaryFolder,
  testRepo,
  workspacesOf,
} from './fixture.ts';

const FILES = {
  'README.md': '# hello\n',
  'src/app.ts': 'one\ntwo\n',
  'image.bin': 'not really an image\n',
  '.gitignore': '*.log\n',
  '.gitattributes': '*.sec filter=spy\n',
};

/** A home folder with a git configuration; conductor and the checkouts of a run both read it. */
async function stubHome(config: string): Promise<string> {
  const home = await temporaryFolder();
  await writeFile(join(home, '.gitconfig'), config);
  vi.stubEnv('HOME', home);
  vi.stubEnv('XDG_CONFIG_HOME', join(home, '.config'));
  onTestFinished(() => void vi.unstubAllEnvs());
  return home;
}

const HOOKS = ['post-checkout', 'pre-commit', 'reference-transaction', 'post-index-change', 'post-commit'];

const SETTINGS: readonly (readonly [string, (repo: GitRepo, script: string) => Promise<unknown>])[] = [
  ['nothing in particular', () => Promise.resolve()],
  [
    'filters that run a program, one with an unusual name',
    async ({ git }, script) => {
      for (const name of ['spy', 'odd=name.x y'])
        for (const key of ['clean', 'smudge', 'process'])
          await git('config', `filter.${name}.${key}`, script);
    },
  ],
  [
    'hooks in its configuration and in its git folder',
    async ({ git, root, write }, script) => {
      const hook = await readFile(script);
      await mkdir(join(root, '.git/own'), { recursive: true });
      for (const name of HOOKS) {
        await write(`.git/hooks/${name}`, hook);
        await chmod(join(root, '.git/hooks', name), 0o755);
        await writeFile(join(root, '.git/own', name), hook, { mode: 0o755 });
      }
      await git('config', 'core.hooksPath', join(root, '.git/own'));
    },
  ],
  [
    'caches and monitors for large repositories',
    async ({ git }, script) => {
      await git('config', 'core.fsmonitor', script);
      await git('config', 'core.untrackedCache', 'true');
      await git('config', 'core.splitIndex', 'true');
      await git('config', 'feature.manyFiles', 'true');
    },
  ],
  ['signed commits', ({ git }, script) => git('config', '--add', 'gpg.program', script)],
  ['submodules that are always updated', ({ git }) => git('config', 'submodule.recurse', 'true')],
];

describe('a run in a repository with', () => {
  it.each(SETTINGS)('%s gets every byte back, and runs nothing of it', async (_name, prepare) => {
    const { script, trace } = await makeWitness();
    const repo = await testRepo({ files: FILES });
    await prepare(repo, script);
    await repo.git('config', 'commit.gpgSign', 'true');
    await rm(trace, { force: true });
    const workspaces = await workspacesOf(repo);
    const run = await createRun(workspaces, await requestFor(repo, 'r1'));
    const { write, path, git } = runIn(repo, workspaces, run);
    await write('mixed.txt', 'one\r\ntwo\nthree\r\n');
    await write('new.bin', new Uint8Array([0, 13, 10, 255]));
    await write('key.sec', 'secret\n');
    await write('debug.log', 'ignored\r\n');
    const before = await listFiles(run.checkoutPath);
    const { commit, tree } = await workspaces.snapshot(run, 'one');
    for (const name of ['mixed.txt', 'new.bin', 'key.sec', 'image.bin', 'debug.log'])
      await write(name, 'changed\n');
    await rm(path('src'), { recursive: true });
    await workspaces.restore(run, { kind: 'snapshot', commit }, 'one');
    expect(await listFiles(run.checkoutPath)).toEqual(before);
    await git('commit', '--quiet', '--allow-empty', '--message=by the agent');
    await workspaces.openJudge(run, { snapshot: { commit, tree }, asAtBase: () => false });
    await gitAt(run.judgePath, 'checkout', '--quiet', '-b', 'other');
    const published = await workspaces.publish(run, { tree, message: 'work\n' });
    expect(existsSync(trace)).toBe(false);
    expect(await repo.git('show', `${published.commit}:mixed.txt`)).toBe('one\r\ntwo\nthree\r\n');
  });
});

describe('the checkouts of a run', () => {
  it('have the identity and the line endings of the user, and nothing else of the configuration', async () => {
    const { git, run, workspaces } = await startRun({ files: FILES }, async (repo) => {
      await repo.git('config', 'core.autocrlf', 'input');
      await repo.git('config', 'alias.evil', '!evil');
      await repo.git('config', 'credential.helper', 'evil');
      await repo.git('config', 'core.sshCommand', 'evil');
      await repo.git('config', 'remote.origin.url', '/somewhere');
      await repo.git('config', 'lfs.url', 'https://user:password@example.invalid');
    });
    const { tree } = await workspaces.snapshot(run, 'one');
    const snapshot = { commit: run.baseSha, tree };
    await workspaces.openJudge(run, { snapshot, asAtBase: () => false });
    const expected = [
      'commit.gpgsign=false',
      'core.autocrlf=input',
      'core.bare=false',
      'core.filemode=true',
      'core.fsmonitor=false',
      'core.hookspath=/dev/null',
      'core.ignorecase=false',
      'core.logallrefupdates=true',
      'core.repositoryformatversion=0',
      'gc.auto=0',
      'maintenance.auto=false',
      'tag.gpgsign=false',
      'user.email=test@example.invalid',
      'user.name=Test User',
    ];
    for (const checkout of [run.checkoutPath, run.judgePath]) {
      const lines = (await gitAt(checkout, 'config', '--local', '--list')).trim().split('\n');
      expect(lines.join('\n')).not.toContain('password');
      // The system may have LFS installed, whose filters are taken over.
      expect(lines.filter((line) => !/^(?:filter\.lfs|lfs)\./.test(line)).sort()).toEqual(expected);
    }
    expect(await git('remote')).toBe('');
  });

  it('run no hook that the global configuration names', async () => {
    const { script, trace } = await makeWitness();
    const hooks = await temporaryFolder();
    for (const name of HOOKS) await writeFile(join(hooks, name), await readFile(script), { mode: 0o755 });
    await stubHome(
      `[core]\n\thooksPath = ${hooks}\n[user]\n\tname = Global\n\temail = global@example.invalid\n`,
    );
    const repo = await testRepo({ files: FILES });
    await repo.git('config', '--unset', 'user.name');
    await repo.git('config', '--unset', 'user.email');
    const workspaces = await workspacesOf(repo);
    const run = await createRun(workspaces, await requestFor(repo, 'r1'));
    await writeFile(join(run.checkoutPath, 'new.txt'), 'new\n');
    const { tree } = await workspaces.snapshot(run, 'one');
    // With the global configuration, as an agent has it.
    const env = `GIT_CONFIG_GLOBAL=${process.env.HOME}/.gitconfig`;
    const commit = `!${env} git add --all && ${env} git commit --quiet --message=agent && ${env} git checkout --quiet --detach`;
    await gitAt(run.checkoutPath, '-c', `alias.act=${commit}`, 'act');
    const published = await workspaces.publish(run, { tree, message: 'work\n' });
    expect(existsSync(trace)).toBe(false);
    expect(await gitAt(run.checkoutPath, 'log', '-1', '--format=%an <%ae>')).toBe(
      'Global <global@example.invalid>\n',
    );
    expect(await repo.git('log', '-1', '--format=%an <%ae> %cn', published.commit)).toBe(
      'Global <global@example.invalid> Global\n',
    );
  });

  it('leave out files that the user ignores in this repository or in all, for the whole run', async () => {
    const home = await stubHome('');
    await mkdir(join(home, '.config/git'), { recursive: true });
    await writeFile(join(home, '.config/git/ignore'), '*.swp\n');
    const { run, workspaces, write, git, store } = await startRun({ files: FILES }, (repo) =>
      writeFile(join(repo.root, '.git/info/exclude'), '/scratch/\n'),
    );
    for (const name of ['a.swp', 'scratch/a.txt', 'real.txt', 'hidden.txt']) await write(name, 'x\n');
    expect(await git('status', '--porcelain')).toBe('?? hidden.txt\n?? real.txt\n');
    // An agent without a sandbox could change these rules to hide a file.
    await writeFile(join(home, '.config/git/ignore'), '*.txt\n');
    const { tree } = await workspaces.snapshot(run, 'one');
    const names = (await store('ls-tree', '--name-only', tree)).trim().split('\n');
    expect(names).toContain('hidden.txt');
    expect(names.filter((name) => name.endsWith('.swp') || name === 'scratch')).toEqual([]);
  });

  it('work if git has no identity', async () => {
    const { workspaces, run, write, repo } = await startRun(undefined, async (user) => {
      await user.git('config', '--unset', 'user.name');
      await user.git('config', '--unset', 'user.email');
      await user.git('config', 'user.useConfigOnly', 'true');
    });
    await stubHome('');
    await write('a.txt', 'a\n');
    const { tree } = await workspaces.snapshot(run, 'one');
    const { commit } = await workspaces.publish(run, { tree, message: 'a\n' });
    expect(await repo.git('log', '-1', '--format=%an <%ae> %cn <%ce>', commit)).toBe(
      'conductor <conductor@localhost> conductor <conductor@localhost>\n',
    );
  });
});

describe('line endings', () => {
  const CASES: readonly {
    readonly name: string;
    readonly attributes?: string;
    readonly config: Readonly<Record<string, string>>;
    readonly checkedOut: string;
  }[] = [
    { name: 'core.autocrlf=true', config: { 'core.autocrlf': 'true' }, checkedOut: 'one\r\ntwo\r\n' },
    { name: 'core.autocrlf=input', config: { 'core.autocrlf': 'input' }, checkedOut: 'one\ntwo\n' },
    {
      name: 'core.eol=crlf with text=auto',
      attributes: '* text=auto\n',
      config: { 'core.eol': 'crlf' },
      checkedOut: 'one\r\ntwo\r\n',
    },
    {
      name: 'eol=crlf in .gitattributes',
      attributes: '*.ts text eol=crlf\n',
      config: {},
      checkedOut: 'one\r\ntwo\r\n',
    },
    {
      name: 'eol=lf in .gitattributes against core.autocrlf=true',
      attributes: '*.ts text eol=lf\n',
      config: { 'core.autocrlf': 'true' },
      checkedOut: 'one\ntwo\n',
    },
  ];

  it.each(CASES)('are as in the checkout of the user with $name, and show no change', async (given) => {
    const repo = await testRepo({
      files: { 'src/app.ts': 'one\ntwo\n', ...(given.attributes && { '.gitattributes': given.attributes }) },
    });
    for (const [key, value] of Object.entries(given.config)) await repo.git('config', key, value);
    const before = await readUserSide(repo.root);
    const workspaces = await workspacesOf(repo);
    const run = await createRun(workspaces, await requestFor(repo, 'r1'));
    const { read, write, git, store } = runIn(repo, workspaces, run);
    expect(await read('src/app.ts')).toBe(given.checkedOut);
    expect(await git('status', '--porcelain')).toBe('');
    const base = await workspaces.snapshot(run, 'base');
    expect(await repo.git('rev-parse', 'HEAD^{tree}')).toBe(`${base.tree}\n`);
    // An agent may write either; the commit has what git makes of it.
    await write('src/app.ts', given.checkedOut.replace('two', 'three'));
    const { tree, commit } = await workspaces.snapshot(run, 'one');
    expect(await store('show', `${tree}:src/app.ts`)).toBe('one\nthree\n');
    const judge = await workspaces.openJudge(run, { snapshot: { tree, commit }, asAtBase: () => false });
    expect(await readFile(join(judge.path, 'src/app.ts'), 'utf8')).toBe(
      given.checkedOut.replace('two', 'three'),
    );
    expect(judge.changes.map(({ path }) => path)).toEqual(['src/app.ts']);
    expect(await readUserSide(repo.root)).toEqual(before);
  });

  it('of a file that is committed with CRLF stay, although text=auto would convert new ones', async () => {
    const repo = await testRepo({ files: { 'crlf.txt': 'one\r\ntwo\r\n' } });
    await repo.write('.gitattributes', '* text=auto\n');
    await repo.git('add', '.gitattributes');
    await repo.git('commit', '--quiet', '--message=attributes');
    const workspaces = await workspacesOf(repo);
    const run = await createRun(workspaces, await requestFor(repo, 'r1'));
    const { write, store } = runIn(repo, workspaces, run);
    expect(await repo.git('rev-parse', 'HEAD^{tree}')).toBe(
      `${(await workspaces.snapshot(run, 'a')).tree}\n`,
    );
    await write('crlf.txt', 'one\r\nthree\r\n');
    const { tree } = await workspaces.snapshot(run, 'b');
    expect(await store('show', `${tree}:crlf.txt`)).toBe('one\r\nthree\r\n');
  });
});
