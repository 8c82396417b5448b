import { describe, expect, it } from 'vitest';
import { removeCheckoutPaths } from '../../../src/policy/environment.ts';

/** `/link` leads to `/repo`. */
const realPath = (path: string) => path.replace(/^\/link(?=\/|$)/, '/repo');

describe('the environment of agents and validators', () => {
  it.each<[string, Record<string, string>, Record<string, string>]>([
    [
      'folders of the checkout go',
      { PATH: '/repo/node_modules/.bin:/usr/bin:/repo/.venv/bin' },
      { PATH: '/usr/bin' },
    ],
    ['folders beside it stay', { PATH: '/repo-tools/bin:/usr/bin' }, { PATH: '/repo-tools/bin:/usr/bin' }],
    [
      'relative folders stay',
      { PATH: 'node_modules/.bin::/usr/bin' },
      { PATH: 'node_modules/.bin::/usr/bin' },
    ],
    [
      'folders of another checkout of the repository go',
      { PATH: '/tree/bin:/usr/bin' },
      { PATH: '/usr/bin' },
    ],
    ['links to the checkout go', { PATH: '/link/bin:/usr/bin' }, { PATH: '/usr/bin' }],
    ['a PATH of nothing else becomes empty', { PATH: '/repo/bin' }, { PATH: '' }],
    ['a virtual environment of the checkout goes', { VIRTUAL_ENV: '/repo/.venv' }, {}],
    ['another virtual environment stays', { VIRTUAL_ENV: '/opt/venv' }, { VIRTUAL_ENV: '/opt/venv' }],
    ['module folders of the checkout go', { PYTHONPATH: '/repo/src:/opt/lib' }, { PYTHONPATH: '/opt/lib' }],
    ['a workspace file of the checkout goes', { GOWORK: '/repo/go.work' }, {}],
    ['everything else stays', { LANG: 'C', DATA: '/repo/data' }, { LANG: 'C', DATA: '/repo/data' }],
    [
      'everything stays where the checkout holds the home folder',
      { HOME: '/repo', PATH: '/repo/.local/bin' },
      { HOME: '/repo', PATH: '/repo/.local/bin' },
    ],
  ])('%s', (_, env, expected) => {
    expect(removeCheckoutPaths(env, ['/repo', '/tree'], realPath).env).toEqual(expected);
  });

  it('names the folders that were taken off the PATH', () => {
    const { hiddenFolders } = removeCheckoutPaths(
      { PATH: '/repo/bin:/usr/bin:/link/x' },
      ['/repo'],
      realPath,
    );
    expect(hiddenFolders).toEqual(['/repo/bin', '/link/x']);
  });
});
