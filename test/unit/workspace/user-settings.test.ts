import { describe, expect, it } from 'vitest';
import {
  parseUserSettings,
  renderSettings,
} from '../../../src/adapters/workspace/repository/user-settings.ts';

/** As `git config --null --list` prints them. */
function listed(...entries: readonly (readonly [key: string, value?: string])[]): string {
  return entries.map(([key, value]) => `${key}${value === undefined ? '' : `\n${value}`}\0`).join('');
}

const PLACE = { repoRoot: '/repo', gitDir: '/repo/.git' };

/** What is taken over, without the setting that keeps git-lfs from downloading. */
function sharedBy(text: string): [string, string][] {
  return [...parseUserSettings(text, PLACE).shared].filter(([key]) => key !== 'lfs.url');
}

describe("the user's git settings", () => {
  it.each([
    'user.name',
    'user.email',
    'author.name',
    'committer.email',
    'core.autocrlf',
    'core.eol',
    'core.safecrlf',
    'core.symlinks',
    'core.precomposeunicode',
    'filter.lfs.clean',
    'filter.lfs.process',
  ])('are taken over for identity, line endings and LFS: %s', (key) => {
    expect(sharedBy(listed([key, 'x'])).filter(([name]) => name === key)).toEqual([[key, 'x']]);
  });

  it('name the files of the user with ignore rules and attributes', () => {
    const text = listed(['core.excludesfile', '/etc/ignore'], ['core.attributesfile', '/etc/attributes']);
    const { ignoreFile, attributesFile } = parseUserSettings(text, PLACE);
    expect([ignoreFile, attributesFile]).toEqual(['/etc/ignore', '/etc/attributes']);
  });

  it.each([
    'alias.st',
    'core.hookspath',
    'core.fsmonitor',
    'core.pager',
    'core.sshcommand',
    'credential.helper',
    'diff.external',
    'filter.secret.clean',
    'filter.lfs.x.clean',
    'include.path',
    'remote.origin.url',
    'url.https://example.com/.insteadof',
    'user.signingkey',
    'commit.gpgsign',
  ])('are left out where they start programs or lead elsewhere: %s', (key) => {
    expect(sharedBy(listed([key, 'x'])).filter(([name]) => name === key)).toEqual([]);
  });

  it('count with their last value, as git reads them', () => {
    expect(sharedBy(listed(['user.name', 'Ann'], ['user.name', 'Bo']))).toEqual([['user.name', 'Bo']]);
  });

  it('keep every line of a value, and mean true without one', () => {
    expect(sharedBy(listed(['user.name', 'Ann\nof two lines'], ['core.autocrlf']))).toEqual([
      ['user.name', 'Ann\nof two lines'],
      ['core.autocrlf', 'true'],
    ]);
  });

  it('are known in any case, but the subsection is not', () => {
    expect(sharedBy(listed(['User.Name', 'Ann'], ['filter.LFS.clean', 'x']))).toEqual([['user.name', 'Ann']]);
  });

  it.each([
    [
      'the author before the user',
      [
        ['user.name', 'U'],
        ['author.name', 'A'],
      ],
      {},
      'A',
    ],
    ['the user', [['user.name', 'U']], {}, 'U'],
    ['the environment before both', [['user.name', 'U']], { GIT_AUTHOR_NAME: 'E' }, 'E'],
    ['the user, if the environment is empty', [['user.name', 'U']], { GIT_AUTHOR_NAME: '' }, 'U'],
    ['conductor where git knows no name', [], {}, 'conductor'],
  ] as const)('name as author of results %s', (_, entries, env, name) => {
    expect(parseUserSettings(listed(...entries), PLACE, env).identity.name).toBe(name);
  });

  it.each([
    ['sha256', [['extensions.objectformat', 'sha256']], { objectFormat: 'sha256', isPartial: false }],
    ['a partial clone', [['extensions.partialclone', 'origin']], { objectFormat: 'sha1', isPartial: true }],
    ['neither', [], { objectFormat: 'sha1', isPartial: false }],
  ] as const)('say how objects are stored: %s', (_, entries, expected) => {
    expect(parseUserSettings(listed(...entries), PLACE)).toMatchObject(expected);
  });
});

describe('the text of a git configuration', () => {
  it.each([
    ['user.name', 'Ann', '[user]\n\tname = "Ann"\n'],
    ['filter.lfs.clean', 'git-lfs clean -- %f', '[filter "lfs"]\n\tclean = "git-lfs clean -- %f"\n'],
    ['user.name', 'A "quoted" \\ name', '[user]\n\tname = "A \\"quoted\\" \\\\ name"\n'],
    ['user.name', 'two\nlines\tand a tab', '[user]\n\tname = "two\\nlines\\tand a tab"\n'],
    ['user.name', 'x # y ; z', '[user]\n\tname = "x # y ; z"\n'],
    ['url.a.b"c.insteadof', 'x', '[url "a.b\\"c"]\n\tinsteadof = "x"\n'],
  ])('holds %s = %j so that git reads the same value', (key, value, text) => {
    expect(renderSettings(new Map([[key, value]]))).toBe(text);
  });

  it('is empty without settings', () => {
    expect(renderSettings(new Map())).toBe('');
  });
});
