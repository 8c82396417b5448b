import { describe, expect, it } from 'vitest';
import { isHarmlessSetting } from '../../../src/policy/files/git-settings.ts';

const BEFORE = '[core]\n\tbare = "false"\n[user]\n\tname = "Ann"\n';

const HARMLESS: readonly [name: string, after: string][] = [
  ['nothing changed', BEFORE],
  ['an identity', BEFORE.replace('Ann', 'Agent')],
  ['an identity that was removed', '[core]\n\tbare = "false"\n'],
  ['a section of advice', `${BEFORE}[advice]\n\tdetachedHead = false\n`],
  ['the upstream of a branch', `${BEFORE}[branch "topic"]\n\tmerge = refs/heads/main\n`],
  ['a section in capitals', `${BEFORE}[USER]\n\temail = a@example.com\n`],
  ['a section and its setting in one line', `${BEFORE}[user] email = a@example.com\n`],
  ['an empty section before a harmless one', `${BEFORE}[alias][user] email = a@example.com\n`],
  ['a subsection with a bracket', `${BEFORE}[branch "a]b"]\n\tmerge = refs/heads/main\n`],
  ['a subsection in the old form', `${BEFORE}[branch.topic]\n\tmerge = refs/heads/main\n`],
  ['blank lines', `\n${BEFORE}\n\n`],
];

const HARMFUL: readonly [name: string, after: string][] = [
  ['an alias', `${BEFORE}[alias]\n\tst = !sh -c evil\n`],
  ['a program for diffs', `${BEFORE}[diff "x"]\n\ttextconv = evil\n`],
  ['a filter', `${BEFORE}[filter "x"]\n\tclean = evil\n`],
  ['a folder of hooks', `${BEFORE}[core]\n\thooksPath = /tmp/hooks\n`],
  ['a file system monitor beside other settings', BEFORE.replace('[user]', '\tfsmonitor = evil\n[user]')],
  ['an included file', `${BEFORE}[include]\n\tpath = /tmp/config\n`],
  ['a remote', `${BEFORE}[remote "origin"]\n\turl = /tmp/other\n`],
  ['a rewritten address', `${BEFORE}[url "/tmp/"]\n\tinsteadOf = https://example.com/\n`],
  ['a setting that was removed', '[user]\n\tname = "Ann"\n'],
  ['a harmful section after a harmless one', `${BEFORE}[color]\n\tui = true\n[alias]\n\tst = !evil\n`],
  ['a harmful section and its setting in one line', `${BEFORE}[alias] st = !evil\n`],
  ['a harmful section after a harmless one in one line', `${BEFORE}[user][alias] st = !evil\n`],
  ['a harmful section after a subsection with a bracket', `${BEFORE}[user "]"] [alias] st = !evil\n`],
  ["a header that git can't parse", `${BEFORE}[user "x]\n\tname = x\n`],
  ['a harmful section behind a comment', `${BEFORE}; harmless\n[alias]\n\tst = !evil\n`],
  ['a section of which a harmless name is only a part', `${BEFORE}[userx]\n\tname = x\n`],
];

describe('a changed git configuration', () => {
  it.each(HARMLESS)('is harmless: %s', (_, after) => {
    expect(isHarmlessSetting(BEFORE, after)).toBe(true);
  });

  it.each(HARMFUL)('is not harmless: %s', (_, after) => {
    expect(isHarmlessSetting(BEFORE, after)).toBe(false);
  });
});
