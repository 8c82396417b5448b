import { describe, expect, it } from 'vitest';
import { shorten, shortenPath, shortenPaths } from '../../../src/text/shorten.ts';

describe('shorten', () => {
  it.each<readonly [string, number, string]>([
    ['Add a flag', 10, 'Add a flag'],
    ['Add a quiet flag', 12, 'Add a quiet…'],
    ['Add a quiet flag', 11, 'Add a…'],
    ['Add a quiet flag', 13, 'Add a quiet…'],
    ['xxxxxxxxxxxx', 6, 'xxxxx…'],
    ['a xxxxxxxxxxxx', 8, 'a xxxxx…'],
    ['𝒳𝒳𝒳𝒳', 4, '𝒳𝒳𝒳𝒳'],
    ['𝒳𝒳𝒳𝒳𝒳', 4, '𝒳𝒳𝒳…'],
  ])('%j to %d characters', (text, max, expected) => {
    expect(shorten(text, max)).toBe(expected);
  });
});

describe('shortenPath', () => {
  it.each<readonly [string, number, string]>([
    ['/a/b/c', 80, '/a/b/c'],
    ['/srv/ann/.local/state/work', 20, '…/.local/state/work'],
    ['/srv/ann/.local/state/work', 18, '…/state/work'],
    ['/home/a-very-long-name', 5, '…/a-very-long-name'],
    ['/a/b', Number.POSITIVE_INFINITY, '/a/b'],
  ])('%s to %d characters', (path, max, expected) => {
    expect(shortenPath(path, max)).toBe(expected);
  });
});

describe('shortenPaths', () => {
  it('shortens each path of a text that is too long, and nothing else', () => {
    expect(shortenPaths('a longer/path/than/twelve, and/one incomprehensibilities', 12)).toBe(
      'a …/twelve, and/one incomprehensibilities',
    );
  });
});
