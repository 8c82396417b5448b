import { createHmac } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { JournalEntry } from '../../src/contracts/work/work-event.ts';
import { accept, type Respond, withReceiver } from './receiver.ts';
import { CONFIG, fixture, type Scene, test, until } from './scene.ts';
import { plan, planned, test as workTest } from './work-scene.ts';

/** Writes `notify` into the user's own file. */
async function configure(scene: Pick<Scene, 'home'>, entries: readonly string[]): Promise<void> {
  const folder = join(scene.home, '.config', 'conductor');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'config.yaml'), `notify:\n${entries.map((each) => `  - ${each}\n`).join('')}`);
}

const SECRET = 'correct-horse-battery';

test('a gate and the end reach ntfy, Slack and a webhook, each once', async ({ openScene }) => {
  await withReceiver(accept, async ({ url, received }) => {
    const scene = await openScene();
    await configure(scene, [
      `{ kind: ntfy, url: "${url}/topic", token_env: NTFY_TOKEN }`,
      '{ kind: slack, url_env: SLACK_WEBHOOK }',
      `{ kind: webhook, url: "${url}/hook", secret_env: HOOK_SECRET, on: [gate, end, failed] }`,
    ]);
    const env = { NTFY_TOKEN: 'tk_example', SLACK_WEBHOOK: `${url}/services/T0/secret`, HOOK_SECRET: SECRET };
    const run = await scene.cli.start(['run', fixture('gate')], { env }).done;
    expect(run.code, run.stderr).toBe(3);
    const runId = run.stdout.trim();
    const approved = await scene.cli.start(['approve', runId, '--resume'], { env }).done;
    expect(approved.code, approved.stderr).toBe(0);

    const record = scene.record(runId);
    const [gate] = record.eventsOf('gate_requested');
    const [end] = record.eventsOf('run_completed');
    const ids = [`${runId}:${gate?.seq}`, `${runId}:${end?.seq}`];
    for (const path of ['/', '/services/T0/secret', '/hook'])
      expect(
        received.filter((each) => each.path === path).map(({ headers }) => headers['idempotency-key']),
      ).toEqual(ids);

    const [ntfy] = received.filter(({ path }) => path === '/');
    expect(ntfy?.headers.authorization).toBe('Bearer tk_example');
    const published = JSON.parse(ntfy?.body ?? '');
    expect(published).toMatchObject({ topic: 'topic', priority: 4, tags: ['raised_hand'] });
    expect(published.message).toContain(`conductor approve ${runId} --resume`);
    expect(published.message).toMatch(/\d files?, \+\d+ -\d+ · cost so far unknown/);

    for (const { headers, body } of received.filter(({ path }) => path === '/hook')) {
      const signed = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.');
      const expected = createHmac('sha256', SECRET).update(signed).digest('base64');
      expect(headers['webhook-signature']).toBe(`v1,${expected}`);
    }
    expect(record.eventsOf('notification_sent').map(({ payload }) => payload.ok)).toEqual(
      Array(6).fill(true),
    );
    expect(JSON.stringify(record.events)).not.toMatch(/tk_example|T0\/secret|correct-horse/);
    const verified = await scene.conductor('verify', runId);
    expect(verified.code, verified.stderr).toBe(0);
  });
});

