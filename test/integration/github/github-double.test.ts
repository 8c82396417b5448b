import { afterEach, describe, expect, it } from 'vitest';
import { gitAt, makeRepo } from '../../../testing/git-repo.ts';
import { badGateway, secondaryLimit } from '../../../testing/github/faults.ts';
import { createGitHubDouble, type GitHubDouble } from '../../../testing/github/github-double.ts';

const FULL = 'octo/shop';
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function openDouble(options: Parameters<typeof createGitHubDouble>[0] = {}): Promise<GitHubDouble> {
  const double = await createGitHubDouble({ startAt: Date.parse('2026-01-01T00:00:00Z'), ...options });
  cleanups.push(double.close);
  for (const login of ['octo', 'mia', 'rob', 'stranger']) double.addUser({ login });
  await double.addRepository({ fullName: FULL, collaborators: { mia: 'write', rob: 'maintain' } });
  return double;
}

async function withBranch(double: GitHubDouble, branch = 'feature') {
  const repo = await makeRepo({ files: { 'a.txt': 'one\ntwo\nthree\n' } });
  cleanups.push(repo.cleanup);
  const url = `${double.url.replace('://', `://x:${double.tokenOf('mia')}@`)}/${FULL}.git`;
  await repo.git('remote', 'add', 'origin', url);
  await repo.git('push', '--quiet', 'origin', 'main');
  await repo.git('checkout', '--quiet', '-b', branch);
  await repo.write('a.txt', 'one\n2\nthree\n');
  await repo.git('commit', '--quiet', '--all', '--message=change');
  await repo.git('push', '--quiet', 'origin', branch);
  return { repo, head: (await repo.git('rev-parse', 'HEAD')).trim() };
}

function call(
  double: GitHubDouble,
  login: string,
  path: string,
  init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
): Promise<Response> {
  const { headers, ...rest } = init;
  return fetch(`${double.url}${path}`, {
    ...rest,
    headers: { authorization: `token ${double.tokenOf(login)}`, 'user-agent': 'test', ...headers },
  });
}

const at = (path: string): string => `/repos/${FULL}${path}`;

