import { describe, expect, it } from 'vitest';
import { classifyAnswer } from '../../../src/adapters/forge-github/github-problem.ts';
import { ForgeError, type ForgeProblem } from '../../../src/forge/forge-problem.ts';
import { formatMarker, readMarker, withoutMarkers } from '../../../src/forge/markers.ts';
import { parseRemoteAddress } from '../../../src/forge/remote-address.ts';
import { pullRequestBody, replaceOwnPart, statusLine } from '../../../src/overview/pull-request-body.ts';
import { summaryWith } from '../overview/summary-fixture.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

describe('an address of a remote', () => {
  it.each<[string, string | null]>([
    ['https://github.com/octo/shop.git', 'github.com octo/shop'],
    ['https://user:secret@github.com/octo/shop', 'github.com octo/shop'],
    ['http://127.0.0.1:8080/octo/shop.git', '127.0.0.1:8080 octo/shop'],
    ['git@github.com:octo/shop.git', 'github.com octo/shop'],
    ['github.example:octo/shop', 'github.example octo/shop'],
    ['ssh://git@GitHub.com:22/octo/shop.git/', 'github.com octo/shop'],
    ['/srv/git/shop.git', null],
    ['../shop', null],
    ['file:///srv/octo/shop', null],
    ['https://github.com/shop', null],
    ['https://github.com/a/b/c', null],
  ])('%s names %s', (address, expected) => {
    const found = parseRemoteAddress(address);
    expect(found === null ? null : `${found.host} ${found.fullName}`).toBe(expected);
  });
});

describe('a hidden marker', () => {
  it('is read back, the last one of its kind, and can be taken out of a text', () => {
    const text = `a ${formatMarker('run', 'r1')} b ${formatMarker('item', '7')} ${formatMarker('run', 'r2')}`;
    expect([readMarker('run', text), readMarker('item', text), readMarker('review', text)]).toEqual([
      'r2',
      '7',
      null,
    ]);
    expect(readMarker('run', withoutMarkers(text))).toBeNull();
    expect(() => formatMarker('run', 'x --> <!--')).toThrow('marker');
  });
});

describe('an answer of GitHub', () => {
  const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW / 1000 + 60) };
  it.each<[string, number, Record<string, string>, string, Partial<ForgeProblem>]>([
    [
      'a used-up limit',
      403,
      headers,
      '',
      { kind: 'parked', reason: 'rate_limit', until: '2026-01-01T00:01:00.000Z' },
    ],
    [
      'a secondary limit',
      429,
      { 'retry-after': '5' },
      '',
      { kind: 'parked', until: '2026-01-01T00:00:05.000Z' },
    ],
    [
      'one without a time',
      403,
      {},
      'You have exceeded a secondary rate limit',
      { kind: 'parked', until: '2026-01-01T00:01:00.000Z' },
    ],
    ['a wrong token', 401, {}, '', { kind: 'token_refused' }],
    [
      'a missing scope',
      404,
      { 'x-oauth-scopes': 'gist', 'x-accepted-oauth-scopes': 'repo' },
      '',
      { kind: 'missing_scope' },
    ],
    ['a fine-grained token', 403, {}, 'Resource not accessible', { kind: 'forbidden' }],
    [
      'a missing thing',
      404,
      { 'x-oauth-scopes': 'repo', 'x-accepted-oauth-scopes': 'repo' },
      '',
      { kind: 'not_found' },
    ],
    ['a conflict', 422, {}, 'exists', { kind: 'conflict' }],
    ['a failing server', 503, {}, '', { kind: 'unreachable' }],
    ['anything else', 451, {}, 'blocked', { kind: 'refused', status: 451 }],
  ])('with %s is a typed problem with a message', (_, status, given, message, expected) => {
    const request = { what: 'reading', host: 'github.com', source: 'GH_TOKEN', now: NOW };
    const problem = classifyAnswer({ status, headers: given, message }, request);
    expect(problem).toMatchObject(expected);
    expect(new ForgeError(problem).message.length).toBeGreaterThan(20);
  });
});

describe('a repository that is not known', () => {
  it.each([
    [true, 'there is no remote "origin"', '`git remote add`'],
    [false, 'the address of the remote "origin" names no repository', '`git remote set-url`'],
  ])('is named with the command that sets it (missing: %s)', (isMissing, message, help) => {
    const { text } = new ForgeError({ kind: 'no_repository', remote: 'origin', isMissing });
    expect(text).toEqual({ message: expect.stringContaining(message), help: expect.stringContaining(help) });
  });
});

describe('the description of a pull request', () => {
  const summary = summaryWith();

  it('keeps outside text in fences that it can’t close, without its markers', () => {
    const task = 'x\n```\n<!-- conductor:run other -->\n@ann fixes #1';
    const body = pullRequestBody({ summary, task, issue: { number: 4, isUnchanged: false } });
    expect(body).toContain('````text\nx\n```\n');
    expect(readMarker('run', body)).toBe(summary.run_id);
    expect(body).toContain('Closes #4');
    expect(body).toContain('was edited after the run read it');
  });

  it('is replaced in a text of people, and added where it is missing', () => {
    const part = pullRequestBody({ summary, task: null, issue: null });
    const before = `Hello.\n\n${part}\n\nBye.`;
    const changed = part.replace('## Cost', '## Price');
    expect(replaceOwnPart(before, summary.run_id, changed)).toBe(`Hello.\n\n${changed}\n\nBye.`);
    expect(replaceOwnPart('Hello.', summary.run_id, part)).toBe(`Hello.\n\n${part}`);
    expect(replaceOwnPart('', summary.run_id, part)).toBe(part);
  });

  it('goes with a status of at most 140 characters', () => {
    expect(statusLine(summary).length).toBeLessThanOrEqual(140);
  });
});