test('a target that fails twice gets it at the third try; one that refuses is recorded, and the run succeeds', async ({
  openScene,
}) => {
  const respond: Respond = (response, count) =>
    response.req.url === '/flaky'
      ? response.writeHead(count < 3 ? 500 : 200).end()
      : response.writeHead(403).end();
  await withReceiver(respond, async ({ url, received }) => {
    const scene = await openScene();
    await configure(scene, [
      `{ kind: webhook, url: "${url}/flaky", secret_env: HOOK_SECRET }`,
      `{ kind: webhook, url: "${url}/refuses", secret_env: HOOK_SECRET }`,
    ]);
    const env = { HOOK_SECRET: SECRET };
    const run = await scene.cli.start(['run', fixture('success')], { env }).done;
    expect(run.code, run.stderr).toBe(0);
    const runId = run.stdout.trim();
    const flaky = received.filter(({ path }) => path === '/flaky');
    expect(new Set(flaky.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(flaky).toHaveLength(3);
    expect(received.filter(({ path }) => path === '/refuses')).toHaveLength(1);
    const sent = scene
      .record(runId)
      .eventsOf('notification_sent')
      .map(({ payload }) => payload);
    expect(sent).toContainEqual(expect.objectContaining({ ok: true, message: null }));
    expect(sent).toContainEqual(
      expect.objectContaining({ ok: false, message: expect.stringContaining('HTTP 403') }),
    );
    const { stdout } = await scene.conductor('status', runId);
    expect(stdout).toContain('not notified');
    const doctor = await scene.conductor('doctor');
    expect(doctor.stdout).toContain('HTTP 403');
  });
});

test('a kill between sending and recording sends the same id again, and then never more', async ({
  openScene,
}) => {
  // The first response never comes, so the notification is sent and not recorded.
  const respond: Respond = (response, count) => (count === 1 ? undefined : accept(response));
  await withReceiver(respond, async ({ url, received }) => {
    const scene = await openScene();
    await configure(scene, [`{ kind: webhook, url: "${url}/hook", secret_env: HOOK_SECRET }`]);
    const env = { HOOK_SECRET: SECRET };
    const driver = scene.cli.start(['run', fixture('gate')], { env });
    await until(() => received.length === 1);
    driver.kill('SIGKILL');
    await driver.done;
    const [runId = ''] = scene.runIds();
    for (const _ of [1, 2]) await scene.cli.start(['resume', runId], { env }).done;
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual(
      Array(2).fill(received[0]?.headers['webhook-id']),
    );
    expect(scene.record(runId).eventsOf('notification_sent')).toHaveLength(1);
  });
});

test('a run that was killed after its end is notified by the next command that drives a run', async ({
  openScene,
}) => {
  const respond: Respond = (response, count) => (count === 1 ? undefined : accept(response));
  await withReceiver(respond, async ({ url, received }) => {
    const scene = await openScene();
    await configure(scene, [`{ kind: webhook, url: "${url}/hook", secret_env: HOOK_SECRET }`]);
    const env = { HOOK_SECRET: SECRET };
    const driver = scene.cli.start(['run', fixture('success')], { env });
    await until(() => received.length === 1);
    driver.kill('SIGKILL');
    await driver.done;
    const [first = ''] = scene.runIds();
    expect(scene.record(first).eventsOf('run_completed')).toHaveLength(1);
    for (const _ of [1, 2]) await scene.cli.start(['run', fixture('success')], { env }).done;
    const ids = received.map(({ headers }) => headers['webhook-id']);
    expect(ids.filter((id) => String(id).startsWith(first))).toEqual([ids[0], ids[0]]);
    expect(new Set(ids).size).toBe(3);
    expect(scene.record(first).eventsOf('notification_sent')).toHaveLength(1);
    const verified = await scene.conductor('verify', first);
    expect(verified.code, verified.stderr).toBe(0);
  });
});

workTest(
  'a question of a work item is sent once, and again with the same id if a kill fell before its record',
  async ({ openWorkScene }) => {
    // The first response never comes, so the notification is sent and not recorded.
    const respond: Respond = (response, count) => (count === 1 ? undefined : accept(response));
    await withReceiver(respond, async ({ url, received }) => {
      const scene = await openWorkScene({
        one: "give({ role: 'implementor', outcome: 'blocked', summary: '## Problem\\n\\nWhich number?\\n\\n## Options\\n\\n1. One\\n2. Two\\n\\n## Recommendation\\n\\n1, because it is smaller.' });",
      });
      await configure(scene, [
        `{ kind: webhook, url: "${url}/hook", secret_env: HOOK_SECRET, on: [question] }`,
      ]);
      const env = { HOOK_SECRET: SECRET };
      await scene.work('apply', await scene.give('plan.json', plan([planned('one', 'src/one.js')])));
      const driver = scene.cli.start(['work', 'dispatch', '--all'], { env });
      await until(() => received.length === 1);
      driver.kill('SIGKILL');
      await driver.done;
      expect(await scene.statuses()).not.toEqual({ one: 'ready' });
      for (const _ of [1, 2]) await scene.cli.start(['work', 'dispatch', '--all'], { env }).done;
      const ids = received.map(({ headers }) => headers['webhook-id']);
      expect(ids).toEqual([ids[0], ids[0]]);
      expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
        kind: 'question',
        title: 'one',
        headline: 'work item 1 needs you',
        commands: expect.arrayContaining(['conductor work show 1']),
      });
      const { history } = (await scene.document('show', '1')) as unknown as Record<'history', JournalEntry[]>;
      expect(history.filter(({ event }) => event.type === 'notification_sent')).toMatchObject([
        { event: { ok: true, item_id: '1' } },
      ]);
    });
  },
);

test('`notify test` prints a line for each target, and what to configure if there is none', async ({
  openScene,
}) => {
  await withReceiver(accept, async ({ url }) => {
    const scene = await openScene();
    const none = await scene.conductor('notify', 'test');
    expect(none).toMatchObject({ code: 1, stdout: expect.stringContaining('notify:\n  - { kind: ntfy') });
    await configure(scene, [
      `{ kind: ntfy, url: "${url}/topic" }`,
      '{ kind: slack, url_env: NOT_SET_ANYWHERE }',
    ]);
    const tested = await scene.conductor('notify', 'test');
    expect(tested.code).toBe(1);
    expect(tested.stdout).toMatch(
      /^✓ ntfy:127\.0\.0\.1:\d+: sent\n✗ slack:NOT_SET_ANYWHERE: the environment variable NOT_SET_ANYWHERE is not set\n$/,
    );
  });
});

describe('`notify test` without trust', () => {
  const ENV = { CONDUCTOR_TRUST: '', HOOK_SECRET: SECRET };
  const send = (scene: Scene) => scene.cli.start(['notify', 'test'], { env: ENV }).done;

  test("sends to the user's own targets, but starts no program, which could be of the repository", async ({
    openScene,
  }) => {
    await withReceiver(accept, async ({ url, received }) => {
      const scene = await openScene();
      const own = `{ kind: ntfy, url: "${url}/own" }`;
      await configure(scene, [own]);
      const sent = await send(scene);
      expect([sent.code, sent.stderr]).toEqual([0, '']);
      expect(received.map(({ body }) => JSON.parse(body).topic)).toEqual(['own']);
      await configure(scene, [own, '{ kind: command, command: [tools/check.mjs] }']);
      const refused = await send(scene);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('is not trusted yet')]);
    });
  });

  test('sends nothing to targets of the repository, and names only them', async ({ openScene }) => {
    await withReceiver(accept, async ({ url, received }) => {
      const theirs = `notify: [{ kind: webhook, url: "${url}/theirs", secret_env: HOOK_SECRET }]\n`;
      const scene = await openScene({ config: `${CONFIG}${theirs}` });
      const refused = await send(scene);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('/theirs')]);
      expect(refused.stderr).not.toContain('act.mjs');
      expect(received).toEqual([]);
    });
  });
});
