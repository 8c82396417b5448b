import { expect, it } from 'vitest';
import { fixedBeginning, isOwned } from '../../../src/setup/owned-paths.ts';

const patterns = ['node_modules', './packages/*/node_modules/', '.env.test', 'app/[id]'];

it.each([
  ['node_modules', true],
  ['node_modules/a/b.js', true],
  ['packages/core/node_modules', true],
  ['packages/core/node_modules/.bin/x', true],
  ['packages/core/src/index.js', false],
  ['src/node_modules/x', false],
  ['.env.test', true],
  ['.env.test.local', false],
  ['app/[id]/page.tsx', true],
])('setup owns %s: %s', (path, expected) => {
  expect(isOwned(patterns, path)).toBe(expected);
});

it.each([
  ['packages/*/node_modules', 'packages'],
  ['**/node_modules', ''],
  ['a/b/*.txt', 'a/b'],
])('what %s matches is below %j', (pattern, expected) => {
  expect(fixedBeginning(pattern)).toBe(expected);
});
