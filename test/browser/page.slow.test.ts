import { PNG } from 'pngjs';
import { describe, expect } from 'vitest';
import { readQr } from '../e2e/read-qr.ts';
import { oneAgentStep, type Scene, until } from '../e2e/scene.ts';
import { chromiumHere } from '../integration/chromium-here.ts';
import { PHONE, screenUrl, stopServer, test } from './page-scene.ts';

if (!chromiumHere) process.stderr.write('no chromium: the tests of the page are skipped\n');

/** An agent that repeats what a reviewer wrote, behind a gate that goes back to it. */
const REVIEWED = `workflow_id: reviewed
version: 1
description: A reviewer has the last word.
entry_step: implement
steps:
  - id: implement
    opcode: RUN_AGENT
    agent: actor
    prompt: |
      write answer.txt first\\nsecond\\nthird
      say Wrote three lines.
    inputs: [human_feedback]
    limits: { max_visits: 3 }
    routes: { completed: approve, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
  - id: approve
    opcode: GATE
    gate: last_word
    routes: { gate_approved: STOP, gate_rejected: implement }
`;

async function startAtGate(scene: Scene, title = 'Write the answer'): Promise<string> {
  await scene.repo.write('../home/reviewed.yaml', REVIEWED);
  const { stdout, stderr, code } = await scene.conductor('run', '../home/reviewed.yaml', '--title', title);
  expect(code, stderr).toBe(3);
  return stdout.split('\n')[0] ?? '';
}

