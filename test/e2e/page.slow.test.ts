import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { openPage, openStream, pair } from './page-client.ts';
import { fixture, type Scene, test, until } from './scene.ts';

async function waitingRun(scene: Scene): Promise<string> {
  const { code, runId } = await scene.run('gate');
  expect(code).toBe(3);
  return runId;
}

async function repoPath(browser: Awaited<ReturnType<typeof pair>>): Promise<string> {
  const { json } = await browser.get('/api/session');
  const [first] = json.repos as readonly { readonly id: string }[];
  return `/api/repos/${first?.id}`;
}

describe('the page', () => {
  test('answers a gate, and the run continues without another command', async ({ openScene }) => {
    const scene = await openScene();
    const runId = await waitingRun(scene);
    const page = await openPage(scene);
    const browser = await pair(page, { code: page.code, name: 'phone of Ann' });
    const repo = await repoPath(browser);
    const { json: gate } = await browser.get(`${repo}/runs/${runId}/gate`);
    expect(gate).toMatchObject({ step_id: 'approve', answer: null, is_expired: false });
    const answer = { answer: 'approve', shown: gate.request_sha256 };
    const stale = await browser.send('POST', `${repo}/runs/${runId}/gate`, {
      ...answer,
      shown: '0'.repeat(64),
    });
    expect(stale).toMatchObject({ status: 409, json: { current: { request_sha256: gate.request_sha256 } } });
    const both = await Promise.all([
      browser.send('POST', `${repo}/runs/${runId}/gate`, answer),
      browser.send('POST', `${repo}/runs/${runId}/gate`, { ...answer, answer: 'reject' }),
    ]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const record = await until(() => scene.record(runId).status.outcome !== null && scene.record(runId));
    const [answered] = [...record.eventsOf('gate_approved'), ...record.eventsOf('gate_rejected')];
    expect(answered?.payload).toMatchObject({
      by: 'phone of Ann',
      from: { session: 'phone of Ann', terminal: null, address: '127.0.0.1' },
    });
    page.server.kill('SIGTERM');
    expect((await page.server.done).code).toBe(130);
  });

  test('streams every event once, across a kill of the server', async ({ openScene }) => {
    const scene = await openScene();
    const first = await openPage(scene);
    const browser = await pair(first);
    const repo = await repoPath(browser);
    const list = openStream(browser, `${repo}/stream`);
    const runId = await waitingRun(scene);
    await until(() => list.text().includes(`"run_id":"${runId}"`));
    const stream = openStream(browser, `${repo}/stream?run=${runId}`);
    const total = scene.record(runId).lines.length;
    await until(() => stream.ids().length === total);
    first.server.kill('SIGKILL');
    await until(() => stream.isClosed());
    expect(await scene.conductor('approve', runId, '--resume')).toMatchObject({ code: 0 });
    const second = await openPage(scene);
    // The session outlives the server.
    const again = Object.assign(browser, { page: second });
    const last = stream.ids().at(-1) ?? -1;
    const rest = openStream(again, `${repo}/stream?run=${runId}`, { 'last-event-id': String(last) });
    const all = scene.record(runId).lines.length;
    await until(() => stream.ids().length + rest.ids().length === all);
    expect([...stream.ids(), ...rest.ids()]).toEqual(Array.from({ length: all }, (_, seq) => seq));
  });

  test('ends a revoked session and its streams at once', async ({ openScene }) => {
    const scene = await openScene();
    const page = await openPage(scene);
    const owner = await pair(page);
    const { json: pairing } = await owner.send('POST', '/api/sessions/pairing', {
      rights: 'look',
      name: 'tablet',
    });
    expect(pairing).toMatchObject({ url: `${page.url}#pair=${String(pairing.code)}` });
    const tablet = await pair(page, { code: pairing.code, name: 'Test User' });
    const { json: own } = await tablet.get('/api/session');
    expect(own).toMatchObject({ session: { name: 'tablet', rights: 'look' } });
    const refused = await tablet.send('POST', '/api/sessions/pairing', { rights: 'answer' });
    expect(refused).toMatchObject({ status: 403, json: { error: { code: 'look_only' } } });
    const stream = openStream(tablet, `${await repoPath(tablet)}/stream`);
    const { id } = own.session as { id: string };
    const listed = async () => (await owner.get('/api/sessions')).text;
    await until(() => !stream.isClosed());
    expect(await listed()).toContain('"name":"tablet"');
    expect(await owner.send('DELETE', `/api/sessions/${id}`)).toMatchObject({ status: 200 });
    await until(() => stream.isClosed());
    expect((await tablet.get('/api/session')).status).toBe(401);
    const { stdout } = await scene.conductor('serve', '--sessions', '--json');
    expect(stdout).not.toContain('tablet');
    // Another process ends the other session, and the server notices.
    const other = openStream(owner, `${await repoPath(owner)}/stream`);
    await scene.conductor('serve', '--revoke', 'all');
    await until(() => other.isClosed());
    expect((await owner.get('/api/session')).status).toBe(401);
  });

  test('hands comments on lines to the next attempt', async ({ openScene }) => {
    const workflow = readFileSync(fixture('gate'), 'utf8')
      .replace('workflow_id: gate', 'workflow_id: back')
      .replace('gate_rejected: STOP', 'gate_rejected: implement');
    const scene = await openScene({ files: { '.tnh/workflows/back.yaml': workflow } });
    const { stdout } = await scene.conductor('run', 'back');
    const [runId = ''] = stdout.split('\n');
    const page = await openPage(scene);
    const browser = await pair(page);
    const repo = await repoPath(browser);
    const { json: gate } = await browser.get(`${repo}/runs/${runId}/gate`);
    const lines = [{ path: 'answer.txt', line: 1, side: 'new', text: 'why not 43?' }];
    const reply = await browser.send('POST', `${repo}/runs/${runId}/gate`, {
      answer: 'reject',
      shown: gate.request_sha256,
      lines,
    });
    expect(reply.status).toBe(200);
    const record = await until(() => {
      const now = scene.record(runId);
      return now.eventsOf('gate_requested').length === 2 && now;
    });
    expect(record.eventsOf('human_feedback')[0]?.payload).toMatchObject({ comment: '', lines });
    const inputs = readFileSync(join(record.path, 'artifacts/implement@2/inputs.json'), 'utf8');
    expect(inputs).toContain('- answer.txt, line 1: why not 43?');
    expect(readFileSync(join(record.path, 'artifacts/implement@2/prompt.md'), 'utf8')).toContain(
      '- answer.txt, line 1: why not 43?',
    );
  });
});
