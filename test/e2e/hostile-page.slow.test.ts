import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { REFUSALS, type RefusalRow } from './hostile-page-table.ts';
import {
  ask,
  Browser,
  dripRaw,
  lengthOf,
  openPage,
  openStream,
  ownHeaders,
  type Page,
  pair,
  sendRaw,
} from './page-client.ts';
import { test, until } from './scene.ts';

/** The rows that can be recognized by the bytes of a request; placeholders stand for what only the server knows. */
function fill(text: string, { port }: Page, cookie: string): string {
  return text.replaceAll('PORT', String(port)).replaceAll('COOKIE', cookie).replaceAll('\n', '\r\n');
}

async function refusalOf(page: Page, cookie: string, row: RefusalRow): Promise<string> {
  const answer = await sendRaw(page, fill(row.request, page, cookie));
  if (!/^x-frame-options: DENY\r$/im.test(answer) || !/frame-ancestors 'none'/.test(answer))
    return `no protection: ${answer.slice(0, 80)}`;
  return /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? `no answer: ${answer.slice(0, 80)}`;
}

describe('a hostile request', () => {
  test('is refused as the table says', async ({ openScene }) => {
    const page = await openPage(await openScene());
    const { cookie } = await pair(page);
    const seen: [string, string][] = [];
    for (const row of REFUSALS) seen.push([row.what, await refusalOf(page, cookie, row)]);
    expect(seen).toEqual(REFUSALS.map(({ what, status }) => [what, String(status)]));
    // The server is still there, and the session is still good.
    expect((await new Browser(page, cookie).get('/api/session')).status).toBe(200);
  });

  test('never gets a file outside the built page', async ({ openScene }) => {
    const page = await openPage(await openScene());
    for (const path of [
      '/../package.json',
      '/assets/../../conductor.js',
      '/%2e%2e/%2e%2e/package.json',
      '/%252e%252e/package.json',
      '/assets/%00index.html',
      '/..%2f..%2fpackage.json',
      '/....//package.json',
      '/.git/config',
    ]) {
      const { text, headers } = await ask(page, 'GET', path);
      expect(text, path).not.toContain('"tnh-conductor"');
      expect(String(headers['content-type']), path).toMatch(/^text\/html|^text\/plain/);
    }
  });

  test('gets no CORS header, and every answer forbids frames, sniffing and inline code', async ({
    openScene,
  }) => {
    const page = await openPage(await openScene());
    const answers = [
      await ask(page, 'GET', '/'),
      await ask(page, 'GET', '/api/session'),
      await ask(page, 'GET', '/nothing.js'),
      await ask(page, 'GET', '/', { headers: { host: 'evil.example' } }),
    ];
    for (const { headers } of answers) {
      expect(headers['content-security-policy']).toMatch(/^default-src 'none'.*frame-ancestors 'none'/);
      expect(headers['content-security-policy']).not.toContain('unsafe');
      expect(headers).toMatchObject({
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

describe('pairing', () => {
  test('takes a code once, and limits wrong codes', async ({ openScene }) => {
    const scene = await openScene();
    const page = await openPage(scene);
    const attempt = (code: string) => new Browser(page, '').send('POST', '/api/pair', { code });
    const { cookie } = await pair(page);
    expect(await attempt(page.code)).toMatchObject({ status: 403, json: { error: { code: 'wrong_code' } } });
    const statuses: number[] = [];
    for (let count = 0; count < 12; count += 1) statuses.push((await attempt('A'.repeat(22))).status);
    expect(statuses.filter((status) => status === 403)).toHaveLength(9);
    expect(statuses.at(-1)).toBe(429);
    // Neither code nor secret is in any file or in the output of the server.
    const folder = join(scene.home, '.local/state/conductor/serve/sessions');
    const [name = ''] = readdirSync(folder);
    const stored = readFileSync(join(folder, name), 'utf8');
    const [, secret = ''] = cookie.split('.');
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(stored).not.toContain(secret);
    expect(stored).not.toContain(page.code);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(`${page.server.stdout()}${page.server.stderr()}`).not.toContain(secret);
  });

  test('gives a fresh session, whatever cookie the browser sends', async ({ openScene }) => {
    const page = await openPage(await openScene());
    const planted = `conductor=0123456789abcdef.${'A'.repeat(43)}`;
    const body = JSON.stringify({ code: page.code });
    const reply = await ask(page, 'POST', '/api/pair', {
      headers: { cookie: planted, ...ownHeaders(page), ...lengthOf(body) },
      body,
    });
    const set = String(reply.headers['set-cookie']);
    expect(set).toMatch(
      /^conductor=[0-9a-f]{16}\.[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/,
    );
    expect(set).not.toContain('0123456789abcdef');
    expect((await new Browser(page, planted).get('/api/session')).status).toBe(401);
    // Two cookies of that name: another page on this host has added one.
    const [own = ''] = set.split(';');
    expect((await new Browser(page, `${planted}; ${own}`).get('/api/session')).status).toBe(401);
    expect((await new Browser(page, own).get('/api/session')).status).toBe(200);
  });

  test('takes no name with control characters or line breaks', async ({ openScene }) => {
    const page = await openPage(await openScene());
    for (const name of ['a\r\nset-cookie: x=1', 'a\u202eb', ' ', 'a'.repeat(65)]) {
      const reply = await new Browser(page, '').send('POST', '/api/pair', { code: page.code, name });
      expect(reply.status, JSON.stringify(name)).toBe(400);
      expect(reply.headers['set-cookie']).toBeUndefined();
    }
    expect((await pair(page)).cookie).toMatch(/^conductor=/);
  });
});

describe('a slow client', { timeout: 60_000 }, () => {
  test('is cut off, and does not keep others from the page', async ({ openScene }) => {
    const page = await openPage(await openScene());
    const browser = await pair(page);
    const begun = Date.now();
    const head = (more: string) => `POST /api/pair HTTP/1.1\r\nHost: 127.0.0.1:${page.port}\r\n${more}`;
    const own = `Origin: http://127.0.0.1:${page.port}\r\nContent-Type: application/json\r\n`;
    const drips = Array.from({ length: 100 }, (_, index) =>
      dripRaw(
        page,
        head(index % 2 === 0 ? 'X-Slow: ' : `${own}Content-Length: 4096\r\n\r\n{`),
        index % 2 === 0 ? 'a' : ' ',
      ),
    );
    // While they drip, everything else is answered at once.
    expect((await browser.get('/api/session')).status).toBe(200);
    const ends = await Promise.all(drips.map(({ ended }) => ended));
    const seconds = (Date.now() - begun) / 1_000;
    expect(ends.every((text) => text === '' || text.startsWith('HTTP/1.1 408'))).toBe(true);
    // Not sooner than the bounds either, or a phone far away could not use the page.
    expect(seconds).toBeGreaterThan(9);
    expect((await browser.get('/api/session')).status).toBe(200);
  });

  test('that opens all connections gets no more of them, and the page is back when they are closed', async ({
    openScene,
  }) => {
    const page = await openPage(await openScene());
    const browser = await pair(page);
    const open = Array.from({ length: 400 }, () => dripRaw(page, '', ''));
    // The ones above the limit are closed at once, without an answer.
    await until(() => open.filter(({ isClosed }) => isClosed()).length >= 144);
    for (const { close } of open) close();
    await Promise.all(open.map(({ ended }) => ended));
    // The server learns of each closed connection on its own; until then it may close further ones.
    const askAgain = () => browser.get('/api/session').catch(() => null);
    let reply = await askAgain();
    while (reply === null) reply = await askAgain();
    expect(reply.status).toBe(200);
  });
});

describe('a stream', () => {
  test('opens for no other page, and for no request without a session', async ({ openScene }) => {
    const scene = await openScene();
    const page = await openPage(scene);
    const browser = await pair(page);
    const { json } = await browser.get('/api/session');
    const [repo] = json.repos as readonly { readonly id: string }[];
    const path = `/api/repos/${repo?.id}/stream`;
    const tries = [
      { cookie: browser.cookie, origin: 'http://evil.example' },
      { cookie: browser.cookie, origin: 'null' },
      { cookie: browser.cookie, 'sec-fetch-site': 'cross-site' },
      { cookie: browser.cookie, 'sec-fetch-site': 'same-site' },
      { cookie: browser.cookie, 'sec-fetch-site': 'none' },
    ];
    for (const headers of tries)
      for (const name of [path, path.replace('/stream', '/./stream'), path.replace('stream', 'strea%6d')])
        expect((await ask(page, 'GET', name, { headers })).status, name).toBe(403);
    expect((await ask(page, 'GET', path)).status).toBe(401);
    expect(openStream(browser, path).isClosed()).toBe(false);
  });
});

describe('a link inside the folder of the page', () => {
  test('leads nowhere else', async ({ openScene }) => {
    const { sendStaticFile } = await import('../../src/surfaces/http/static-files.ts');
    const scene = await openScene();
    const folder = join(scene.home, 'web');
    mkdirSync(join(folder, 'assets'), { recursive: true });
    writeFileSync(join(scene.home, 'secret.js'), 'secret');
    chmodSync(join(scene.home, 'secret.js'), 0o644);
    symlinkSync(join(scene.home, 'secret.js'), join(folder, 'assets', 'a.js'));
    writeFileSync(join(folder, 'assets', 'b.js'), 'own');
    const textOf = async (path: string) => (await sendStaticFile(folder, path, new Headers())).text();
    expect(await textOf('/assets/b.js')).toBe('own');
    expect(await textOf('/assets/a.js')).not.toContain('secret');
  });
});
