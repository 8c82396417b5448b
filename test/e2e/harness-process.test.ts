import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { harnessReportSchema } from '../../src/contracts/run/harness-report.ts';
import { createCli } from '../../testing/cli.ts';
import { isAlive, test } from '../integration/harness-fixture.ts';
import { readPid, until } from './scene.ts';

const KIT = fileURLToPath(new URL('../../dist/lib/harness.js', import.meta.url));

/** A harness as a program of its own, as it is shipped. */
async function startHarness(root: string, body: string, ...args: readonly string[]) {
  await mkdir(dirname(join(root, 'h.mjs')), { recursive: true });
  await writeFile(
    join(root, 'h.mjs'),
    `const { harness } = await import(${JSON.stringify(KIT)});\nawait harness('suite', ${body});\n`,
  );
  const env = { PATH: process.env.PATH, HOME: root };
  const child = spawn(process.execPath, ['h.mjs', ...args], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(String(chunk)));
  const done = once(child, 'close').then(([code]) => ({ code, said: said.join('') }));
  return { child, done };
}

function readReport(root: string, path = '.tnh/harness/suite/harness_report.json') {
  return harnessReportSchema.parse(JSON.parse(readFileSync(join(root, path), 'utf8')));
}

const statuses = (root: string) => readReport(root).cases.map(({ id, status }) => `${id} ${status}`);

describe('a harness', () => {
  test.for<[string, string, number, readonly string[]]>([
    ['whose cases pass', `(t) => { t.unit('a', () => {}); }`, 0, ['a passed']],
    [
      'that only proposes',
      `(t) => t.unit('a', ({ expectGolden }) => expectGolden('x', 'y'))`,
      0,
      ['a passed'],
    ],
    [
      'with a case that fails',
      `(t) => { t.unit('b', () => { throw 1; }); t.unit('a', () => {}); }`,
      1,
      ['b failed', 'a passed'],
    ],
    ['without cases', '() => {}', 1, ['declaration failed']],
    [
      'whose declaration fails half way',
      `(t) => { t.unit('a', () => {}); t.unit('a', () => {}); }`,
      1,
      ['a passed', 'declaration failed'],
    ],
    [
      'that is left in the middle of a case',
      `(t) => { t.unit('a', () => {}); t.unit('b', () => process.exit(0)); t.unit('c', () => {}); }`,
      1,
      ['a passed', 'b failed', 'c skipped'],
    ],
    [
      'with an error that nobody catches',
      `(t) => { t.unit('a', () => new Promise(() => setTimeout(() => { throw new Error('loose'); }))); t.unit('b', () => {}); }`,
      1,
      ['a failed', 'b skipped'],
    ],
  ])('%s leaves a report and says how it ended', async ([, body, code, expected], { place }) => {
    const { done } = await startHarness(place.root, body);
    expect((await done).code).toBe(code);
    expect(statuses(place.root)).toEqual(expected);
  });

  test('that is asked to end leaves a report and no process', async ({ place }) => {
    const sleeper = `process.stdout.write(String(process.pid)); setInterval(() => {}, 1000); require('fs').writeFileSync('pid', String(process.pid))`;
    const { child, done } = await startHarness(
      place.root,
      `(t) => { t.unit('a', () => {}); t.cli('b', { command: ['node', '-e', ${JSON.stringify(sleeper)}] }); t.unit('c', () => {}); }`,
    );
    const pid = await until(() => readPid(join(place.root, 'pid')));
    child.kill('SIGTERM');
    expect((await done).code).toBe(143);
    expect(
      readReport(place.root).cases.map(({ id, status, observations }) => [id, status, ...observations]),
    ).toEqual([
      ['a', 'passed'],
      ['b', 'failed', 'the harness was killed by SIGTERM'],
      ['c', 'skipped', 'it was not tried: the harness was killed by SIGTERM'],
    ]);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test('runs one case, writes its report to the given path, and says how to run one again', async ({
    place,
  }) => {
    const body = `(t) => { t.unit('a', () => {}); t.unit('b', () => { throw new Error('no'); }); }`;
    const { done } = await startHarness(place.root, body, '--case', 'b', '--report', 'out/r.json');
    expect(await done).toMatchObject({ code: 1, said: expect.stringContaining('not ok b\n  no\n') });
    expect(readReport(place.root, 'out/r.json').cases).toMatchObject([
      { id: 'b', repro: 'node h.mjs --case b' },
    ]);
  });

  test('does not take one case for another', async ({ place }) => {
    const { done } = await startHarness(place.root, `(t) => { t.unit('add', () => {}); }`, '--case', 'ad');
    const { code, said } = await done;
    expect(code).not.toBe(0);
    expect(said).toContain('the suite has no case "ad"; did you mean add?');
  });
});

describe('conductor harness run', () => {
  const SUITE = (exit: number) =>
    `suite_id: suite\ncases:\n  - { id: a, kind: cli, command: [node, -e, "process.exit(${exit})"] }\n`;

  test.for<[string, string | null, readonly string[], number, RegExp]>([
    ['passes', SUITE(0), [], 0, /^ok a\nsuite: 1 passed; report in /],
    ['fails', SUITE(3), [], 1, /^not ok a\n {2}it exited with 3 instead of 0\n/],
    ['is wrong', SUITE(0).replace('command', 'comand'), [], 2, /error\[CF007\].*did you mean `command`\?/s],
    ['is not there', null, [], 2, /the suite suite.yaml can't be read/],
    ['has no such case', SUITE(0), ['--case', 'b'], 2, /the suite has no case "b"/],
  ])('says by its exit code that a suite %s', async ([, suite, args, code, said], { place }) => {
    if (suite !== null) await place.write({ 'suite.yaml': suite });
    const cli = createCli({ cwd: place.root, home: place.root });
    const result = await cli.run(['harness', 'run', 'suite.yaml', ...args]);
    expect(result.code).toBe(code);
    expect(result.stdout + result.stderr).toMatch(said);
  });

  test('prints the report as one document', async ({ place }) => {
    await place.write({ 'suite.yaml': SUITE(1) });
    const cli = createCli({ cwd: place.root, home: place.root });
    const { code, stdout } = await cli.run(['harness', 'run', 'suite.yaml', '--json', '--out', 'o']);
    const document = JSON.parse(stdout);
    expect([code, document.ok, document.report_path]).toEqual([
      1,
      false,
      join(place.root, 'o/suite/harness_report.json'),
    ]);
    expect(document.report).toEqual(JSON.parse(readFileSync(document.report_path, 'utf8')));
  });

  test('knows nothing but run', async ({ place }) => {
    const cli = createCli({ cwd: place.root, home: place.root });
    expect(await cli.run(['harness', 'rum', 'x'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean run?'),
    });
  });
});
