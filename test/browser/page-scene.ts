import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { expect } from 'vitest';
import type { StartedCli } from '../../testing/cli.ts';
import { type Scene, test as sceneTest, until } from '../e2e/scene.ts';

const CHROMIUM = '/usr/bin/chromium';
const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** For what needs a process of conductor in between, on a busy machine. */
const PATIENCE_MS = 60_000;

export const PHONE: BrowserContextOptions = {
  viewport: { width: 360, height: 740 },
  isMobile: true,
  hasTouch: true,
};

export interface Server {
  readonly url: string;
  /** The address with a one-time code. */
  readonly pairUrl: string;
  readonly port: number;
  readonly started: StartedCli;
}

export interface PageScene {
  readonly serve: (scene: Scene, port?: number) => Promise<Server>;
  /** A browser that is not paired. */
  readonly open: (options?: BrowserContextOptions) => Promise<BrowserContext>;
  /** A paired browser, on the home screen. */
  readonly pair: (server: Server, options?: BrowserContextOptions) => Promise<Page>;
}

/** A test with a real browser, which is closed afterwards, and the real server. */
export const test = sceneTest.extend<{ pages: PageScene }>({
  pages: async ({ task: _task }, use) => {
    let browser: Browser | null = null;
    const open = async (options: BrowserContextOptions = {}): Promise<BrowserContext> => {
      browser ??= await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
      const context = await browser.newContext(options);
      context.setDefaultTimeout(PATIENCE_MS);
      return context;
    };
    await use({
      open,
      serve,
      pair: async (server, options) => {
        const page = await (await open(options)).newPage();
        await page.goto(server.pairUrl);
        await page.getByRole('heading', { level: 1, name: 'Needs you' }).waitFor();
        expect(page.url()).not.toContain('pair');
        return page;
      },
    });
    await (browser as Browser | null)?.close();
  },
});

async function serve(scene: Scene, port = 0): Promise<Server> {
  const started = scene.cli.start(['serve', '--port', String(port), '--print-code'], {
    cwd: scene.repo.root,
  });
  const pairUrl = await until(() => /(http:\S+#pair=\S+)/.exec(started.stderr())?.[1]);
  const url = new URL('/', pairUrl);
  return { url: url.href, pairUrl, port: Number(url.port), started };
}

export async function stopServer({ started }: Server, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  started.kill(signal);
  await started.done;
}

/** The address of a screen of the only repository. */
export async function screenUrl(page: Page, server: Server, path: string): Promise<string> {
  const { repos } = (await (await page.request.get(`${server.url}api/session`)).json()) as {
    repos: { id: string }[];
  };
  return `${server.url}r/${repos[0]?.id ?? ''}${path}`;
}

const require = createRequire(import.meta.url);

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** What axe finds on the screen: rule and element. Injected over the debugging protocol, which the page's CSP does not limit. */
export async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(require.resolve('axe-core/axe.min.js'), 'utf8'));
  const result = await page.evaluate<AxeResult>(
    "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })",
  );
  return result.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