describe('the GitHub double', () => {
  it('opens, reviews and merges a pull request that was pushed with git', async () => {
    const double = await openDouble();
    const { repo, head } = await withBranch(double);
    const fields = { title: 'Change', head: 'feature', base: 'main', body: 'Closes #1' };
    await double.as('mia', 'POST', at('/issues'), { title: 'Please', body: 'do', labels: ['new', 'Other'] });
    const pull = await double.as('mia', 'POST', at('/pulls'), fields);
    expect(pull).toMatchObject({
      number: 2,
      head: { sha: head },
      mergeable: true,
      changed_files: 1,
      additions: 1,
    });
    const second = await call(double, 'mia', at('/pulls'), { method: 'POST', body: JSON.stringify(fields) });
    expect(second.status).toBe(422);
    expect(await second.text()).toContain('A pull request already exists for octo:feature.');
    await expect(double.as('mia', 'POST', at('/pulls/2/reviews'), { event: 'APPROVE' })).rejects.toThrow(
      'Can not approve your own pull request',
    );
    const comments = [{ path: 'a.txt', line: 2, body: 'why 2?' }];
    await double.as('rob', 'POST', at('/pulls/2/reviews'), {
      event: 'REQUEST_CHANGES',
      body: 'no',
      comments,
    });
    await expect(
      double.as('rob', 'POST', at('/pulls/2/comments'), {
        path: 'a.txt',
        line: 77,
        body: 'x',
        commit_id: head,
      }),
    ).rejects.toThrow('422');
    expect(await double.as('octo', 'GET', at('/pulls/comments'))).toMatchObject([{ path: 'a.txt', line: 2 }]);
    await repo.write('a.txt', 'one\n3\nthree\n');
    await repo.git('commit', '--quiet', '--all', '--message=again');
    await repo.git('push', '--quiet', 'origin', 'feature');
    await expect(double.as('mia', 'PUT', at('/pulls/2/merge'), { sha: head })).rejects.toThrow('409');
    await expect(double.as('stranger', 'PUT', at('/pulls/2/merge'), {})).rejects.toThrow('403');
    expect(await double.as('mia', 'PUT', at('/pulls/2/merge'), {})).toMatchObject({ merged: true });
    expect(await double.as('mia', 'GET', at('/pulls/2/files'))).toMatchObject([{ filename: 'a.txt' }]);
    expect(await double.as('mia', 'GET', at('/issues/1'))).toMatchObject({
      state: 'closed',
      labels: [{}, {}],
    });
    await repo.git('fetch', '--quiet', 'origin', 'main');
    expect(await repo.git('show', 'FETCH_HEAD:a.txt')).toBe('one\n3\nthree\n');
  });

  it('counts requests, but not those whose answer the client has', async () => {
    const double = await openDouble({ limits: { perHour: 4 } });
    const first = await call(double, 'mia', at(''));
    const etag = first.headers.get('etag') ?? '';
    const again = await call(double, 'mia', at(''), { headers: { 'if-none-match': etag } });
    expect([first.status, again.status, again.headers.get('x-ratelimit-remaining')]).toEqual([200, 304, '3']);
    for (let n = 0; n < 3; n += 1) expect((await call(double, 'mia', at('/labels'))).status).toBe(200);
    const refused = await call(double, 'mia', at('/labels'));
    expect([refused.status, refused.headers.get('x-ratelimit-remaining')]).toEqual([403, '0']);
    double.advance(3_600_000);
    expect((await call(double, 'mia', at('/labels'))).status).toBe(200);
  });

  it('cuts lists into pages, with links by the id of the repository', async () => {
    const double = await openDouble({ limits: { writesPerMinute: 1000 } });
    for (let n = 1; n <= 101; n += 1) await double.as('mia', 'POST', at('/issues'), { title: `issue ${n}` });
    const response = await call(double, 'mia', at('/issues?per_page=100'));
    expect(await response.json()).toHaveLength(100);
    const [, next = ''] = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '') ?? [];
    expect(next).toContain('/repositories/');
    expect(await (await call(double, 'mia', next.slice(double.url.length))).json()).toMatchObject([
      { title: 'issue 1' },
    ]);
  });

  it('refuses a secondary limit, an expired token, a missing scope and a stranger, each in GitHub’s way', async () => {
    const double = await openDouble({ limits: { writesPerMinute: 1 } });
    await double.as('mia', 'POST', at('/issues'), { title: 'one' });
    const body = JSON.stringify({ title: 'two' });
    const limited = await call(double, 'mia', at('/issues'), { method: 'POST', body });
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([403, '60']);
    const token = double.addToken({ login: 'mia', scopes: ['gist'], expiresAt: double.now() + 61_000 });
    double.advance(60_000);
    const scoped = await call(double, 'mia', at('/issues'), {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${token}` },
    });
    expect([scoped.status, scoped.headers.get('x-oauth-scopes')]).toEqual([403, 'gist']);
    double.advance(1000);
    expect(
      (await call(double, 'mia', at(''), { headers: { authorization: `Bearer ${token}` } })).status,
    ).toBe(401);
    await expect(double.as('stranger', 'POST', at('/labels'), { name: 'x' })).rejects.toThrow('403');
    double.advance(60_000);
    await double.as('stranger', 'POST', at('/issues'), { title: 'mine', labels: ['status:approved'] });
    expect(await double.as('mia', 'GET', at('/issues/2'))).toMatchObject({ labels: [] });
  });

  it('follows a renamed repository, a deleted and a force-pushed branch', async () => {
    const double = await openDouble();
    const { repo } = await withBranch(double);
    await double.as('mia', 'POST', at('/pulls'), { title: 'Change', head: 'feature', base: 'main' });
    double.renameRepository(FULL, 'store');
    const redirect = await call(double, 'mia', at('/pulls/1'), { redirect: 'manual' });
    expect(redirect.status).toBe(301);
    expect(await (await call(double, 'mia', at('/pulls/1'))).json()).toMatchObject({ number: 1 });
    await repo.git('commit', '--quiet', '--amend', '--message=other');
    await repo.git('push', '--quiet', '--force', 'origin', 'feature');
    await gitAt(repo.root, 'push', '--quiet', 'origin', ':feature');
    const events = await double.as('mia', 'GET', '/repos/octo/store/issues/1/events');
    expect((events as { event: string }[]).map(({ event }) => event)).toEqual([
      'head_ref_force_pushed',
      'head_ref_deleted',
      'closed',
    ]);
  });

  it('lets calls go wrong before and after they take effect, git’s included', async () => {
    const double = await openDouble();
    const { repo } = await withBranch(double);
    const open = (title: string) =>
      call(double, 'mia', at('/issues'), { method: 'POST', body: JSON.stringify({ title }) });
    double.addFault({ operation: 'issues/create', when: 'after', effect: badGateway });
    expect((await open('one')).status).toBe(502);
    double.addFault({ writes: true, when: 'before', effect: { kind: 'drop' } });
    await expect(open('two')).rejects.toThrow('fetch failed');
    double.addFault({ nth: 2, when: 'before', effect: secondaryLimit(7) });
    expect((await open('three')).status).toBe(201);
    expect((await open('four')).headers.get('retry-after')).toBe('7');
    const issues = (await double.as('mia', 'GET', at('/issues'))) as { title: string }[];
    expect(issues.map(({ title }) => title)).toEqual(['three', 'one']);
    await repo.git('checkout', '--quiet', '-b', 'late');
    double.addFault({ operation: 'git', writes: true, when: 'after', effect: { kind: 'drop' } });
    await expect(repo.git('push', '--quiet', 'origin', 'late')).rejects.toThrow();
    expect(await double.as('mia', 'GET', at('/git/ref/heads/late'))).toMatchObject({
      ref: 'refs/heads/late',
    });
  });

  it('reports what does not fit GitHub’s description', async () => {
    const double = await createGitHubDouble();
    double.addUser({ login: 'octo' });
    await double.addRepository({ fullName: FULL });
    const wrong = { title: 'x', labells: [] };
    await expect(double.as('octo', 'POST', at('/issues'), wrong)).rejects.toThrow('422');
    await expect(double.as('octo', 'GET', at('/issues?perPage=3'))).rejects.toThrow('422');
    await expect(double.as('octo', 'GET', '/nothing')).rejects.toThrow('404');
    await expect(double.close()).rejects.toThrow('issues/create has no field labells');
  });
});
