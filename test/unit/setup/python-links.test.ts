import { describe, expect, it } from 'vitest';
import { isPythonLinkFile, readDirectUrl, readPythonLinks } from '../../../src/setup/python-links.ts';

describe('the links of a site-packages folder', () => {
  it.each<[string, string, string[], string | null]>([
    ['shop.pth', '/src/me/shop/src\n', ['/src/me/shop/src'], 'shop'],
    ['distutils-precedence.pth', 'import os; os.x\n# /no\n\n', [], null],
    ['__editable__.my_shop-1.0.pth', '/src/me/shop/src', ['/src/me/shop/src'], 'my-shop'],
    ['_editable_impl_my_shop.pth', '/src/me/shop', ['/src/me/shop'], 'my-shop'],
    ['easy-install.pth', './a\r\n/src/me/b\r\n', ['./a', '/src/me/b'], null],
    ['shop.egg-link', '/src/me/shop\n.', ['/src/me/shop'], 'shop'],
    [
      '__editable___shop_1_0_finder.py',
      "import sys\nMAPPING: dict[str, str] = {'shop': '/src/me/shop/src/shop'}\nNAMESPACES = {}\n",
      ['/src/me/shop/src/shop'],
      'shop',
    ],
  ])('%s', (name, text, paths, packageName) => {
    expect(isPythonLinkFile(name)).toBe(true);
    const found = readPythonLinks(name, text);
    expect(found.map(({ path }) => path)).toEqual(paths);
    if (packageName !== null)
      expect(found.map((link) => link.packageName)).toEqual(paths.map(() => packageName));
  });

  it.each<[string, unknown, object | null]>([
    [
      'an editable install',
      { url: 'file:///src/me/my%20shop', dir_info: { editable: true } },
      {
        path: '/src/me/my shop',
        packageName: 'shop',
        isEditable: true,
      },
    ],
    [
      'a copy',
      { url: 'file:///src/me/shop', dir_info: {} },
      {
        path: '/src/me/shop',
        packageName: 'shop',
        isEditable: false,
      },
    ],
    ['a wheel', { url: 'file:///tmp/shop.whl', archive_info: {} }, null],
    ['a repository', { url: 'https://x/y.git', vcs_info: {} }, null],
  ])('direct_url.json of %s', (_, value, expected) => {
    expect(readDirectUrl('shop-1.0.dist-info', JSON.stringify(value))).toEqual(expected);
  });

  it('a direct_url.json that is no JSON says nothing', () => {
    expect(readDirectUrl('shop-1.0.dist-info', '')).toBeNull();
  });
});
