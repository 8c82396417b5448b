import { describe, expect, it } from 'vitest';
import { type Dependency, describeForeign, findForeign } from '../../../src/setup/foreign.ts';
import { folderOf, isPathInside, resolveFrom } from '../../../src/text/paths.ts';

const place = {
  checkout: '/state/shop-1/run-a/work',
  others: ['/src/me/shop', '/state/shop-1', '/state/shop-1/run-a/judge'],
  ownPackages: new Set(['core', 'shop']),
};

const dependency = (target: string, change: Partial<Dependency> = {}): Dependency => ({
  source: 'node_modules/core',
  target,
  exists: true,
  packageName: null,
  isRequired: true,
  ...change,
});

describe('a dependency is foreign', () => {
  it.each<[string, Dependency, string]>([
    ['in the checkout of the user', dependency('/src/me/shop/packages/core'), 'it is in another checkout'],
    [
      'in the other checkout of the run',
      dependency('/state/shop-1/run-a/judge/core'),
      'it is in another checkout',
    ],
    ['in the workspace of another run', dependency('/state/shop-1/run-b/work'), 'it is in another checkout'],
    [
      'in another checkout, from a manifest deep inside',
      dependency('/src/me/shop/x', { isRequired: false }),
      'it is in another checkout',
    ],
    [
      'in another checkout, where nothing is',
      dependency('/src/me/shop/gone', { exists: false }),
      'it is in another checkout',
    ],
    [
      'when it provides a package of the checkout from anywhere else',
      dependency('/src/me/shop-old/src', { packageName: 'shop', isRequired: false }),
      '`shop` is a package of this checkout',
    ],
    [
      'when the checkout needs it and it does not exist',
      dependency('/srv/x', { exists: false }),
      'it does not exist',
    ],
  ])('%s', (_, each, reason) => {
    expect(findForeign([each], place)).toEqual([{ source: each.source, target: each.target, reason }]);
  });

  it('beside the checkout, when the checkout needs it', () => {
    const alone = { ...place, others: ['/src/me/shop'] };
    expect(findForeign([dependency('/state/shop-1/run-a/core')], alone)).toMatchObject([
      { reason: 'it is beside the checkout' },
    ]);
  });
});

describe('a dependency is fine', () => {
  it.each<[string, Dependency]>([
    ['inside the checkout', dependency('/state/shop-1/run-a/work/packages/core', { packageName: 'core' })],
    ['at the top of the checkout', dependency('/state/shop-1/run-a/work')],
    ['in the store of a package manager', dependency('/src/me/.local/share/pnpm/store/v10/links/x')],
    ['in a system folder', dependency('/usr/share/x')],
    ['in a checkout whose name only begins the same', dependency('/src/me/shop2/x')],
    [
      'that is missing, but that only a fixture names',
      dependency('/srv/x', { exists: false, isRequired: false }),
    ],
  ])('%s', (_, each) => {
    expect(findForeign([each], place)).toEqual([]);
  });
});

it('each foreign dependency is named once, with where it leads and why', () => {
  const twice = [dependency('/src/me/shop/core'), dependency('/src/me/shop/core')];
  expect(findForeign(twice, place).map(describeForeign)).toEqual([
    'node_modules/core → /src/me/shop/core (it is in another checkout)',
  ]);
});

describe('paths as text', () => {
  it.each([
    ['/a/b', '../c', '/a/c'],
    ['/a/b', './c//d/.', '/a/b/c/d'],
    ['/a', '../../..', '/'],
    ['/a', '/x/../y', '/y'],
  ])('from %s, %s is %s', (base, path, expected) => {
    expect(resolveFrom(base, path)).toBe(expected);
  });

  it.each([
    ['/', '/a', true],
    ['/a', '/a', true],
    ['/a', '/ab', false],
    ['/a/b', '/a', false],
  ])('in %s there is %s: %s', (folder, path, expected) => {
    expect(isPathInside(folder, path)).toBe(expected);
  });

  it.each([
    ['/a/b', '/a'],
    ['/a', '/'],
  ])('the folder of %s is %s', (path, expected) => {
    expect(folderOf(path)).toBe(expected);
  });
});
