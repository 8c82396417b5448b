// Pictures of every screen of the page at 360 and 1,280 pixels (with `--wide` also 768), light and dark, with real runs:
// node scripts/screenshots.mjs [--only NAME] [--wide] [--out DIR]. Needs Debian's chromium.
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { BROWSER, openPaired } from './page/browser.mjs';
import { makeEmptyRepository, makeWorld, removeWorld, serve, startRun } from './page/world.mjs';

const ROOT = join(import.meta.dirname, '..');
const given = (name) => {
  const at = process.argv.indexOf(name);
  return at === -1 ? null : (process.argv[at + 1] ?? null);
};
const only = given('--only');
const out = given('--out') ?? join(ROOT, 'docs', 'pictures', 'page');
const widths = process.argv.includes('--wide') ? [360, 768, 1280] : [360, 1280];

const folder = mkdtempSync(join(tmpdir(), 'conductor-page-'));
mkdirSync(out, { recursive: true });
const stops = [];
try {
  process.stderr.write('making the runs …\n');
  const { repo, env, runs } = makeWorld(folder);
  const empty = makeEmptyRepository(folder, env);
  const live = startRun(
    repo,
    env,
    'implement',
    '--title',
    'Read the flags once',
    '--input',
    'task=scenario: live',
  );
  stops.push(() => live.kill('SIGKILL'));
  const server = await serve([repo, empty], env);
  stops.push(server.stop);
  const browser = await chromium.launch(BROWSER);
  stops.push(() => browser.close());
  const session = await openPaired(browser, server.pair);
  const { repos } = await (await session.request.get(`${server.url}api/session`)).json();
  const at = (path) => `${server.url}r/${repos[0].id}${path}`;
  const run = (id, rest = '') => at(`/runs/${id}${rest}`);
  const liveId = await findLive(session, `${server.url}api/repos/${repos[0].id}`);
  const screens = [
    { name: 'home', url: at('') },
    { name: 'home-empty', url: `${server.url}r/${repos[1].id}` },
    { name: 'runs', url: at('/runs') },
    { name: 'run', url: run(runs.done) },
    { name: 'run-live', url: run(liveId) },
    { name: 'run-30-steps', url: run(runs.long) },
    { name: 'run-past', url: run(runs.long, '?at=40') },
    { name: 'changes', url: run(runs.gate, '?step=implement&tab=changes') },
    { name: 'checks', url: run(runs.cases, '?step=checks&tab=checks') },
    { name: 'checks-failed', url: run(runs.failed, '?step=checks&tab=checks') },
    { name: 'claims', url: run(runs.failed, '?step=evaluate&tab=claims') },
    { name: 'output', url: run(runs.art, '?step=implement&tab=output') },
    { name: 'prompt', url: run(runs.done, '?step=implement&tab=prompt') },
    { name: 'artifacts', url: run(runs.done, '?step=implement&tab=artifacts') },
    { name: 'gate', url: run(runs.gate, '/gate') },
    { name: 'goldens', url: run(runs.goldens, '/goldens') },
    { name: 'board', url: at('/items') },
    { name: 'board-empty', url: `${server.url}r/${repos[1].id}/items` },
    { name: 'workflows', url: at('/workflows') },
    { name: 'workflow', url: at('/workflows/implement') },
    { name: 'sessions', url: `${server.url}sessions` },
    { name: 'not-found', url: at('/nothing') },
  ].filter(({ name }) => only === null || only.split(',').includes(name));
  const state = await session.storageState();
  for (const { name, url } of screens) await takeAll(browser, state, name, url);
  if (only === null || only.includes('server-gone')) await takeGone(browser, state, at(''), server);
} finally {
  for (const stop of stops.reverse()) await stop();
  removeWorld(folder);
}

async function findLive(session, base) {
  for (;;) {
    const { runs } = await (await session.request.get(`${base}/runs?state=running`)).json();
    if (runs.length > 0) return runs[0].run_id;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function takeAll(browser, storageState, name, url, prepare = async () => {}) {
  for (const width of widths) {
    for (const colorScheme of ['light', 'dark']) {
      const viewport = { width, height: width === 360 ? 740 : 860 };
      const isPhone = width === 360;
      const context = await browser.newContext({
        storageState,
        viewport,
        colorScheme,
        isMobile: isPhone,
        hasTouch: isPhone,
      });
      const page = await context.newPage();
      await page.goto(url);
      await page.waitForFunction(
        () => document.querySelector('#main h1') !== null && document.querySelector('.skeleton') === null,
      );
      await prepare(page);
      await page.waitForTimeout(300);
      await page.screenshot({ path: join(out, `${name}-${width}-${colorScheme}.png`) });
      await context.close();
    }
  }
}

/** What is on the screen after the server has ended. */
async function takeGone(browser, storageState, url, server) {
  let isGone = false;
  await takeAll(browser, storageState, 'server-gone', url, async (page) => {
    if (!isGone) await server.stop();
    isGone = true;
    await page.waitForSelector('.banner');
  });
}
