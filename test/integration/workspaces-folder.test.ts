import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolveWorkspacesFolder } from '../../src/adapters/project/workspaces-folder.ts';

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'conductor-workspaces-')));
  for (const folder of ['my shop/.git', 'linked', 'state'])
    await mkdir(join(root, folder), { recursive: true });
});
afterEach(() => rm(root, { recursive: true, force: true }));

const resolve = (
  configured: string | null,
  change: { readonly repoRoot?: string; readonly home?: string } = {},
) =>
  resolveWorkspacesFolder({
    repoRoot: join(root, 'my shop'),
    gitDir: join(root, 'my shop/.git'),
    checkouts: [join(root, 'my shop'), join(root, 'linked')],
    configured,
    stateFolder: join(root, 'state/conductor'),
    home: join(root, 'home'),
    ...change,
  });

describe('the workspaces of a repository', () => {
  it.each<[string, string | null, string]>([
    ['in the state folder', null, 'state/conductor'],
    ['below the home', '~/runs', 'home/runs'],
    ['beside the repository', '../runs', 'runs'],
    ['in a folder of a similar name', '../my shop 2', 'my shop 2'],
  ])('are %s, by the name and a hash of the repository', async (_, configured, base) => {
    const found = await resolve(configured);
    expect(found).toEqual({ ok: true, folder: expect.stringContaining(join(root, base, 'my_shop-')) });
    // The same for every linked worktree of the repository.
    expect(await resolve(configured, { repoRoot: join(root, 'linked') })).toEqual(found);
  });

  it.each<[string, () => string]>([
    ['by a relative path', () => 'runs'],
    ['by an absolute path', () => join(root, 'my shop/runs')],
    ['in the folder of git', () => join(root, 'my shop/.git/runs')],
    ['through a link', () => join(root, 'link/runs')],
  ])('are refused inside the repository %s, with the reason', async (_, path) => {
    await symlink(join(root, 'my shop'), join(root, 'link'));
    expect(await resolve(path())).toEqual({
      ok: false,
      message: expect.stringContaining('are inside the repository'),
      help: expect.stringContaining('paths.workspaces'),
    });
  });

  it('are refused inside the main checkout of a linked worktree, and vice versa', async () => {
    const found = await resolve(join(root, 'my shop/runs'), { repoRoot: join(root, 'linked') });
    expect(found.ok).toBe(false);
    expect((await resolve(join(root, 'linked/runs'))).ok).toBe(false);
  });

  it('get an example outside the repository, also if that is the home folder', async () => {
    const found = await resolve('runs', { home: join(root, 'my shop') });
    expect(found).toMatchObject({ help: expect.stringContaining('such as /var/tmp/conductor') });
  });
});
