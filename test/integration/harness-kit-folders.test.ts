import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findHarnessKit } from '../../src/adapters/project/harness-kit.ts';

const top = await realpath(await mkdtemp(join(tmpdir(), 'conductor-kit-')));
afterAll(() => rm(top, { recursive: true, force: true }));

const NO_BROWSER = { browser: null, home: '' };

describe('the folders that show the harness kit in a sandbox', () => {
  it('are the package and its own packages, where those are elsewhere too', async () => {
    const root = join(top, 'clone');
    await mkdir(join(top, 'shared', 'node_modules'), { recursive: true });
    await mkdir(root);
    await symlink(join(top, 'shared', 'node_modules'), join(root, 'node_modules'));
    const { folders } = await findHarnessKit({ ...NO_BROWSER, root });
    expect(folders).toEqual([root, join(top, 'shared', 'node_modules')]);
  });

  it('are all packages around it, where a package manager has put them beside it or behind links', async () => {
    const outer = join(top, 'project', 'node_modules');
    const real = join(outer, '.pnpm', 'tnh-conductor@0.1.0', 'node_modules', 'tnh-conductor');
    await mkdir(real, { recursive: true });
    await symlink(real, join(outer, 'tnh-conductor'));
    const { folders, environment } = await findHarnessKit({
      ...NO_BROWSER,
      root: join(outer, 'tnh-conductor'),
    });
    expect(folders).toEqual([outer]);
    expect(environment).toEqual({
      CONDUCTOR_HARNESS: join(real, 'dist/lib/harness.js'),
      CONDUCTOR_BIN: join(real, 'dist/bin/conductor.js'),
    });
  });

  it('include the folder of a browser that the user names, unless it is directly in the home folder', async () => {
    const home = join(top, 'home');
    const browser = join(home, '.cache', 'chromium-1', 'chrome');
    await mkdir(browser, { recursive: true });
    const shown = await findHarnessKit({ root: top, browser, home });
    expect(shown.folders).toContain(join(home, '.cache', 'chromium-1'));
    expect(shown.environment.CONDUCTOR_CHROMIUM).toBe(browser);
    const loose = await findHarnessKit({ root: top, browser: join(home, 'chrome'), home });
    expect(loose.folders).not.toContain(home);
    expect(loose.environment.CONDUCTOR_CHROMIUM).toBe(join(home, 'chrome'));
  });
});
