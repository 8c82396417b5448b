import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { Scene } from '../e2e/scene.ts';
import { chromiumHere } from '../integration/chromium-here.ts';
import { findBarriers, PHONE, screenUrl, stopServer, test } from './page-scene.ts';

/** Sets a mark if any of it runs. */
const HOSTILE = `<img src=x onerror="window.ran=1"><script>window.ran=1</script>"'><svg onload=window.ran=1>`;
const NAME = '<img src=x onerror=window.ran=1>';

const WORKFLOW = `workflow_id: hostile
version: 1
description: ${JSON.stringify(HOSTILE)}
entry_step: implement
steps:
  - id: implement
    opcode: RUN_AGENT
    agent: actor
    prompt: |
      write ${NAME.replaceAll(' ', '_')}.ts const text = "<b>";
      say ${HOSTILE}
      say \u202ereversed\u202c
      claim implemented
    routes: { completed: check, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
  - id: check
    opcode: RUN_VALIDATION
    run:
      - id: harness
        kind: script
        entrypoint: tools/act.mjs
        args:
          - ${JSON.stringify(`report ${JSON.stringify({ cases: [{ id: HOSTILE, kind: 'unit', status: 'failed', repro: HOSTILE, observations: [HOSTILE], artifacts: [] }], summary: { passed: 0, failed: 1, flaky: 0, duration_ms: 1 } })}`)}
          - "say ${NAME}"
        artifacts: [harness_report.json]
    routes: { completed: judge, error: judge, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
  - id: judge
    opcode: EVALUATE
    prompt: planner.evaluate_results.v1
    allowed_next_steps: [ask]
    routes: { success: ask, partial: ask, blocked: ask, unsafe: STOP, needs_human: ask }
  - id: ask
    opcode: GATE
    gate: ${JSON.stringify(NAME)}
    routes: { gate_approved: STOP, gate_rejected: STOP }
`;

async function startHostile(scene: Scene): Promise<string> {
  await scene.repo.write('.tnh/workflows/hostile.yaml', WORKFLOW);
  const { stdout, stderr, code } = await scene.conductor('run', 'hostile', '--title', NAME);
  expect(code, stderr).toBe(3);
  return stdout.split('\n')[0] ?? '';
}

function screensOf(runId: string): readonly string[] {
  const run = `/runs/${runId}`;
  return [
    '',
    '/runs',
    run,
    `${run}?at=12`,
    `${run}?step=implement&tab=changes`,
    `${run}?step=check&tab=checks`,
    `${run}?step=judge&tab=claims`,
    `${run}?step=implement&tab=output`,
    `${run}?step=implement&tab=prompt`,
    `${run}?step=implement&tab=artifacts`,
    `${run}/gate`,
    `${run}/goldens`,
    '/items',
    '/workflows',
    '/workflows/hostile',
    '/../../sessions',
    '/nothing',
  ];
}

async function visit(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.locator('#main h1').waitFor();
  await page.locator('.skeleton, .diff-gap').first().waitFor({ state: 'detached' });
}

describe.skipIf(!chromiumHere)('every screen', { timeout: 600_000 }, () => {
  test('shows text of agents, tests, files and workflows as text', async ({ openScene, pages }) => {
    const scene = await openScene({ isBusy: true });
    const runId = await startHostile(scene);
    const server = await pages.serve(scene);
    const page = await pages.pair(server);
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('dialog', (dialog) => problems.push(dialog.message()));
    for (const path of screensOf(runId)) {
      await visit(page, await screenUrl(page, server, path));
      expect(await page.evaluate('window.ran ?? null'), path).toBeNull();
      expect(await page.locator('#main script, #main img[onerror], [onload]').count(), path).toBe(0);
    }
    await visit(page, await screenUrl(page, server, `/runs/${runId}?step=implement&tab=output`));
    const output = page.locator('.output');
    await output.getByText('onerror="window.ran=1"').first().waitFor();
    expect(await output.textContent()).toContain('\\u202ereversed');
    expect(problems).toEqual([]);
    await stopServer(server);
  });

  test.for([
    ['on a desk in the light', { viewport: { width: 1_280, height: 860 }, colorScheme: 'light' as const }],
    ['on a phone in the dark', { ...PHONE, colorScheme: 'dark' as const }],
  ] as const)('has nothing that axe objects to, %s', async ([, options], { openScene, pages }) => {
    const scene = await openScene({ isBusy: true });
    const runId = await startHostile(scene);
    const server = await pages.serve(scene);
    const page = await pages.pair(server, options);
    for (const path of screensOf(runId)) {
      await visit(page, await screenUrl(page, server, path));
      expect.soft(await findBarriers(page), path).toEqual([]);
    }
    await visit(page, await screenUrl(page, server, `/runs/${runId}/gate`));
    await page.getByRole('button', { name: 'Approve…' }).click();
    expect.soft(await findBarriers(page), 'the answer').toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    expect.soft(await findBarriers(page), 'the palette').toEqual([]);
    await stopServer(server);
  });

  test('can be reached and answered with the keyboard alone', async ({ openScene, pages }) => {
    const scene = await openScene({ isBusy: true });
    await startHostile(scene);
    const server = await pages.serve(scene);
    const page = await pages.pair(server);
    await page.getByRole('link', { name: NAME, exact: true }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Approve…' }).waitFor();
    await page.keyboard.press('r');
    await page.getByRole('heading', { name: 'Reject', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('workflows');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Workflows' }).waitFor();
    await stopServer(server);
  });
});
