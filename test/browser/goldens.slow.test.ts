import { PNG } from 'pngjs';
import { describe, expect } from 'vitest';
import type { Scene } from '../e2e/scene.ts';
import { chromiumHere } from '../integration/chromium-here.ts';
import { screenUrl, stopServer, test } from './page-scene.ts';

function picture(red: number): string {
  const png = new PNG({ width: 8, height: 8 });
  png.data.fill(255);
  png.data[0] = red;
  return PNG.sync.write(png).toString('hex');
}

const PROPOSED = [
  {
    id: 'page',
    golden_path: 'goldens/page.png',
    proposed_path: 'harness/page.png',
    kind: 'image',
    pixels: 1,
  },
  { id: 'help', golden_path: 'keep/old.txt', proposed_path: 'harness/help.txt', kind: 'text' },
];

const WORKFLOW = `workflow_id: goldens
version: 1
description: Compare the pages with their goldens.
entry_step: check
steps:
  - id: check
    opcode: RUN_VALIDATION
    run:
      - id: pages
        kind: script
        entrypoint: tools/act.mjs
        args: ${JSON.stringify([
          `bytes \${run_dir}/harness/page.png ${picture(9)}`,
          'write ${run_dir}/harness/help.txt new',
          `report ${JSON.stringify({ proposed_goldens: PROPOSED })}`,
        ])}
        artifacts: [harness_report.json]
    routes: { completed: judge, error: judge, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
  - id: judge
    opcode: EVALUATE
    prompt: planner.evaluate_harness_report.v1
    allowed_next_steps: [ask]
    routes: { success: STOP, partial: STOP, blocked: STOP, unsafe: STOP, needs_human: ask }
  - id: ask
    opcode: GATE
    gate: new goldens
    routes: { gate_approved: STOP, gate_rejected: STOP }
`;

async function start(scene: Scene): Promise<string> {
  await scene.repo.write('../home/goldens.yaml', WORKFLOW);
  const { stdout, stderr, code } = await scene.conductor('run', '../home/goldens.yaml');
  expect(code, stderr).toBe(3);
  return stdout.split('\n')[0] ?? '';
}

describe.skipIf(!chromiumHere)('goldens on the page', { timeout: 600_000 }, () => {
  test('are compared and accepted one by one, with keys alone', async ({ openScene, pages }) => {
    const scene = await openScene({
      prepare: async (repo) => {
        await repo.write('goldens/page.png', Buffer.from(picture(200), 'hex'));
        await repo.git('add', '-A');
        await repo.git('commit', '-qm', 'A golden');
      },
    });
    const runId = await start(scene);
    const server = await pages.serve(scene);
    const page = await pages.pair(server);
    await page.goto(await screenUrl(page, server, `/runs/${runId}/goldens`));
    await page.getByAltText('Stored golden').waitFor();
    await page.keyboard.press('d');
    await page
      .getByText(/^1 pixel/)
      .first()
      .waitFor();
    await page.keyboard.press('s');
    await page.getByRole('slider', { name: 'Share of the old picture' }).waitFor();
    await page.keyboard.press('b');
    await page.getByRole('button', { name: 'Old. Show new' }).waitFor();
    await page.keyboard.press('a');
    await page.getByText('1 of 2 goldens decided').waitFor();
    await page.keyboard.press('n');
    await page.locator('.difference-line.is-added').getByText('+new').waitFor();
    await page.keyboard.press('a');
    await page.getByText('2 of 2 goldens decided').waitFor();
    await page.getByRole('link', { name: 'Answer the gate' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Approve…' }).waitFor();
    await page.keyboard.press('a');
    await page.getByText('Goldens: 2 accepted, 0 refused.').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('Approved by').waitFor();
    await page.goto(await screenUrl(page, server, `/runs/${runId}`));
    await page.locator('.run-head').getByText('success').waitFor();
    const { base_sha, branch_name } = scene.record(runId).metadata.workspace;
    const changed = await scene.repo.git('diff', '--name-only', base_sha, branch_name);
    expect(changed.trim().split('\n')).toEqual(['goldens/page.png', 'keep/old.txt']);
    await stopServer(server);
  });

  test('can’t be approved while one is refused, and a rejection names it', async ({ openScene, pages }) => {
    const scene = await openScene();
    const runId = await start(scene);
    const server = await pages.serve(scene);
    const page = await pages.pair(server);
    await page.goto(await screenUrl(page, server, `/runs/${runId}/goldens`));
    await page.getByRole('button', { name: 'Accept', exact: true }).click();
    await page.getByRole('link', { name: /keep\/old\.txt/ }).click();
    await page.getByRole('button', { name: 'Refuse', exact: true }).click();
    await page.getByRole('link', { name: 'Answer the gate' }).click();
    await page.getByRole('button', { name: 'Approve…' }).click();
    await page.getByText('An approval accepts every golden').waitFor();
    expect(await page.getByRole('button', { name: 'Approve', exact: true }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Reject…' }).click();
    await page.getByRole('button', { name: 'Reject', exact: true }).click();
    await page.getByText('Rejected by').waitFor();
    const [answer] = scene.record(runId).eventsOf('gate_rejected');
    expect(JSON.stringify(answer?.payload)).toContain('keep/old.txt');
    await stopServer(server);
  });
});
