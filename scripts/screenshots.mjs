// Pictures of every screen of the page at 360 and 1,280 pixels (with `--wide` also 768), light and dark, with real runs:
// node scripts/screenshots.mjs [--only NAME,…] [--wide] [--out DIR]. Needs Debian's chromium. docs/internals/page-screens.md
// shows them.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { BROWSER, openPaired } from './page/browser.mjs';
import {
  makeEmptyRepository,
  makeWorkRepository,
  makeWorld,
  removeWorld,
  serve,
  startRun,
} from './page/world.mjs';

const ROOT = join(import.meta.dirname, '..');
/** Low, because all pictures together have to stay below 2.5 MB. */
const QUALITY = 30;
const given = (name) => {
  const at = process.argv.indexOf(name);
  return at === -1 ? null : (process.argv[at + 1] ?? null);
};
const only = given('--only')?.split(',') ?? null;
const out = given('--out') ?? join(ROOT, 'docs', 'pictures', 'page');
const widths = process.argv.includes('--wide') ? [360, 768, 1280] : [360, 1280];

const folder = mkdtempSync(join(tmpdir(), 'conductor-page-'));
mkdirSync(out, { recursive: true });
const stops = [];
try {
  process.stderr.write('making the runs …\n');
  const { repo, env, runs } = makeWorld(folder);
  const shapes = makeWorkRepository(folder, env);
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
  const server = await serve([repo, shapes, empty], env);
  stops.push(server.stop);
  const browser = await chromium.launch(BROWSER);
  stops.push(() => browser.close());
  const session = await openPaired(browser, server.pair);
  const { repos } = await (await session.request.get(`${server.url}api/session`)).json();
  const inRepo = (index, path) => `${server.url}r/${repos[index].id}${path}`;
  const at = (path) => inRepo(0, path);
  const run = (id, rest = '') => at(`/runs/${id}${rest}`);
  const liveId = await findLive(session, `${server.url}api/repos/${repos[0].id}`);
  const press = (name) => (page) => page.getByRole('button', { name, exact: true }).click();
  const screens = [
    { name: 'home', url: at('') },
    { name: 'home-empty', url: inRepo(2, '') },
    { name: 'runs', url: at('/runs') },
    { name: 'run', url: run(runs.done) },
    { name: 'run-live', url: run(liveId) },
    { name: 'run-30-steps', url: run(runs.long) },
    { name: 'run-past', url: run(runs.long, '?at=240') },
    { name: 'changes', url: run(runs.gate, '?step=implement&tab=changes&file=src%2Fexporter.ts') },
    { name: 'checks', url: run(runs.cases, '?step=checks&tab=checks') },
    { name: 'checks-failed', url: run(runs.failed, '?step=checks&tab=checks') },
    { name: 'claims', url: run(runs.failed, '?step=evaluate&tab=claims') },
    { name: 'output', url: run(runs.art, '?step=implement&tab=output') },
    { name: 'prompt', url: run(runs.done, '?step=implement&tab=prompt') },
    { name: 'artifacts', url: run(runs.done, '?step=implement&tab=artifacts') },
    { name: 'gate', url: run(runs.gate, '/gate') },
    { name: 'gate-answer', url: run(runs.gate, '/gate'), prepare: press('Reject…') },
    { name: 'goldens', url: run(runs.goldens, '/goldens') },
    { name: 'board', url: inRepo(1, '/items') },
    { name: 'board-graph', url: inRepo(1, '/items'), prepare: press('Dependencies') },
    { name: 'board-empty', url: inRepo(2, '/items') },
    { name: 'item', url: inRepo(1, '/items/2') },
    { name: 'workflows', url: at('/workflows') },
    { name: 'workflow', url: at('/workflows/implement') },
    { name: 'sessions', url: `${server.url}sessions` },
    { name: 'palette', url: at(''), prepare: (page) => page.keyboard.press('Control+k') },
    { name: 'not-found', url: at('/nothing') },
    { name: 'pair', url: server.url, isPaired: false },
    { name: 'server-gone', url: at('/runs'), isGone: true },
  ].filter(({ name }) => only === null || only.includes(name));
  const state = await session.storageState();
  for (const screen of screens) await takeAll(browser, state, screen, server);
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

/** The screen in all sizes and colours; all are open before the server ends, if the screen is about that. */
async function takeAll(
  browser,
  storageState,
  { name, url, prepare, isPaired = true, isGone = false },
  server,
) {
  const pages = [];
  for (const width of widths) {
    for (const colorScheme of ['light', 'dark']) {
      const isPhone = width === 360;
      const context = await browser.newContext({
        ...(isPaired ? { storageState } : {}),
        viewport: { width, height: isPhone ? 740 : 860 },
        colorScheme,
        isMobile: isPhone,
        hasTouch: isPhone,
      });
      const page = await context.newPage();
      await page.goto(url);
      await page.waitForFunction(
        () => document.querySelector('h1') !== null && document.querySelector('.skeleton') === null,
      );
      pages.push({ page, file: `${name}-${width}-${colorScheme}.webp` });
    }
  }
  if (isGone) await server.stop();
  for (const { page, file } of pages) {
    await prepare?.(page);
    if (isGone) await page.waitForSelector('.banner');
    // Fonts and pictures of the goldens are drawn after the documents have come.
    await page.waitForTimeout(300);
    const client = await page.context().newCDPSession(page);
    const { data } = await client.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
    writeFileSync(join(out, file), Buffer.from(data, 'base64'));
    await page.context().close();
  }
}