describe.skipIf(!chromiumHere)('the page', { timeout: 600_000 }, () => {
  test('shows a run that starts on the command line, live', async ({ openScene, pages }) => {
    const scene = await openScene();
    const server = await pages.serve(scene);
    const page = await pages.pair(server);
    await page.getByText('No run waits at a gate').waitFor();
    await startAtGate(scene);
    await page.getByRole('link', { name: 'Write the answer', exact: true }).waitFor();
    await stopServer(server);
  });

  test('ends a run by the answer to its gate, and records who answered', async ({ openScene, pages }) => {
    const scene = await openScene();
    const runId = await startAtGate(scene);
    const server = await pages.serve(scene);
    const page = await pages.pair(server);
    await page.getByRole('link', { name: 'Write the answer', exact: true }).click();
    await page.getByRole('button', { name: 'Approve…' }).waitFor();
    await page.keyboard.press('a');
    await page.getByLabel('Comment (optional)').fill('Good.');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByText('Approved by').waitFor();
    await page.getByRole('link', { name: 'See the run' }).click();
    await page.getByText('unverified').first().waitFor();
    const [answer] = scene.record(runId).eventsOf('gate_approved');
    expect(answer?.payload).toMatchObject({
      comment: 'Good.',
      from: { session: expect.stringContaining('Chrome'), address: '127.0.0.1' },
    });
    await stopServer(server);
  });

  test('accepts the answer of one of two tabs and shows the other that it was too late', async ({
    openScene,
    pages,
  }) => {
    const scene = await openScene();
    const runId = await startAtGate(scene);
    const server = await pages.serve(scene);
    const first = await pages.pair(server);
    const url = await screenUrl(first, server, `/runs/${runId}/gate`);
    const second = await first.context().newPage();
    for (const page of [first, second]) {
      await page.goto(url);
      await page.getByRole('button', { name: 'Approve…' }).click();
    }
    // A click that waits until the page is stable is too late in the tab that shows the answer of the other.
    const confirm = (page: typeof first) =>
      page.getByRole('button', { name: 'Approve', exact: true }).dispatchEvent('click');
    await Promise.all([confirm(first), confirm(second)]);
    for (const page of [first, second]) await page.getByText('Approved by').waitFor();
    expect(scene.record(runId).eventsOf('gate_approved')).toHaveLength(1);
    await stopServer(server);
  });

  test('shows the time of its data while the server is gone, and catches up when it is back', async ({
    openScene,
    pages,
  }) => {
    const scene = await openScene();
    const server = await pages.serve(scene);
    const page = await pages.pair(server);
    await stopServer(server, 'SIGKILL');
    await page.getByText(/As of \d\d:\d\d/).waitFor();
    await startAtGate(scene, 'Started in between');
    const again = await pages.serve(scene, server.port);
    await page.getByRole('link', { name: 'Started in between', exact: true }).waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    await stopServer(again);
  });

  test('refuses an answer that was begun before the gate changed, and shows what it asks now', async ({
    openScene,
    pages,
  }) => {
    const scene = await openScene();
    const runId = await startAtGate(scene);
    const server = await pages.serve(scene);
    const page = await pages.pair(server);
    await page.goto(await screenUrl(page, server, `/runs/${runId}/gate`));
    await page.getByRole('button', { name: 'Approve…' }).click();
    await stopServer(server, 'SIGKILL');
    const rejected = await scene.conductor('reject', runId, '--comment', 'Again.', '--resume');
    expect(rejected.code, rejected.stderr).toBe(3);
    const again = await pages.serve(scene, server.port);
    await page.getByText('This gate has changed while the page was open').waitFor();
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByText('Your answer was not recorded: the gate has changed').waitFor();
    await page.getByRole('button', { name: 'Approve…' }).waitFor();
    expect(scene.record(runId).eventsOf('gate_approved')).toHaveLength(0);
    await stopServer(again);
  });

  test('shows the last line of a running step, whichever evidence is open', async ({ openScene, pages }) => {
    const scene = await openScene();
    await scene.repo.write('../home/endless.yaml', oneAgentStep('endless', '"say begun\\nchatter"'));
    const run = scene.cli.start(['run', '../home/endless.yaml', '--title', 'Endless']);
    const runId = await until(() => scene.runIds()[0]);
    const server = await pages.serve(scene);
    const page = await pages.pair(server);
    await page.goto(await screenUrl(page, server, `/runs/${runId}?tab=artifacts`));
    await page.locator('.live-output').getByText('still here').waitFor();
    expect((await scene.conductor('cancel', runId)).code).toBe(0);
    await run.done;
    await page.locator('.live-output').waitFor({ state: 'detached' });
    await stopServer(server);
  });

  test("never shows a run as running while it can't know, and shows its end when the server is back", async ({
    openScene,
    pages,
  }) => {
    const scene = await openScene();
    await scene.repo.write('../home/endless.yaml', oneAgentStep('endless', '"say begun\\nchatter"'));
    const run = scene.cli.start(['run', '../home/endless.yaml', '--title', 'Endless']);
    const runId = await until(() => scene.runIds()[0]);
    const server = await pages.serve(scene);
    const page = await pages.pair(server);
    const url = await screenUrl(page, server, `/runs/${runId}`);
    await page.goto(url);
    await page.getByText('still here').first().waitFor();
    await stopServer(server, 'SIGKILL');
    const head = page.locator('.run-head');
    await head.getByText(/^running as of \d\d:\d\d$/).waitFor();
    await page
      .locator('.step-result')
      .getByText(/as of \d\d:\d\d/)
      .waitFor();
    expect((await scene.conductor('cancel', runId)).code).toBe(0);
    await run.done;
    const again = await pages.serve(scene, server.port);
    await head.getByText('cancelled').first().waitFor();
    await page.reload();
    await head.getByText('cancelled').first().waitFor();
    expect(await page.getByText('running').count()).toBe(0);
    await stopServer(again);
  });

  test('pairs a phone by the QR code that a paired browser shows, and the phone answers in four taps', async ({
    openScene,
    pages,
  }) => {
    const scene = await openScene();
    const runId = await startAtGate(scene);
    const server = await pages.serve(scene);
    const desk = await pages.pair(server);
    await desk.goto(`${server.url}sessions`);
    await desk.getByRole('button', { name: 'Make a code' }).click();
    await desk.getByAltText('QR code of the pairing address').waitFor();
    const { data, width, height } = PNG.sync.read(await desk.locator('.qr').screenshot());
    const address = readQr(new Uint8ClampedArray(data), width, height) ?? '';
    expect(address).toBe(await desk.locator('.pairing-url').textContent());
    const phone = await (await pages.open(PHONE)).newPage();
    // The first tap opens what the camera has read.
    await phone.goto(address);
    await phone.getByRole('link', { name: 'Write the answer', exact: true }).tap();
    await phone.getByRole('button', { name: 'Approve…' }).tap();
    await phone.getByRole('button', { name: 'Approve', exact: true }).tap();
    await phone.getByText('Approved by').waitFor();
    expect(scene.record(runId).eventsOf('gate_approved')).toHaveLength(1);
    await stopServer(server);
  });

  test('is out at once when its session is revoked', async ({ openScene, pages }) => {
    const scene = await openScene();
    const runId = await startAtGate(scene);
    const server = await pages.serve(scene);
    const desk = await pages.pair(server);
    await desk.goto(`${server.url}sessions`);
    await desk.getByRole('button', { name: 'Make a code' }).click();
    const address = (await desk.locator('.pairing-url').textContent()) ?? '';
    const phone = await (await pages.open(PHONE)).newPage();
    await phone.goto(address);
    await phone.getByRole('heading', { level: 1, name: 'Needs you' }).waitFor();
    await phone.goto(await screenUrl(desk, server, `/runs/${runId}/gate`));
    await phone.getByRole('button', { name: 'Approve…' }).waitFor();
    await desk.reload();
    await desk.getByRole('button', { name: /^Revoke/ }).click();
    await phone.getByRole('heading', { name: 'This browser is not paired' }).waitFor();
    expect(await phone.locator('body').textContent()).not.toContain('Write the answer');
    await stopServer(server);
  });

  test('brings comments on lines into the prompt of the next attempt', async ({ openScene, pages }) => {
    const scene = await openScene();
    const runId = await startAtGate(scene);
    const server = await pages.serve(scene);
    const page = await pages.pair(server);
    await page.goto(await screenUrl(page, server, `/runs/${runId}/gate`));
    await page.getByRole('button', { name: 'Comment on line 2, added' }).click();
    await page.getByRole('textbox', { name: 'Comment on line 2' }).fill('Say “two” instead.');
    await page.getByRole('button', { name: 'Keep comment' }).click();
    await page.getByRole('button', { name: 'Reject…' }).click();
    await page.getByText('With 1 comment on lines of the diff.').waitFor();
    await page.getByLabel('What should change').fill('See the lines.');
    await page.getByRole('button', { name: 'Reject', exact: true }).click();
    await page.getByText('waiting').first().waitFor();
    await page.goto(await screenUrl(page, server, `/runs/${runId}?step=implement%402&tab=prompt`));
    const prompt = page.locator('pre.prompt');
    await prompt.waitFor();
    const text = await prompt.textContent();
    expect(text).toContain('See the lines.');
    expect(text).toContain('Say “two” instead.');
    expect(text).toContain('answer.txt');
    await stopServer(server);
  });
});
