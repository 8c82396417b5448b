import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createIntentFile } from '../../../src/adapters/forge/intent-journal.ts';
import { ForgeError } from '../../../src/forge/forge-problem.ts';
import { formatMarker, readMarker } from '../../../src/forge/markers.ts';
import { writeOnce } from '../../../src/forge/write-once.ts';
import { makeRepo } from '../../../testing/git-repo.ts';
import { badGateway, secondaryLimit } from '../../../testing/github/faults.ts';
import type { GitHubDouble } from '../../../testing/github/github-double.ts';
import { type ForgeScene, FULL_NAME, openForgeScene, START } from './scene.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function open(options?: Parameters<typeof openForgeScene>[0]): Promise<ForgeScene> {
  const scene = await openForgeScene(options);
  cleanups.push(...scene.cleanups);
  return scene;
}

/** Pushes `main` and a branch with one change. */
async function pushBranch(double: GitHubDouble, branch = 'feature') {
  const repo = await makeRepo({ files: { 'a.txt': 'one\ntwo\nthree\n' } });
  cleanups.push(repo.cleanup);
  const url = `${double.url.replace('://', `://x:${double.tokenOf('mia')}@`)}/${FULL_NAME}.git`;
  await repo.git('push', '--quiet', url, 'main');
  await repo.git('checkout', '--quiet', '-b', branch);
  await repo.write('a.txt', 'one\n2\nthree\n');
  await repo.git('commit', '--quiet', '--all', '--message=change');
  await repo.git('push', '--quiet', url, branch);
  return { head: (await repo.git('rev-parse', 'HEAD')).trim() };
}

const NEW_PULL = { title: 'Change', body: 'why', headRef: 'feature', baseRef: 'main', isDraft: true };

async function problemOf(work: Promise<unknown>) {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ForgeError)) throw new Error(`no problem of a forge: ${String(error)}`);
  return error.problem;
}

