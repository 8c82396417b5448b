// The page in a real browser: what its first views transfer, and what it computes while a large diff, a report of 3,000
// cases and a long transcript are scrolled. Exits 1 when a limit is broken, 2 when nothing could be measured. `--short`
// uses a smaller change and transcript.
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { BROWSER, openPaired } from '../scripts/page/browser.mjs';
import { makeRepository, removeWorld, runConductor, serve } from '../scripts/page/world.mjs';
import { exitWith } from './outcome.mjs';

/** The change has as many files; the transcript a hundred times as many lines. */
const SIZE = process.argv.includes('--short') ? 200 : 10_000;
const GATE_LIMIT_BYTES = 60_000;
const SCRIPT_LIMIT_BYTES = 200_000;
/** What the page may compute per turn of the wheel, in CPU time: other programs on the machine don't count. */
const CPU_LIMIT_MS = 50;
const SCROLLS = 60;

/** Bytes on the wire until the screen shows its heading and everything is fetched, by kind of resource. */
async function measureTransfer(context, url) {
  const page = await context.newPage();
  const client = await context.newCDPSession(page);
  await client.send('Network.enable');
  await client.send('Network.setCacheDisabled', { cacheDisabled: true });
  const kinds = new Map();
  const bytes = { total: 0, script: 0 };
  client.on('Network.responseReceived', ({ requestId, type }) => kinds.set(requestId, type));
  client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    bytes.total += encodedDataLength;
    if (kinds.get(requestId) === 'Script') bytes.script += encodedDataLength;
  });
  await page.goto(url);
  await page.locator('#main h1').waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  // The stream stays open, so the network is never idle; half a second without a response is.
  for (let before = -1; before !== bytes.total; ) {
    before = bytes.total;
    await page.waitForTimeout(500);
  }
  await page.close();
  return bytes;
}

/** The CPU time of the page and the times between frames, in milliseconds, while the wheel turns. */
async function measureFrames(context, url) {
  const page = await context.newPage();
  await page.goto(url);
  await page.locator('.virtual-row').first().waitFor();
  await page.evaluate(() => {
    window.frames_ = [];
    let last = performance.now();
    const next = (now) => {
      window.frames_.push(now - last);
      last = now;
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
  const client = await context.newCDPSession(page);
  await client.send('Performance.enable', { timeDomain: 'threadTicks' });
  const readCpu = async () => {
    const { metrics } = await client.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration').value * 1_000;
  };
  const before = await readCpu();
  await page.mouse.move(800, 500);
  for (let scroll = 0; scroll < SCROLLS; scroll += 1) {
    await page.mouse.wheel(0, 1_500);
    await page.waitForTimeout(30);
  }
  const cpu = ((await readCpu()) - before) / SCROLLS;
  const frames = await page.evaluate(() => window.frames_);
  const rows = await page.locator('.virtual-row').count();
  await page.close();
  const sorted = frames.slice(1).sort((one, other) => one - other);
  return { cpu, p50: at(sorted, 0.5), p95: at(sorted, 0.95), worst: sorted.at(-1) ?? 0, rows };
}

function at(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

async function main() {
  if (!existsSync(BROWSER.executablePath)) throw new Error(`${BROWSER.executablePath} is not installed`);
  const folder = mkdtempSync(join(tmpdir(), 'conductor-bench-page-'));
  const stops = [];
  try {
    const { repo, env } = makeRepository(folder);
    const start = (workflow, title, task) =>
      runConductor(repo, env, 'run', workflow, '--title', title, '--input', `task=${task}`);
    const large = start('implement', 'A large change', `scenario: large size: ${SIZE}`);
    const cases = start('many-cases', 'Many cases', 'scenario: cases');
    const server = await serve([repo], env);
    stops.push(server.stop);
    const browser = await chromium.launch(BROWSER);
    stops.push(() => browser.close());
    const desk = await openPaired(browser, server.pair, { viewport: { width: 1_280, height: 860 } });
    const storageState = await desk.storageState();
    const phone = await browser.newContext({
      storageState,
      viewport: { width: 360, height: 740 },
      isMobile: true,
      hasTouch: true,
    });
    const { repos } = await (await desk.request.get(`${server.url}api/session`)).json();
    const screen = (path) => `${server.url}r/${repos[0].id}${path}`;
    const lines = [];
    let isBroken = false;
    const check = (text, value, limit) => {
      const isOver = value > limit;
      isBroken ||= isOver;
      lines.push(`${isOver ? 'TOO MUCH ' : ''}${text} (limit ${limit})`);
    };
    const gate = await measureTransfer(phone, screen(`/runs/${cases}/gate`));
    check(`gate on a phone, first view: ${gate.total} bytes`, gate.total, GATE_LIMIT_BYTES);
    for (const [name, path] of [
      ['home', ''],
      ['run', `/runs/${cases}`],
    ]) {
      const { total, script } = await measureTransfer(desk, screen(path));
      check(
        `${name}, first view: ${total} bytes, of which scripts ${script} bytes`,
        script,
        SCRIPT_LIMIT_BYTES,
      );
    }
    for (const [name, path] of [
      [`diff of ${SIZE} files`, `/runs/${large}?step=implement&tab=changes`],
      ['3,000 cases', `/runs/${cases}?step=checks&tab=checks`],
      [`transcript of ${SIZE * 100} lines`, `/runs/${large}?step=implement&tab=output`],
    ]) {
      const { cpu, p50, p95, worst, rows } = await measureFrames(desk, screen(path));
      const text = `${name}: ${cpu.toFixed(1)} ms of CPU time per turn of the wheel; frames: median ${p50.toFixed(1)} ms, 95 % ${p95.toFixed(1)} ms, worst ${worst.toFixed(1)} ms; ${rows} rows in the document`;
      check(text, cpu, CPU_LIMIT_MS);
    }
    process.stdout.write(`${lines.join('\n')}\n`);
    return isBroken ? 1 : 0;
  } finally {
    for (const stop of stops.reverse()) await stop();
    removeWorld(folder);
  }
}

await exitWith(main);
