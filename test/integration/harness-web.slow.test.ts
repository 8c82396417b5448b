import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { describe, expect } from 'vitest';
import type { WebOptions } from '../../harness/case.ts';
import { runSuite } from '../../harness/harness.ts';
import { chromiumHere } from './chromium-here.ts';
import { isAlive, test } from './harness-fixture.ts';

const SERVER = `
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
createServer((request, response) => {
  response.setHeader('content-type', 'text/html');
  response.end(readFileSync('page.html'));
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

const page = (colour: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Shop</title><style>
  body { font: 16px sans-serif; margin: 40px }
  button { background: ${colour}; color: #fff; border: 0; width: 120px; height: 40px }
</style></head><body><main><h1>Basket</h1>
<label>Name <input id="name"></label>
<label>Size <select id="size"><option>small<option>large</select></label>
<button onclick="ok.hidden = false; ok.textContent = 'Saved ' + document.getElementById('name').value + ' ' + size.value">Save</button>
<p id="ok" hidden></p><ul><li>one<li>two</ul></main></body></html>`;

const web = (options: Partial<WebOptions> = {}) =>
  ({
    kind: 'web',
    id: 'home',
    options: { url: 'http://127.0.0.1:{port}/', serve: ['node', 'server.mjs'], ...options },
  }) as const;

const files = (html: string) => ({ 'server.mjs': SERVER, 'page.html': html });

