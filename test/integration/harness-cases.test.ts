import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { CliOptions, DocsOptions, UnitTools } from '../../harness/case.ts';
import { runSuite } from '../../harness/harness.ts';
import { isAlive, test } from './harness-fixture.ts';

const node = (code: string) => ['node', '-e', code];
const cli = (options: CliOptions) => ({ kind: 'cli', id: 'it', options }) as const;
const docs = (options: DocsOptions) => ({ kind: 'docs', id: 'it', options }) as const;

describe('a command', () => {
  test.for<[string, CliOptions]>([
    ['exits as it should', { command: node('process.exit(3)'), exit: 3 }],
    ['prints what it should', { command: node('console.log("a b")'), stdout: /^a/, stderr: { equals: '' } }],
    [
      'reads what it is given',
      { command: node('process.stdin.pipe(process.stdout)'), stdin: 'in', stdout: { equals: 'in' } },
    ],
    ['sees its variables', { command: node('console.log(process.env.A)'), env: { A: 'b' }, stdout: 'b' }],
    [
      'leaves the files it should',
      {
        command: node('require("fs").writeFileSync("out.txt", "made")'),
        files: { 'out.txt': { equals: 'made' }, 'other.txt': false },
      },
    ],
  ])('passes that %s', async ([, options], { place }) => {
    const { result } = await place.tryCase(cli(options));
    expect([result.status, result.observations]).toEqual(['passed', []]);
  });

  test.for<[string, CliOptions, readonly (string | RegExp)[]]>([
    [
      'exits otherwise',
      { command: node('console.error("oh no"); process.exit(2)') },
      ['it exited with 2 instead of 0; it said "oh no"'],
    ],
    [
      'is not there',
      { command: ['no-such-program'] },
      ['it could not be started: no-such-program was not found'],
    ],
    [
      'says something else',
      { command: node('console.log("x")'), stdout: 'y' },
      ['standard output does not contain "y", it is "x\\n"'],
    ],
    [
      'leaves other files',
      { command: node('require("fs").writeFileSync("a", "")'), files: { a: false, b: true } },
      ['a exists, but must not', 'b is not there'],
    ],
    ['ends itself', { command: node('process.kill(process.pid, "SIGKILL")') }, ['it was killed by SIGKILL']],
  ])('fails that %s, and the report says how', async ([, options, problems], { place }) => {
    const { result } = await place.tryCase(cli(options));
    expect([result.status, result.observations]).toEqual(['failed', problems]);
  });

  test('that takes too long is ended with its children', async ({ place }) => {
    // A shell is there long before the time is up, also where programs take seconds to start.
    const command = ['sh', '-c', 'sleep 300 & echo $! > pid; wait'];
    const { result } = await place.tryCase(cli({ command, timeout: 1 }));
    expect(result.observations).toEqual(['timed out after 1 s']);
    const pid = Number(readFileSync(join(place.root, 'pid'), 'utf8'));
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test('that leaves a child behind does not leave it to others', async ({ place }) => {
    const code = `
      const child = require('child_process').spawn('sleep', ['300'], { stdio: 'inherit' });
      require('fs').writeFileSync('pid', String(child.pid));
      process.exit(0);`;
    const { result } = await place.tryCase(cli({ command: node(code) }));
    expect(result.status).toBe('passed');
    const pid = Number(readFileSync(join(place.root, 'pid'), 'utf8'));
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test('keeps what it printed, and a line that shows it again', async ({ place }) => {
    const { result } = await place.tryCase(
      cli({ command: ['sh', '-c', 'cat; echo "$A" >&2'], stdin: 'a b', env: { A: 'x y' } }),
    );
    expect(result.repro).toBe(`printf %s 'a b' | A='x y' sh -c 'cat; echo "$A" >&2'`);
    expect(result.artifacts).toEqual(['suite/logs/it.stdout.txt', 'suite/logs/it.stderr.txt']);
    expect(result.artifacts.map((reference) => place.referred(reference).toString())).toEqual([
      'a b',
      'x y\n',
    ]);
  });

  test('that fails at first is flaky when it is tried again and passes', async ({ place }) => {
    const code =
      'const fs = require("fs"); if (!fs.existsSync("x")) { fs.writeFileSync("x", ""); process.exit(1); }';
    const { result, report } = await place.tryCase(cli({ command: node(code), retries: 2 }));
    expect([result.status, result.observations]).toEqual(['flaky', ['try 1: it exited with 1 instead of 0']]);
    expect(report.summary).toMatchObject({ passed: 0, failed: 0, flaky: 1 });
  });
});

describe('a function', () => {
  test('fails by what it throws, and the others are tried all the same', async ({ place }) => {
    const unit = (id: string, test: () => unknown) => ({ kind: 'unit', id, options: { test } }) as const;
    const report = await place.run([
      unit('throws', () => {
        throw new Error('seven is not eight');
      }),
      unit('rejects', () => Promise.reject(new Error('later'))),
      unit('passes', () => undefined),
      { kind: 'unit', id: 'hangs', options: { test: () => new Promise(() => undefined), timeout: 0.05 } },
    ]);
    expect(report.cases.map(({ id, status, observations }) => [id, status, observations])).toEqual([
      ['throws', 'failed', ['seven is not eight']],
      ['rejects', 'failed', ['later']],
      ['passes', 'passed', []],
      ['hangs', 'failed', ['timed out after 0.05 s']],
    ]);
    expect(report.cases[0]?.repro).toBe('again throws');
  });
});

describe('a golden', () => {
  const print = (text: string) =>
    cli({ command: node(`process.stdout.write(${JSON.stringify(text)})`), golden: 'a/b.txt' });

  test('that is met asks for nothing', async ({ place }) => {
    await place.write({ 'goldens/a/b.txt': 'one\n' });
    const { result, report } = await place.tryCase(print('one\n'));
    expect([result.status, result.observations, report.proposed_goldens]).toEqual(['passed', [], []]);
  });

  test('that differs is proposed with a diff, passes, and stays as it was', async ({ place }) => {
    await place.write({ 'goldens/a/b.txt': 'one\ntwo\n' });
    const { result, report } = await place.tryCase(print('one\n2\n'));
    expect([result.status, result.observations]).toEqual([
      'passed',
      ['goldens/a/b.txt differs: 1 line added, 1 removed'],
    ]);
    expect(report.proposed_goldens).toEqual([
      {
        id: 'a/b.txt',
        golden_path: 'goldens/a/b.txt',
        proposed_path: 'suite/proposed/a/b.txt',
        kind: 'text',
        diff_ref: 'suite/diffs/a/b.txt.diff',
      },
    ]);
    expect(place.referred('suite/proposed/a/b.txt').toString()).toBe('one\n2\n');
    expect(place.referred('suite/diffs/a/b.txt.diff').toString()).toContain('-two\n+2\n');
    expect(readFileSync(join(place.root, 'goldens/a/b.txt'), 'utf8')).toBe('one\ntwo\n');
  });

  test('that is not there yet is proposed and not made', async ({ place }) => {
    const { report } = await place.tryCase(print('one\n'));
    expect(report.proposed_goldens).toMatchObject([{ golden_path: 'goldens/a/b.txt', kind: 'text' }]);
    expect(place.has('goldens')).toBe(false);
  });

  test('is not proposed by a case that failed', async ({ place }) => {
    const { options } = print('one\n');
    const { result, report } = await place.tryCase(cli({ ...options, exit: 1 }));
    expect([result.status, report.proposed_goldens]).toEqual(['failed', []]);
    expect(place.has('.tnh/harness/suite/proposed')).toBe(false);
  });

  test('that an earlier run proposed is gone when the next one does not', async ({ place }) => {
    await place.tryCase(print('one\n'));
    await place.write({ 'goldens/a/b.txt': 'one\n' });
    await place.tryCase(print('one\n'));
    expect(readdirSync(join(place.root, '.tnh/harness/suite')).sort()).toEqual([
      'harness_report.json',
      'logs',
    ]);
  });

  test('of bytes is proposed as bytes', async ({ place }) => {
    await place.write({ 'goldens/a.bin': new Uint8Array([0, 1, 2]) });
    const { report } = await place.tryCase({
      kind: 'unit',
      id: 'it',
      options: { test: ({ expectGolden }) => expectGolden('a.bin', new Uint8Array([0, 1])) },
    });
    expect(report.proposed_goldens).toMatchObject([{ id: 'a.bin', kind: 'binary' }]);
    expect(report.cases[0]?.observations).toEqual(['goldens/a.bin differs: 3 bytes before, 2 now']);
  });

  test.for(['../x', '/etc/passwd', 'a/../../x', 'a//b', './a', '', 'a/', '..'])(
    'with a name that leads elsewhere fails the case: %s',
    async (name, { place }) => {
      const { result, report } = await place.tryCase({
        kind: 'unit',
        id: 'it',
        options: { test: ({ expectGolden }) => expectGolden(name, 'x') },
      });
      expect([result.status, report.proposed_goldens]).toEqual(['failed', []]);
      expect(result.observations[0]).toMatch(/is not a plain path inside goldens$/);
    },
  );

  test('that is a link to elsewhere is not read', async ({ place }) => {
    await place.write({ 'secret.txt': 'one\n', 'goldens/other.txt': '' });
    symlinkSync(join(place.root, 'secret.txt'), join(place.root, 'goldens/link.txt'));
    const { result } = await place.tryCase(cli({ command: node(''), golden: 'link.txt' }));
    expect(result.observations).toEqual(['the golden goldens/link.txt is a link that leads out of goldens']);
  });

  test('that two cases come to differently fails the second', async ({ place }) => {
    const say = (id: string, text: string) =>
      ({
        kind: 'unit',
        id,
        options: { test: ({ expectGolden }: UnitTools) => expectGolden('x', text) },
      }) as const;
    const report = await place.run([say('a', 'one'), say('b', 'one'), say('c', 'two')]);
    expect(report.cases.map(({ status }) => status)).toEqual(['passed', 'passed', 'failed']);
    expect(report.cases[2]?.observations).toEqual([
      'the golden goldens/x is also that of the case b, which came to another result',
    ]);
    expect(place.referred('suite/proposed/x').toString()).toBe('one');
  });

  test('is compared only as text and bytes', async ({ place }) => {
    const { result } = await place.tryCase({
      kind: 'unit',
      id: 'it',
      options: { test: ({ expectGolden }) => expectGolden('x', undefined as unknown as string) },
    });
    expect(result.observations).toEqual([
      'the golden goldens/x is compared with text or bytes, and was given undefined',
    ]);
  });

  test('is compared even by a function that does not wait for it', async ({ place }) => {
    const { report } = await place.tryCase({
      kind: 'unit',
      id: 'it',
      options: {
        test: ({ expectGolden }) => {
          for (const name of ['a', '../b']) expectGolden(name, 'x').catch(() => undefined);
        },
      },
    });
    expect(report.cases[0]?.observations).toEqual([
      'the golden "../b" is not a plain path inside goldens',
      'goldens/a is new: 1 line',
    ]);
  });

  test.for<[string | undefined, string | null]>([
    [undefined, 'sub/goldens/a/b.txt'],
    ['../expected', 'expected/a/b.txt'],
    ['../../elsewhere', null],
    ['/elsewhere', null],
  ])(
    'is named relative to the repository wherever the harness was started, and is inside it: %s',
    async ([goldens, path], { place }) => {
      await place.write({ '.git/HEAD': '', 'sub/x': '' });
      const { report } = await runSuite({
        suiteId: 'suite',
        cases: [print('one\n')],
        cwd: join(place.root, 'sub'),
        env: { PATH: process.env.PATH },
        options: { goldens },
        repro: (id) => id,
        print: () => undefined,
      });
      expect(report.proposed_goldens).toMatchObject(path === null ? [] : [{ golden_path: path }]);
      if (path === null)
        expect(report.cases).toMatchObject([
          {
            status: 'failed',
            observations: [`the folder of the goldens, ${goldens}, is outside of the repository`],
          },
        ]);
    },
  );

  test('is compared as text without what differs from run to run', async ({ place }) => {
    await place.write({ 'goldens/a.txt': 'at <cwd>, <date>\n' });
    const { report } = await place.tryCase(
      cli({
        command: node('console.log("\\u001b[1mat", process.cwd() + "\\u001b[0m,", new Date().toISOString())'),
        golden: 'a.txt',
        normalise: ['ansi', 'paths', 'dates'],
      }),
    );
    expect(report.proposed_goldens).toEqual([]);
  });
});

describe('documentation', () => {
  test('passes when its links lead somewhere and its examples run, without a trace of them', async ({
    place,
  }) => {
    await place.write({
      'README.md':
        '# Top\n[a](docs/a.md#two), [b](#top), [c](/docs/), [x](https://example.invalid)\n\n```sh\necho hi > made\n```\n```js\nimport { x } from "./x.mjs";\nimport { readFileSync } from "node:fs";\nif (readFileSync("made", "utf8") !== "hi\\n" || x !== 1) throw new Error("no");\n```\n```sh no-run\nfalse\n```\n',
      'docs/a.md': '## Two\n[up](../README.md)\n',
      'x.mjs': 'export const x = 1;\n',
    });
    const { result } = await place.tryCase(docs({ files: ['README.md', 'docs/**/*.md'], run: ['sh', 'js'] }));
    expect([result.status, result.observations]).toEqual([
      'passed',
      ['2 pages, 4 links inside the repository, 1 elsewhere and not followed, 2 examples run'],
    ]);
    expect(place.has('made')).toBe(false);
  });

  test('fails for every dead link and every failing example', async ({ place }) => {
    await place.write({
      'README.md':
        '# Top\n[a](gone.md)\n[b](#nowhere)\n[c](../outside.md)\n[d](a.md#three)\n\n```sh\nfalse\ntrue\n```\n',
      'a.md': '## Two\n',
    });
    const { result } = await place.tryCase(docs({ files: ['README.md', 'no/*.md'], run: ['sh'] }));
    expect([result.status, result.observations.slice(0, -1)]).toEqual([
      'failed',
      [
        'no file matches no/*.md',
        'README.md:2: the link gone.md leads to nothing',
        'README.md:3: the link #nowhere names no heading of this page',
        'README.md:4: the link ../outside.md leads out of the repository',
        'README.md:5: the link a.md#three names no heading there',
        'README.md:7: the example: it exited with 1 instead of 0',
      ],
    ]);
  });

  test('fails if no command for its examples is configured', async ({ place }) => {
    await place.write({ 'README.md': '# Top\n' });
    const { result } = await place.tryCase(docs({ files: ['README.md'], run: ['bsh'] }));
    expect(result.observations).toEqual(["examples in bsh can't be run; did you mean sh?"]);
  });
});

describe('the folder of a run', () => {
  const inRun = (root: string) =>
    runSuite({
      suiteId: 'suite',
      cases: [cli({ command: node('console.log(1)') })],
      cwd: root,
      env: { PATH: process.env.PATH, CONDUCTOR_RUN_DIR: join(root, 'run') },
      options: { report: 'r.json' },
      repro: (id) => id,
      print: () => undefined,
    });

  test('has all of it, with references from the run directory', async ({ place }) => {
    await place.write({ 'run/status.json': '' });
    const { report, reportPath } = await inRun(place.root);
    expect(report.cases[0]?.artifacts).toEqual(['harness/out/suite/logs/it.stdout.txt']);
    expect(place.has('run/harness/out/suite/logs/it.stdout.txt')).toBe(true);
    expect([reportPath, place.has('.tnh')]).toEqual([join(place.root, 'r.json'), false]);
  });

  test.for(['harness', 'harness/out', 'harness/out/suite'])(
    'is not followed where it was made a link to elsewhere: %s',
    async (link, { place }) => {
      await place.write({ 'elsewhere/logs/own.txt': 'own', 'elsewhere/suite/logs/own.txt': 'own' });
      await place.write({ [`run/${link}/../x`]: '' });
      symlinkSync(join(place.root, 'elsewhere'), join(place.root, 'run', link));
      await expect(inRun(place.root)).rejects.toThrow(/is a link, and a harness writes only where/);
      expect([place.has('elsewhere/logs/own.txt'), place.has('elsewhere/suite/logs/own.txt')]).toEqual([
        true,
        true,
      ]);
    },
  );
});

describe('a folder that the user names', () => {
  test("has all of it, with references from there, and keeps the user's files", async ({ place }) => {
    await place.write({ 'mine/suite/logs/own.txt': 'own' });
    const report = await place.run([cli({ command: node('console.log(1)') })], {
      out: 'mine',
      report: 'r.json',
    });
    expect(report.cases[0]?.artifacts).toEqual(['suite/logs/it.stdout.txt']);
    expect(place.has('mine/suite/logs/it.stdout.txt')).toBe(true);
    expect(place.has('mine/suite/logs/own.txt')).toBe(true);
    expect(place.has('.tnh')).toBe(false);
  });
});
