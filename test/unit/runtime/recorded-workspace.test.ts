import { describe, expect, it } from 'vitest';
import { canBeWorkspace } from '../../../src/runtime/record/recorded-run.ts';

describe('the workspace that a record names', () => {
  it.each([
    ['/u/me/.local/state/conductor/shop-1/RUN/work', true],
    ['/mnt/elsewhere/RUN/work', true],
    ['/src/shop/.tnh/worktrees/RUN', true],
    ['/src/shop/evil/work', false],
    ['/src/shop', false],
    ['evil/work', false],
    ['/src/other/../shop/evil/work', false],
    ['/src/./shop/evil/work', false],
    ['', false],
  ])('%s: %s', (path, expected) => {
    expect(canBeWorkspace(path, 'RUN', '/src/shop')).toBe(expected);
  });
});
