import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createItemRevisions } from '../../../../src/adapters/workspace/items/item-revisions.ts';
import { type GitRepo, gitAt, readCheckout } from '../../../../testing/git-repo.ts';
import { AT, headOf, patchBy, patchOf, placesBeside, workRepo } from '../../work-local-fixture.ts';

const FILES = { 'file.txt': 'start\n', 'other.txt': 'other\n', '.gitignore': '*.log\n' };

/** A repository with item 7 made of a change, ready to be merged. */
async function scene(
  change: Readonly<Record<string, string>> = { 'file.txt': 'changed\n', 'new/deep.txt': 'new\n' },
) {
  const repo = await workRepo({ files: FILES });
  const patch = await patchBy(repo, async (write) => {
    for (const [path, text] of Object.entries(change)) await write(path, text);
  });
  const revisions = createItemRevisions(placesBeside(repo));
  const made = await revisions.make({
    itemId: '7',
    ...patch,
    message: 'Work',
    author: 'implementor',
    at: AT,
  });
  if (!made.ok) throw new Error(made.reason);
  const { headSHA } = made;
  const merge = () =>
    revisions.merge({ itemId: '7', headSHA, message: 'Merge work item 7', by: 'A Person', at: AT });
  return { repo, revisions, headSHA, merge, base: patch.base };
}

function read(repo: GitRepo, path: string): Promise<string> {
  return readFile(join(repo.root, path), 'utf8');
}

