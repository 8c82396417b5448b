import { access, chmod, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createItemRevisions } from '../../../../src/adapters/workspace/items/item-revisions.ts';
import type { Revisions } from '../../../../src/ports/work/revisions.ts';
import { type GitRepo, gitAt, readCheckout } from '../../../../testing/git-repo.ts';
import { AT, headOf, patchBy, patchOf, placesBeside, workRepo } from '../../work-local-fixture.ts';

const FILES = {
  'file.txt': 'start\n',
  'old name.txt': `${'line\n'.repeat(20)}end\n`,
  'run.sh': '#!/bin/sh\n',
  'crlf.txt': 'one\r\ntwo\r\n',
  'gone.txt': 'gone\n',
  'bytes.bin': new Uint8Array([0, 1, 2, 255]),
};

const BRANCH = 'refs/heads/conductor/item/7';

function revisionsOf(repo: GitRepo): Revisions {
  return createItemRevisions(placesBeside(repo));
}

function request(patch: { readonly base: string; readonly patch: string }, message = 'What was done') {
  return { itemId: '7', ...patch, message, author: 'implementor', at: AT };
}

async function make(repo: GitRepo, patch: { readonly base: string; readonly patch: string }) {
  const made = await revisionsOf(repo).make(request(patch));
  if (!made.ok) throw new Error(made.reason);
  return made;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** The tree that the change has when it is simply committed. */
async function treeBy(repo: GitRepo, change: (root: string) => Promise<void>): Promise<string> {
  const path = join(repo.root, '..', 'plain');
  await repo.git('worktree', 'add', '--quiet', '--detach', path, 'main');
  await change(path);
  await gitAt(path, 'add', '--all');
  const tree = (await gitAt(path, 'write-tree')).trim();
  await repo.git('worktree', 'remove', '--force', path);
  return tree;
}

describe('the commit of a revision', () => {
  const changes: Readonly<Record<string, (root: string) => Promise<void>>> = {
    'an edit': (root) => writeFile(join(root, 'file.txt'), 'other\n'),
    'a new file with a name that is hard to handle': (root) =>
      writeFile(join(root, 'ünï "q" \t\\.txt'), 'no line feed at the end'),
    'a deletion': (root) => rm(join(root, 'gone.txt')),
    'a rename with an edit': async (root) => {
      await rename(join(root, 'old name.txt'), join(root, 'new name.txt'));
      await writeFile(join(root, 'new name.txt'), `${'line\n'.repeat(20)}other end\n`);
    },
    'a mode': (root) => chmod(join(root, 'run.sh'), 0o755),
    'a link': (root) => symlink('/etc/passwd', join(root, 'link')),
    'carriage returns': (root) => writeFile(join(root, 'crlf.txt'), 'one\r\nthree\r\nfour\n'),
    'white space at the ends of lines': (root) => writeFile(join(root, 'file.txt'), 'start \t\n\n\n'),
    'bytes that are no text': (root) =>
      writeFile(
        join(root, 'bytes.bin'),
        Uint8Array.from({ length: 5000 }, (_, at) => (at * 7) % 256),
      ),
    'a file that becomes binary': (root) => writeFile(join(root, 'file.txt'), new Uint8Array([0, 9, 0])),
  };

  it.each(Object.entries(changes))('contains exactly %s', async (_, change) => {
    const repo = await workRepo({ files: FILES });
    const patch = await patchBy(repo, (_write, root) => change(root));
    const { headSHA } = await make(repo, patch);
    const tree = (await repo.git('rev-parse', `${headSHA}^{tree}`)).trim();
    expect(tree).toBe(await treeBy(repo, change));
    expect((await repo.git('rev-parse', `${headSHA}^`)).trim()).toBe(patch.base);
  });

  it('is the same whenever it is made, with the author and the time that were given', async () => {
    const repo = await workRepo();
    const patch = await patchOf(repo, 'other\n');
    const { headSHA, headRef } = await make(repo, patch);
    await repo.git('update-ref', '-d', BRANCH);
    expect(await make(repo, patch)).toEqual({ ok: true, headSHA, headRef });
    const shown = await repo.git('log', '-1', '--format=%an %ae %aI %cn %cI %B', headSHA);
    expect(shown.trim()).toBe(
      'implementor conductor@localhost 2026-01-02T03:04:05+00:00 conductor 2026-01-02T03:04:05+00:00 What was done',
    );
    expect(headRef).toBe(BRANCH);
  });

  it.each(['', ' <> \n', 'a\0b'])(
    'can be made in the name of %j, which git would not take',
    async (author) => {
      const repo = await workRepo();
      const patch = await patchOf(repo, 'other\n');
      const made = await revisionsOf(repo).make({ ...request(patch, 'a\0b'), author });
      expect(made).toMatchObject({ ok: true });
    },
  );

  it('leaves the checkout, the index and the stash of the user as they are', async () => {
    const repo = await workRepo({ files: FILES });
    const patch = await patchOf(repo, 'other\n');
    await repo.write('file.txt', 'being written\n');
    await repo.write('staged.txt', 'staged\n');
    await repo.git('add', 'staged.txt');
    const before = await readCheckout(repo.root);
    await make(repo, patch);
    const after = await readCheckout(repo.root);
    expect({ ...after, refs: after.refs.filter((line) => !line.startsWith(BRANCH)) }).toEqual(before);
    expect(await readFile(join(repo.root, 'file.txt'), 'utf8')).toBe('being written\n');
  });

  it('runs no hook and no filter of the repository, and follows none of its settings', async () => {
    const repo = await workRepo({ files: { 'file.txt': 'start\n', '.gitattributes': '* filter=mark\n' } });
    const patch = await patchOf(repo, 'other  \n');
    const mark = join(repo.root, '..', 'mark');
    await repo.git('config', 'filter.mark.clean', `touch ${mark}; cat`);
    await repo.git('config', 'filter.mark.smudge', `touch ${mark}; cat`);
    await repo.git('config', 'apply.whitespace', 'fix');
    await repo.git('config', 'i18n.commitEncoding', 'latin1');
    for (const hook of ['reference-transaction', 'post-commit', 'pre-commit'])
      await writeFile(join(repo.root, '.git/hooks', hook), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    const { headSHA } = await make(repo, patch);
    expect(await exists(mark)).toBe(false);
    expect(await repo.git('-c', 'core.hooksPath=/dev/null', 'show', `${headSHA}:file.txt`)).toBe('other  \n');
    expect(await repo.git('cat-file', 'commit', headSHA)).not.toContain('encoding');
  });

  const refusals: Readonly<Record<string, { readonly patch: string; readonly reason: RegExp }>> = {
    'an empty patch': { patch: ' \n', reason: /^the patch is empty$/ },
    'no patch at all': { patch: 'I have done it.\n', reason: /^the patch does not apply: No valid patches/ },
    'a patch of something else': {
      patch: '--- a/file.txt\n+++ b/file.txt\n@@ -1 +1 @@\n-beginning\n+end\n',
      reason: /^the patch does not apply: patch failed: file.txt:1/,
    },
    'a patch of a file that is not there': {
      patch: '--- a/none.txt\n+++ b/none.txt\n@@ -1 +1 @@\n-a\n+b\n',
      reason: /none.txt: does not exist in index/,
    },
    'a path that leaves the repository': {
      patch:
        'diff --git a/../evil b/../evil\nnew file mode 100644\n--- /dev/null\n+++ b/../evil\n@@ -0,0 +1 @@\n+x\n',
      reason: /invalid path '\.\.\/evil'/,
    },
    'a path into the folder of git': {
      patch:
        'diff --git a/.git/hooks/x b/.git/hooks/x\nnew file mode 100755\n--- /dev/null\n+++ b/.git/hooks/x\n@@ -0,0 +1 @@\n+x\n',
      reason: /invalid path '\.git\/hooks\/x'/,
    },
    'a path behind a link': {
      patch:
        'diff --git a/out b/out\nnew file mode 120000\n--- /dev/null\n+++ b/out\n@@ -0,0 +1 @@\n+/tmp\n\\ No newline at end of file\ndiff --git a/out/evil b/out/evil\nnew file mode 100644\n--- /dev/null\n+++ b/out/evil\n@@ -0,0 +1 @@\n+x\n',
      reason: /beyond a symbolic link/,
    },
  };

  it.each(Object.entries(refusals))('is not made of %s', async (_, { patch, reason }) => {
    const repo = await workRepo();
    const made = await revisionsOf(repo).make(request({ base: await headOf(repo), patch }));
    expect(made).toEqual({ ok: false, reason: expect.stringMatching(reason) });
    expect(await repo.git('for-each-ref', 'refs/heads/conductor', 'refs/conductor')).toBe('');
  });

  it('is not made on a commit that is not there, nor for an id that is no name', async () => {
    const repo = await workRepo();
    const patch = await patchOf(repo, 'other\n');
    const gone = await revisionsOf(repo).make(request({ ...patch, base: 'f'.repeat(40) }));
    expect(gone).toMatchObject({ ok: false, reason: expect.stringContaining('is not in the repository') });
    const odd = await revisionsOf(repo).make({ ...request(patch), itemId: '../main' });
    expect(odd).toMatchObject({ ok: false, reason: 'the id "../main" can\'t be part of a branch name' });
  });
});

describe('the branch of an item', () => {
  it('moves to a later revision, and every head that it had is kept once', async () => {
    const repo = await workRepo();
    const heads: string[] = [];
    for (const text of ['one\n', 'two\n', 'one\n', 'three\n', 'three\n'])
      heads.push((await make(repo, await patchOf(repo, text))).headSHA);
    const kept = await repo.git(
      'for-each-ref',
      '--format=%(refname) %(objectname)',
      'refs/conductor/salvage',
    );
    expect(kept.trim().split('\n')).toEqual([
      `refs/conductor/salvage/item-7.1 ${heads[0]}`,
      `refs/conductor/salvage/item-7.2 ${heads[1]}`,
    ]);
    expect(await headOf(repo, BRANCH)).toBe(heads[3]);
  });

  it('keeps what the user has committed to it', async () => {
    const repo = await workRepo();
    await make(repo, await patchOf(repo, 'one\n'));
    await repo.git('checkout', '--quiet', 'conductor/item/7');
    await repo.git('commit', '--quiet', '--allow-empty', '--message=mine');
    const mine = await headOf(repo, 'HEAD');
    await make(repo, await patchOf(repo, 'two\n'));
    expect(await headOf(repo, 'refs/conductor/salvage/item-7.1')).toBe(mine);
  });

  it('leaves a checkout on it at its commit, detached, with its files and its index', async () => {
    const repo = await workRepo();
    const { headSHA } = await make(repo, await patchOf(repo, 'one\n'));
    const path = join(repo.root, '..', 'looking');
    await repo.git('worktree', 'add', '--quiet', path, 'conductor/item/7');
    await writeFile(join(path, 'file.txt'), 'being written\n');
    const before = await gitAt(path, 'status', '--porcelain=v2');
    await make(repo, await patchOf(repo, 'two\n'));
    expect((await gitAt(path, 'rev-parse', 'HEAD')).trim()).toBe(headSHA);
    await expect(gitAt(path, 'symbolic-ref', 'HEAD')).rejects.toThrow('not a symbolic ref');
    expect(await gitAt(path, 'status', '--porcelain=v2')).toBe(before);
    expect(await readFile(join(path, 'file.txt'), 'utf8')).toBe('being written\n');
  });

  it('moves also where the folder of a checkout on it is gone', async () => {
    const repo = await workRepo();
    await make(repo, await patchOf(repo, 'one\n'));
    const path = join(repo.root, '..', 'looking');
    await repo.git('worktree', 'add', '--quiet', path, 'conductor/item/7');
    await rm(path, { recursive: true });
    const { headSHA } = await make(repo, await patchOf(repo, 'two\n'));
    expect(await headOf(repo, BRANCH)).toBe(headSHA);
  });
});

describe('the default branch', () => {
  const cases: Readonly<
    Record<string, { readonly prepare: readonly string[][]; readonly name: string | null }>
  > = {
    'is what the remote calls its default': {
      prepare: [
        ['branch', 'trunk'],
        ['update-ref', 'refs/remotes/origin/trunk', 'HEAD'],
        ['symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk'],
      ],
      name: 'trunk',
    },
    'is not a default of the remote that is no branch here': {
      prepare: [
        ['update-ref', 'refs/remotes/origin/trunk', 'HEAD'],
        ['symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk'],
      ],
      name: 'main',
    },
    'is what git gives new repositories': {
      prepare: [
        ['branch', 'dev'],
        ['config', 'init.defaultBranch', 'dev'],
      ],
      name: 'dev',
    },
    'is main while another branch is checked out': {
      prepare: [['checkout', '-q', '-b', 'topic']],
      name: 'main',
    },
    'is master where there is no main': { prepare: [['branch', '-m', 'master']], name: 'master' },
    'is the branch that is checked out where nothing says more': {
      prepare: [['branch', '-m', 'release']],
      name: 'release',
    },
    'is the only branch while none is checked out': {
      prepare: [
        ['branch', '-m', 'trunk'],
        ['branch', 'conductor/item/1'],
        ['checkout', '-q', '--detach'],
      ],
      name: 'trunk',
    },
    'is none of two while none is checked out': {
      prepare: [
        ['branch', '-m', 'trunk'],
        ['branch', 'other'],
        ['checkout', '-q', '--detach'],
      ],
      name: null,
    },
    'is never the branch of an item': {
      prepare: [['branch', '-m', 'conductor/item/1']],
      name: null,
    },
  };

  it.each(Object.entries(cases))('%s', async (_, { prepare, name }) => {
    const repo = await workRepo();
    for (const argv of prepare) await repo.git(...argv);
    const found = await revisionsOf(repo).defaultBranch();
    expect(found).toEqual(name === null ? null : { name, commit: await headOf(repo, 'HEAD') });
  });
});