describe.runIf(chromiumHere)('a page', { timeout: 300_000 }, () => {
  test('is used as a user would, and inspected', async ({ place }) => {
    await place.write(files(page('#0a66c2')));
    const { result, report } = await place.tryCase(
      web({
        steps: [
          { fill: '#name', with: 'Ann' },
          { select: '#size', with: 'large' },
          { press: 'Tab', on: '#name' },
          { click: 'text=Save' },
          { wait: '#ok' },
        ],
        expect: [
          { visible: '#ok' },
          { hidden: '#gone' },
          { text: 'Saved Ann large' },
          { text: { equals: 'Basket' }, in: 'h1' },
          { title: 'Shop' },
          { url: /127\.0\.0\.1/ },
          { count: 2, of: 'li' },
        ],
        quiet: true,
      }),
    );
    expect([result.status, result.observations]).toEqual(['passed', []]);
    expect(report.ux_flags).toEqual([]);
    const picture = PNG.sync.read(place.referred('suite/screenshots/home.png'));
    expect([picture.width, picture.height]).toEqual([1280, 720]);
  });

  test('fails by what is not as expected, with a picture of it', async ({ place }) => {
    await place.write(
      files(`${page('#0a66c2')}<script>console.error('broken'); throw new Error('worse')</script>`),
    );
    const { result } = await place.tryCase(
      web({
        timeout: 6,
        expect: [{ visible: '#ok' }, { title: { equals: 'Home' } }, { count: 3, of: 'li' }],
        quiet: true,
      }),
    );
    expect(result.status).toBe('failed');
    expect(result.observations).toEqual(
      expect.arrayContaining([
        '#ok is not visible',
        'the page logged an error: broken',
        'the page logged an error: worse',
      ]),
    );
    expect(result.artifacts).toEqual(['suite/screenshots/home.png']);
  });

  test("fails by a step that can't be taken, and nothing is expected of it then", async ({ place }) => {
    await place.write(files(page('#0a66c2')));
    const { result } = await place.tryCase(
      web({ timeout: 6, steps: [{ click: '#nothing' }], expect: [{ visible: '#ok' }] }),
    );
    expect(result.observations).toEqual([
      expect.stringMatching(/^the step \{"click":"#nothing"\} failed: .*Timeout/),
    ]);
  });

  test('reports accessibility problems as flags with the picture', async ({ place }) => {
    await place.write(
      files(
        '<!doctype html><html><title>x</title><main><h1>x</h1><img src="x.png"><p style="color:#aaa">pale</p>',
      ),
    );
    const { result, report } = await place.tryCase(web());
    expect(result.status).toBe('passed');
    const flags = report.ux_flags.map(({ severity, description, evidence_ref }) => [
      severity,
      /\(([\w-]+)\)/.exec(description ?? '')?.[1],
      evidence_ref,
    ]);
    expect(flags).toHaveLength(3);
    expect(flags).toEqual(
      expect.arrayContaining([
        ['error', 'image-alt', 'suite/screenshots/home.png'],
        ['warning', 'color-contrast', 'suite/screenshots/home.png'],
        ['warning', 'html-has-lang', 'suite/screenshots/home.png'],
      ]),
    );
    const { report: unchecked } = await place.tryCase(web({ accessibility: false }));
    expect(unchecked.ux_flags).toEqual([]);
  });

  test('gives the same picture twice, and a button of another colour pixel by pixel', async ({ place }) => {
    await place.write(files(page('#0a66c2')));
    const first = await place.tryCase(web({ golden: 'home.png' }));
    expect(first.report.proposed_goldens).toMatchObject([{ kind: 'image', golden_path: 'goldens/home.png' }]);
    await place.write({ 'goldens/home.png': place.referred('suite/proposed/home.png') });
    const same = await place.tryCase(web({ golden: 'home.png' }));
    expect(same.report.proposed_goldens).toEqual([]);

    await place.write(files(page('#0a67c2')));
    const { result, report } = await place.tryCase(web({ golden: 'home.png' }));
    const [, differing] =
      /^goldens\/home.png differs in (\d+) of 921600 pixels$/.exec(result.observations[0] ?? '') ?? [];
    // The button has 120 × 40 pixels, but for those that its white letters cover.
    expect(Number(differing)).toBeGreaterThan(4_300);
    expect(Number(differing)).toBeLessThanOrEqual(4_800);
    expect(report.proposed_goldens).toEqual([
      {
        id: 'home.png',
        golden_path: 'goldens/home.png',
        proposed_path: 'suite/proposed/home.png',
        kind: 'image',
        diff_ref: 'suite/diffs/home.png.png',
        pixels: Number(differing),
      },
    ]);
    expect(redPixels(place.referred('suite/diffs/home.png.png'))).toBe(Number(differing));
    const tolerant = await place.tryCase(web({ golden: 'home.png', tolerance: 0.1 }));
    expect(tolerant.report.proposed_goldens).toEqual([]);
  });

  test('of another size differs by all that the two do not share', async ({ place }) => {
    await place.write({ ...files('<!doctype html><title>x</title><body>') });
    const small = { width: 100, height: 50 };
    await place.tryCase(web({ golden: 'home.png', viewport: small }));
    await place.write({ 'goldens/home.png': place.referred('suite/proposed/home.png') });
    const { result } = await place.tryCase(web({ golden: 'home.png', viewport: { width: 120, height: 40 } }));
    expect(result.observations).toContain(
      'goldens/home.png differs in 2000 of 6000 pixels; it was 100×50 and is 120×40',
    );
  });

  test.for<[string, number, string, RegExp]>([
    [
      'ends before it answers',
      60,
      'console.error("no port for me"); process.exit(1)',
      /^the server ended before it answered at .*no port for me/,
    ],
    ['never answers', 1, 'setInterval(() => {}, 1000)', /^nothing answered after 1 s at /],
  ])('fails by a server that %s', async ([, timeout, code, problem], { place }) => {
    const { result } = await place.tryCase(web({ serve: ['node', '-e', code], timeout }));
    expect(result.observations).toEqual([expect.stringMatching(problem)]);
  });

  test('leaves no server behind', async ({ place }) => {
    await place.write({
      'page.html': page('#000'),
      'server.mjs': `${SERVER}\nimport { writeFileSync } from 'node:fs';\nwriteFileSync('pid', String(process.pid));`,
    });
    await place.tryCase(web());
    const pid = Number(readFileSync(join(place.root, 'pid'), 'utf8'));
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

/** Those that the picture of a difference marks. */
function redPixels(bytes: Buffer): number {
  const { data } = PNG.sync.read(bytes);
  let count = 0;
  for (let at = 0; at < data.length; at += 4) {
    if (data[at] === 255 && data[at + 1] === 0 && data[at + 2] === 0) count += 1;
  }
  return count;
}

describe('a page without a browser', () => {
  test('is skipped, and the report says why and what to do', async ({ place }) => {
    const { report, exitCode } = await runSuite({
      suiteId: 'suite',
      cases: [web()],
      cwd: place.root,
      env: { CONDUCTOR_CHROMIUM: join(place.root, 'none') },
      options: {},
      repro: (id) => id,
      print: () => undefined,
    });
    expect(report.cases).toMatchObject([
      {
        status: 'skipped',
        observations: [expect.stringContaining('none, which is no program; correct CONDUCTOR_CHROMIUM')],
      },
    ]);
    expect([report.summary.skipped, exitCode]).toEqual([1, 0]);
  });
});