describe('merging an item', () => {
  it('makes a merge commit on the default branch, and the files of its checkout follow', async () => {
    const { repo, merge, headSHA, base } = await scene();
    await repo.write('untracked.txt', 'mine\n');
    const merged = await merge();
    expect(merged).toEqual({ ok: true, into: 'main', commit: await headOf(repo) });
    const shown = await repo.git('log', '-1', '--format=%P|%an|%ae|%cn|%cI|%s', 'main');
    expect(shown.trim()).toBe(
      `${base} ${headSHA}|A Person|test@example.invalid|A Person|2026-01-02T03:04:05+00:00|Merge work item 7`,
    );
    expect(await repo.git('status', '--porcelain')).toBe('?? untracked.txt\n');
    expect([await read(repo, 'file.txt'), await read(repo, 'new/deep.txt')]).toEqual(['changed\n', 'new\n']);
  });

  it('brings it together with what the default branch has got meanwhile', async () => {
    const { repo, merge } = await scene();
    await repo.write('other.txt', 'meanwhile\n');
    await repo.git('commit', '--quiet', '--all', '--message=meanwhile');
    expect(await merge()).toMatchObject({ ok: true, into: 'main' });
    expect([await read(repo, 'file.txt'), await read(repo, 'other.txt')]).toEqual([
      'changed\n',
      'meanwhile\n',
    ]);
    expect(await repo.git('status', '--porcelain')).toBe('');
  });

  it('moves the branch alone where it is checked out nowhere', async () => {
    const { repo, merge } = await scene();
    await repo.git('checkout', '--quiet', '-b', 'topic');
    await repo.write('file.txt', 'being written\n');
    const before = await readCheckout(repo.root);
    expect(await merge()).toEqual({ ok: true, into: 'main', commit: await headOf(repo) });
    const after = await readCheckout(repo.root);
    expect({ ...after, refs: [] }).toEqual({ ...before, refs: [] });
    expect(await repo.git('show', 'main:file.txt')).toBe('changed\n');
  });

  it('takes the files of a linked checkout along', async () => {
    const { repo, merge } = await scene();
    await repo.git('checkout', '--quiet', '-b', 'topic');
    const path = join(repo.root, '..', 'linked');
    await repo.git('worktree', 'add', '--quiet', path, 'main');
    expect(await merge()).toMatchObject({ ok: true });
    expect(await readFile(join(path, 'file.txt'), 'utf8')).toBe('changed\n');
    expect(await gitAt(path, 'status', '--porcelain')).toBe('');
  });

  it('answers the same again, also when more was committed and the branch is gone', async () => {
    const { repo, merge } = await scene();
    const merged = await merge();
    expect(await merge()).toEqual(merged);
    await repo.git('commit', '--quiet', '--allow-empty', '--message=later');
    await repo.git('branch', '-D', 'conductor/item/7');
    expect(await merge()).toEqual(merged);
  });

  it('finds one that the user has merged or moved the branch to', async () => {
    const { repo, merge, headSHA } = await scene();
    await repo.git('merge', '--quiet', '--ff-only', 'conductor/item/7');
    expect(await merge()).toEqual({ ok: true, into: 'main', commit: headSHA });
  });

  it('runs no hook of the repository, and none of its merge drivers', async () => {
    const { repo, merge } = await scene({ 'file.txt': 'changed\n', '.gitattributes': '* merge=mark\n' });
    const mark = join(repo.root, '..', 'mark');
    await repo.git('config', 'merge.mark.driver', `touch ${mark}`);
    for (const hook of ['post-merge', 'reference-transaction', 'post-checkout'])
      await writeFile(join(repo.root, '.git/hooks', hook), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    await writeFile(join(repo.root, '.git/info/attributes'), '* merge=mark\n');
    expect(await merge()).toMatchObject({ ok: true });
    await expect(access(mark)).rejects.toThrow('ENOENT');
  });
});

type Scene = Awaited<ReturnType<typeof scene>>;

interface Refusal {
  readonly prepare: (scene: Scene) => Promise<unknown>;
  readonly reason: RegExp;
  readonly help: RegExp;
}

const commitOther = async ({ repo }: Scene, text: string) => {
  await repo.write('file.txt', text);
  await repo.git('commit', '--quiet', '--all', '--message=other');
};

const REFUSALS: Readonly<Record<string, Refusal>> = {
  'moved since the approval': {
    prepare: async ({ repo, revisions }) =>
      revisions.make({
        itemId: '7',
        ...(await patchOf(repo, 'again\n')),
        message: 'Again',
        author: 'implementor',
        at: AT,
      }),
    reason: /^the branch conductor\/item\/7 is at [0-9a-f]{7}, but the approval is for [0-9a-f]{7}$/,
    help: /: git branch --force conductor\/item\/7 [0-9a-f]{12}$/,
  },
  'whose branch is gone': {
    prepare: ({ repo }) => repo.git('branch', '-D', 'conductor/item/7'),
    reason: /^the branch conductor\/item\/7 is missing$/,
    help: /: git branch --force conductor\/item\/7 [0-9a-f]{12}$/,
  },
  'in conflict with the default branch': {
    prepare: (each) => commitOther(each, 'otherwise\n'),
    reason: /^conductor\/item\/7 and main both changed file\.txt$/,
    help: /by hand/,
  },
  'in conflict that a merge driver would hide': {
    prepare: async (each) => {
      await each.repo.git('config', 'merge.mine.driver', 'true');
      await writeFile(join(each.repo.root, '.git/info/attributes'), '* merge=mine\n');
      await commitOther(each, 'otherwise\n');
    },
    reason: /both changed file\.txt$/,
    help: /by hand/,
  },
  'into a checkout with changes': {
    prepare: ({ repo }) => repo.write('other.txt', 'being written\n'),
    reason: /\/repo has uncommitted changes: other\.txt$/,
    help: /commit them/,
  },
  'into a checkout with staged changes': {
    prepare: async ({ repo }) => {
      await repo.write('ünï\ttab.txt', 'x\n');
      await repo.git('add', '--all');
    },
    reason: /uncommitted changes: ünï\ttab\.txt$/,
    help: /git stash/,
  },
  'over a file that git does not know': {
    prepare: ({ repo }) => repo.write('new/deep.txt', 'mine\n'),
    reason: /untracked files that the merge would overwrite: new\/deep\.txt$/,
    help: /move or delete/,
  },
  'over a file in the place of a folder': {
    prepare: ({ repo }) => repo.write('new', 'mine\n'),
    reason: /untracked files that the merge would overwrite: new$/,
    help: /move or delete/,
  },
  'during a merge': {
    prepare: async ({ repo }) => {
      await repo.git('checkout', '--quiet', '-b', 'side');
      await repo.git('commit', '--quiet', '--allow-empty', '--message=side');
      await repo.git('checkout', '--quiet', 'main');
      await repo.git('merge', '--quiet', '--no-ff', '--no-commit', 'side');
    },
    reason: /^a merge is in progress in .*\/repo$/,
    help: /finish or abort it/,
  },
  'during a rebase': {
    prepare: async (each) => {
      await each.repo.git('branch', 'before');
      await commitOther(each, 'changed\n');
      await each.repo.git('checkout', '--quiet', '-b', 'side', 'before');
      await commitOther(each, 'side\n');
      await each.repo.git('checkout', '--quiet', 'main');
      await each.repo.git('rebase', 'side').catch(() => undefined);
    },
    reason: /^a rebase is in progress in .*\/repo$/,
    help: /finish or abort it/,
  },
  'into a branch that two checkouts have': {
    prepare: ({ repo }) =>
      repo.git('worktree', 'add', '--quiet', '--force', join(repo.root, '..', 'second'), 'main'),
    reason: /^main is checked out in .*\/repo and in .*\/second$/,
    help: /only one of them/,
  },
  'into a checkout whose folder is gone': {
    prepare: async ({ repo }) => {
      await repo.git('checkout', '--quiet', '-b', 'topic');
      const path = join(repo.root, '..', 'second');
      await repo.git('worktree', 'add', '--quiet', path, 'main');
      await rm(path, { recursive: true });
    },
    reason: /\/second, where the branch is checked out, is missing$/,
    help: /git worktree prune/,
  },
  'of files that a filter makes': {
    prepare: async ({ repo }) => {
      for (const command of ['clean', 'smudge']) await repo.git('config', `filter.made.${command}`, 'cat');
      await writeFile(join(repo.root, '.git/info/attributes'), 'file.txt filter=made\n');
    },
    reason: /^git filters produce file\.txt in .*\/repo, and conductor runs no filters$/,
    help: /merge the branch of the item yourself/,
  },
  'of a history of its own': {
    prepare: async ({ repo }) => {
      await repo.git('checkout', '--quiet', '--orphan', 'fresh');
      await repo.git('commit', '--quiet', '--message=fresh');
      await repo.git('branch', '-M', 'fresh', 'main');
    },
    reason: /refusing to merge unrelated histories/,
    help: /by hand/,
  },
};

describe('nothing is changed by a merge', () => {
  it.each(Object.entries(REFUSALS))('%s, and the reason says why', async (_, { prepare, reason, help }) => {
    const each = await scene();
    await prepare(each);
    const before = await readCheckout(each.repo.root);
    expect(await each.merge()).toEqual({
      ok: false,
      reason: expect.stringMatching(reason),
      help: expect.stringMatching(help),
    });
    expect(await readCheckout(each.repo.root)).toEqual(before);
  });

  it('over an ignored file, which git itself would write over', async () => {
    const { repo, merge } = await scene({
      'file.txt': 'changed\n',
      'sub/.gitignore': '!keep.log\n',
      'sub/keep.log': 'new\n',
    });
    await mkdir(join(repo.root, 'sub'));
    await writeFile(join(repo.root, 'sub/keep.log'), 'mine\n');
    expect(await repo.git('status', '--porcelain')).toBe('');
    expect(await merge()).toMatchObject({ ok: false, reason: expect.stringContaining('sub/keep.log') });
    expect(await read(repo, 'sub/keep.log')).toBe('mine\n');
  });

  it('in a repository that does not say where work goes', async () => {
    const { repo, merge } = await scene();
    await repo.git('checkout', '--quiet', 'conductor/item/7');
    await repo.git('branch', '-D', 'main');
    expect(await merge()).toMatchObject({
      ok: false,
      reason: expect.stringContaining('default branch of the repository is unknown'),
    });
  });
});
