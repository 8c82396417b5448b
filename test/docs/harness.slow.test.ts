import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { harnessReportSchema } from '../../src/contracts/run/harness-report.ts';
import { createCli } from '../../testing/cli.ts';
import { type GitRepo, makeRepo } from '../../testing/git-repo.ts';
import { chromiumHere } from '../integration/chromium-here.ts';
import { blockOf, ROOT, readPage } from './markdown.ts';

const home = await realpath(await mkdtemp(join(tmpdir(), 'conductor-docs-')));
const repos: GitRepo[] = [];
afterEach(async () => {
  for (const repo of repos.splice(0)) await repo.cleanup();
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** The project that the page is about. */
const SHOP = {
  'cli.mjs': `
export const add = (left, right) => left + right;
const [option] = process.argv.slice(2);
if (option === '--help') console.log('Usage: shop');
else if (option === '--nonsense') {
  console.error('unknown option --nonsense');
  process.exitCode = 2;
}
`,
  'server.mjs': `
import { createServer } from 'node:http';
const page = \`<!doctype html><html lang="en"><title>Shop</title><main><h1>Shop</h1>
<label>Name <input id="name"></label> <button onclick="said.textContent = 'Saved ' + document.getElementById('name').value">Save</button>
<p id="said"></p></main></html>\`;
createServer((request, response) => {
  response.setHeader('content-type', 'text/html');
  response.end(page);
}).listen(Number(process.env.PORT), '127.0.0.1');
`,
  'README.md': '# Shop\n\n[Up](#shop)\n\n```sh\nnode cli.mjs --help\n```\n',
};

async function prepare(files: Readonly<Record<string, string>>): Promise<GitRepo> {
  const repo = await makeRepo({ files: { ...SHOP, ...files } });
  repos.push(repo);
  return repo;
}

async function run(repo: GitRepo, command: string, ...args: readonly string[]) {
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    CONDUCTOR_TRUST: '1',
    CONDUCTOR_HARNESS: join(ROOT, 'dist/lib/harness.js'),
    CONDUCTOR_BIN: join(ROOT, 'dist/bin/conductor.js'),
  };
  const child = spawn(command, args, { cwd: repo.root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const said: string[] = [];
  child.stdout.on('data', (chunk) => said.push(String(chunk)));
  const [code] = await once(child, 'close');
  return { code, stdout: said.join('') };
}

async function reportOf(repo: GitRepo) {
  const text = await readFile(join(repo.root, '.tnh/harness/shop/harness_report.json'), 'utf8');
  return harnessReportSchema.parse(JSON.parse(text));
}

const WEB = chromiumHere ? 'passed' : 'skipped';
const page = await readPage('docs/guide/checks/harness.md');

describe('the page about harnesses', { timeout: 300_000 }, () => {
  it('has a program that does what is shown below it', async () => {
    const repo = await prepare({ 'harness.mjs': blockOf(page, 'js harness').text });
    const { code, stdout } = await run(repo, 'node', 'harness.mjs');
    expect(code).toBe(0);
    const shown = page.blocks.find(({ text }) => text.startsWith('$ node harness.mjs\n'))?.text ?? '';
    const sizeless = (text: string) => text.replace(/\d+ bytes/, 'N bytes');
    if (chromiumHere) expect(sizeless(`$ node harness.mjs\n${stdout}`)).toBe(sizeless(shown));
    expect((await reportOf(repo)).cases.map(({ id, status }) => [id, status])).toEqual([
      ['help', 'passed'],
      ['home', WEB],
      ['readme', 'passed'],
      ['adds', 'passed'],
    ]);
  });

  it('has a suite that the command runs, and a program in another language that starts it', async () => {
    const repo = await prepare({
      'tools/suite.yaml': blockOf(page, 'yaml suite').text,
      'tools/harness.py': blockOf(page, 'python harness').text,
    });
    const cli = createCli({ cwd: repo.root, home });
    expect((await cli.run(['harness', 'run', 'tools/suite.yaml'])).code).toBe(0);
    const first = await reportOf(repo);
    const { code } = await run(repo, 'python3', 'tools/harness.py', '--case', 'help');
    expect(code).toBe(0);
    const expected = [
      ['help', 'passed'],
      ['home', WEB],
      ['readme', 'passed'],
    ];
    expect(first.cases.map(({ id, status }) => [id, status])).toEqual(expected);
    expect((await reportOf(repo)).cases.map(({ id }) => id)).toEqual(['help']);
  });

  it('has a prompt that shows the same lines of Python', async () => {
    const prompt = await readPage('prompts/task.synthesize_harness.v1.md');
    expect(blockOf(prompt, 'python').text).toBe(blockOf(page, 'python harness').text);
  });
});

describe('the example shop-harness', { timeout: 300_000 }, () => {
  it('passes in a repository that has what it tries', async () => {
    const text = await readFile(join(ROOT, 'examples/harness/shop-harness.mjs'), 'utf8');
    const repo = await prepare({ 'tools/shop-harness.mjs': text });
    const { code, stdout } = await run(repo, 'node', 'tools/shop-harness.mjs');
    expect(code, stdout).toBe(0);
    expect((await reportOf(repo)).cases.map(({ id, status }) => [id, status])).toEqual([
      ['help', 'passed'],
      ['refuses', 'passed'],
      ['home', WEB],
    ]);
  });
});