describe('GitHub as a forge', () => {
  it('opens a pull request and reads reviews, comments on lines, statuses and who may write', async () => {
    const { double, forge } = await open();
    const { head } = await pushBranch(double);
    const mia = await forge('mia');
    expect(await mia.repository()).toMatchObject({ fullName: FULL_NAME, defaultBranch: 'main' });
    const pull = await mia.pulls.create(NEW_PULL);
    expect(pull).toMatchObject({
      number: 1,
      state: 'open',
      isDraft: true,
      headRef: 'feature',
      headSha: head,
    });
    expect(await mia.pulls.list({ state: 'open', headRef: 'feature' })).toEqual([pull]);
    expect(await problemOf(mia.pulls.create(NEW_PULL))).toMatchObject({ kind: 'conflict' });
    await double.as('rob', 'POST', `/repos/${FULL_NAME}/pulls/1/reviews`, {
      event: 'REQUEST_CHANGES',
      body: 'no',
      comments: [{ path: 'a.txt', line: 2, body: 'why 2?' }],
    });
    const [review] = await mia.pulls.reviews(1);
    expect(review).toMatchObject({ state: 'changes_requested', body: 'no', author: { login: 'rob' } });
    expect(await mia.pulls.reviewComments(1)).toMatchObject([
      { reviewId: review?.id, path: 'a.txt', line: 2, side: 'new', body: 'why 2?', pullNumber: 1 },
    ]);
    const users = Object.fromEntries([...double.state.users.values()].map((user) => [user.login, user]));
    const mayWrite = (login: string, id = users[login]?.id ?? 0) => mia.canWrite({ id, login, isBot: false });
    expect(await Promise.all([mayWrite('rob'), mayWrite('stranger'), mayWrite('rob', 1)])).toEqual([
      true,
      false,
      false,
    ]);
    const status = { context: 'conductor', state: 'success', description: 'ok', url: null } as const;
    await mia.commits.setStatus(head, status);
    expect(await mia.commits.statuses(head)).toEqual([status]);
    expect(await mia.commits.checks(head, ['conductor'])).toEqual({ state: 'none', names: [], url: null });
    expect(await mia.commits.headOf('feature')).toBe(head);
    expect(await mia.commits.headOf('missing')).toBeNull();
    expect(await mia.pulls.update(1, { state: 'closed' })).toMatchObject({ state: 'closed' });
  });

  it('reads issues, their labels, comments and edits to the last page', async () => {
    const { double, forge } = await open({ limits: { writesPerMinute: 1000 } });
    for (let n = 1; n <= 101; n += 1)
      await double.as('mia', 'POST', `/repos/${FULL_NAME}/issues`, { title: `issue ${n}`, labels: ['bug'] });
    const mia = await forge('mia');
    const issues = await mia.issues.list({ state: 'all' });
    expect([issues.length, issues[0]?.title, issues[100]?.title]).toEqual([101, 'issue 1', 'issue 101']);
    await mia.labels.create({ name: 'status:ready', color: 'ffffff', description: 'go' });
    await mia.issues.addLabels(7, ['status:ready']);
    await mia.issues.removeLabel(7, 'bug');
    await mia.issues.removeLabel(7, 'bug');
    expect((await mia.issues.get(7)).labels).toEqual(['status:ready']);
    const changes = await mia.issues.labelChanges(7);
    expect(changes.map(({ change, label }) => `${change} ${label}`)).toContain('removed bug');
    expect((await mia.issues.allLabelChanges()).at(-1)).toMatchObject({ number: 7, change: 'removed' });
    const comment = await mia.issues.comment(7, 'hello');
    await mia.issues.updateComment(comment.id, 'bye');
    expect(await mia.issues.comments(7)).toMatchObject([
      { number: 7, body: 'bye', author: { login: 'mia' } },
    ]);
    expect(await mia.issues.lastEdit(7)).toBeNull();
    await double.as('rob', 'PATCH', `/repos/${FULL_NAME}/issues/7`, { body: 'other' });
    expect(await mia.issues.lastEdit(7)).toMatchObject({ by: { login: 'rob', isBot: false } });
  });

  it('asks again only for what changed, and leaves 40 % of the rate limit to people', async () => {
    const { double, forge } = await open({ limits: { perHour: 10 } });
    const mia = await forge('mia');
    for (let n = 0; n < 30; n += 1) await mia.labels.list();
    expect(double.rateLimitOf('mia').used).toBe(1);
    double.useRateLimit('mia', 5);
    await mia.issues.list({ state: 'open' }).catch(() => undefined);
    expect(await problemOf(mia.repository())).toEqual({
      kind: 'parked',
      reason: 'reserve',
      until: new Date(START + 3_600_000).toISOString(),
    });
    const sent = double.requests.length;
    await problemOf(mia.repository());
    expect(double.requests).toHaveLength(sent);
    double.advance(3_600_000);
    expect(await mia.repository()).toMatchObject({ fullName: FULL_NAME });
  });

  it('parks on a secondary limit, and sends nothing before its time', async () => {
    const { double, forge } = await open();
    const mia = await forge('mia');
    double.addFault({ writes: true, when: 'before', effect: secondaryLimit(90) });
    const create = () => mia.labels.create({ name: 'x', color: 'ffffff', description: '' });
    const parked = {
      kind: 'parked',
      reason: 'secondary_limit',
      until: new Date(START + 90_000).toISOString(),
    };
    expect(await problemOf(create())).toEqual(parked);
    expect(await problemOf(mia.repository())).toEqual(parked);
    expect(double.requests).toHaveLength(1);
    double.advance(90_000);
    await create();
  });

  it('sends writes one at a time and a second apart', async () => {
    const { double, forge } = await open();
    const mia = await forge('mia');
    const names = ['a', 'b', 'c', 'd'];
    await Promise.all(names.map((name) => mia.labels.create({ name, color: 'ffffff', description: '' })));
    const writes = double.requests.filter(({ isWrite }) => isWrite);
    expect(writes.map(({ at }) => at - START)).toEqual([0, 1000, 2000, 3000]);
    expect(writes.every(({ writesUnderWay }) => writesUnderWay === 0)).toBe(true);
  });

  it('repeats a read after a failure of the server, and a write never', async () => {
    const { double, forge } = await open();
    const mia = await forge('mia');
    double.addFault({ operation: 'repos/get', when: 'before', effect: badGateway });
    double.addFault({ operation: 'repos/get', when: 'before', effect: { kind: 'drop' } });
    expect(await mia.repository()).toMatchObject({ fullName: FULL_NAME });
    double.addFault({ operation: 'issues/create', when: 'after', effect: badGateway });
    const failed = await problemOf(mia.issues.create({ title: 'one', body: '', labels: [] }));
    expect(failed).toMatchObject({ kind: 'unreachable', reason: 'HTTP 502' });
    expect(await mia.issues.list({ state: 'all' })).toHaveLength(1);
  });

  it('names an expired token, a missing scope, a missing token and a repository that it can’t see', async () => {
    const { double, forge } = await open();
    const expired = double.addToken({ login: 'mia', expiresAt: START });
    expect(await problemOf((await forge('mia', { token: expired })).repository())).toMatchObject({
      kind: 'token_refused',
      source: 'TEST_TOKEN',
    });
    const scoped = await forge('mia', { token: double.addToken({ login: 'mia', scopes: ['gist'] }) });
    const label = { name: 'x', color: 'ffffff', description: '' };
    expect(await problemOf(scoped.labels.create(label))).toMatchObject({
      kind: 'missing_scope',
      accepted: ['repo', 'public_repo'],
    });
    expect(await problemOf((await forge('stranger')).labels.create(label))).toMatchObject({
      kind: 'forbidden',
    });
    const other = await forge('mia', { fullName: 'octo/nothing' });
    expect(await problemOf(other.repository())).toMatchObject({ kind: 'not_found' });
    const none = await forge('mia', { variables: {} });
    expect(await problemOf(none.repository())).toMatchObject({
      kind: 'no_token',
      sources: ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'],
    });
  });

  it('follows a renamed repository with reads and writes, and says its new name', async () => {
    const { double, forge } = await open();
    const mia = await forge('mia');
    double.renameRepository(FULL_NAME, 'store');
    expect(await mia.repository()).toMatchObject({ fullName: 'octo/store' });
    await mia.labels.create({ name: 'x', color: 'ffffff', description: '' });
    expect(await mia.labels.list()).toMatchObject([{ name: 'x' }]);
  });

  it('goes through the proxy that the environment names, except for hosts without one', async () => {
    const { double, forge } = await open();
    const asked: string[] = [];
    const proxy = createServer().on('connect', (request, client) => {
      asked.push(request.url ?? '');
      const [host = '', port] = (request.url ?? '').split(':');
      const target = connect(Number(port), host, () => {
        client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        target.pipe(client).pipe(target);
      });
      target.on('error', () => client.destroy());
      client.on('error', () => target.destroy());
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    cleanups.push(async () => {
      proxy.close();
    });
    const { port } = proxy.address() as AddressInfo;
    const token = { GH_ENTERPRISE_TOKEN: double.tokenOf('mia'), HTTP_PROXY: `http://127.0.0.1:${port}` };
    expect(await (await forge('mia', { variables: token })).self()).toMatchObject({ login: 'mia' });
    const { host } = new URL(double.url);
    expect(asked).toEqual([host]);
    const direct = await forge('mia', { variables: { ...token, no_proxy: '127.0.0.1' } });
    expect(await direct.self()).toMatchObject({ login: 'mia' });
    expect(asked).toHaveLength(1);
  });

  it('acts as a GitHub App with a token of its installation, and renews it', async () => {
    const { double, forge } = await open();
    const { publicKey, privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const { bot } = double.addApp({ id: 17, slug: 'conductor-app', publicKey });
    double.findRepository(FULL_NAME).collaborators.set(bot.id, 'write');
    const app = await forge('octo', {
      variables: { GITHUB_APP_ID: '17', GITHUB_APP_PRIVATE_KEY: privateKey },
    });
    expect(await app.self()).toEqual({ id: bot.id, login: 'conductor-app[bot]', isBot: true });
    const first = (await app.pushSecret()).secret;
    double.advance(3_500_000);
    const second = (await app.pushSecret()).secret;
    expect([first === second, second.startsWith('ghs_')]).toEqual([false, true]);
  });
});

describe('a write that happens once', () => {
  async function openIntents() {
    const folder = await mkdtemp(join(tmpdir(), 'intents-'));
    cleanups.push(() => rm(folder, { recursive: true }));
    const path = join(folder, 'intents.ndjson');
    return { path, journal: () => createIntentFile(path, () => new Date(START)) };
  }

  const marker = formatMarker('run', 'r1');

  async function openIssue(scene: ForgeScene, journal: ReturnType<typeof createIntentFile>) {
    const mia = await scene.forge('mia');
    return writeOnce(journal, {
      key: 'r1/issue',
      operation: 'open_issue',
      recall: (result) => Number(result),
      find: async () =>
        (await mia.issues.list({ state: 'all' })).find(({ body }) => readMarker('run', body) === 'r1')
          ?.number ?? null,
      write: async () =>
        (await mia.issues.create({ title: 'one', body: `text\n${marker}`, labels: [] })).number,
    });
  }

  const issues = (scene: ForgeScene) => scene.double.findRepository(FULL_NAME).issues.size;

  it('is recorded before it is sent, and is not sent again after a 502 that it took effect behind', async () => {
    const scene = await open();
    const { path, journal } = await openIntents();
    let before = '';
    scene.double.addFault({
      operation: 'issues/create',
      when: 'after',
      effect: {
        kind: 'run',
        run: async () => {
          before = await readFile(path, 'utf8');
        },
      },
    });
    expect(await openIssue(scene, journal())).toBe(1);
    expect(before).toContain('"begun"');
    expect(await openIssue(scene, journal())).toBe(1);
    expect([issues(scene), scene.double.requests.filter(({ isWrite }) => isWrite).length]).toEqual([1, 1]);
  });

  it('is repeated once if it did not take effect', async () => {
    const scene = await open();
    const { journal } = await openIntents();
    scene.double.addFault({ operation: 'issues/create', when: 'before', effect: badGateway });
    expect(await openIssue(scene, journal())).toBe(1);
    expect(issues(scene)).toBe(1);
  });

  it('is looked up by a process that finds it begun, also behind a line that a crash cut off', async () => {
    const scene = await open();
    const { path, journal } = await openIntents();
    await journal().begin({ key: 'r1/issue', operation: 'open_issue' });
    await writeFile(path, `${await readFile(path, 'utf8')}{"state":"fini`);
    await scene.double.as('mia', 'POST', `/repos/${FULL_NAME}/issues`, { title: 'one', body: marker });
    expect(await openIssue(scene, journal())).toBe(1);
    expect(issues(scene)).toBe(1);
    expect(await journal().begin({ key: 'r1/issue', operation: '' })).toEqual({
      kind: 'finished',
      result: 1,
    });
  });
});
