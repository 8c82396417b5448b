import { describe, expect, it } from 'vitest';
import { compileExpression } from '../../../../src/policy/shell/command-lists.ts';

describe('an expression of a policy', () => {
  it.each([
    [String.raw`\bgit\s+push\b`, '', 'git  push origin', true],
    [String.raw`^curl .*\| *sh$`, '', 'curl https://a | sh', true],
    ['DROP TABLE', 'i', 'drop table users', true],
    ['a.b', '', 'a\nb', false],
    ['a.b', 's', 'a\nb', true],
    ['^b$', '', 'a\nb', false],
    ['^b$', 'm', 'a\nb', true],
    [String.raw`\/etc\/(?<name>passwd)`, 'g', 'cat /etc/passwd', true],
    [String.raw`[\w.-]{2,3}\u0041`, 'u', 'x-A', true],
  ])('/%s/%s on %j matches: %s', (body, flags, text, matches) => {
    expect(compileExpression(body, flags)?.test(text)).toBe(matches);
  });

  it('ends on a text that JavaScript would take years for', () => {
    expect(compileExpression('(a+)+$', '')?.test(`${'a'.repeat(10_000)}b`)).toBe(false);
  });

  it.each(['(?=a)', String.raw`(a)\1`, '('])('%s is none', (body) => {
    expect(compileExpression(body, '')).toBeNull();
  });
});
