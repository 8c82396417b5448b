import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createCli } from '../../testing/cli.ts';
import { type GitRepo, makeRepo } from '../../testing/git-repo.ts';
import { blockOf, ROOT, readPage } from './markdown.ts';

const home = await realpath(await mkdtemp(join(tmpdir(), 'conductor-docs-')));
const repos: GitRepo[] = [];
afterEach(async () => {
  for (const repo of repos.splice(0)) await repo.cleanup();
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** A repository with an agent at `tools/agent.mjs`, as the examples ask for. */
async function prepare(files: Readonly<Record<string, string>>) {
  const config = 'agents: { claude-code: { kind: command, command: [node, tools/agent.mjs] } }\n';
  const repo = await makeRepo({ files: { '.tnh/config.yaml': config, ...files } });
  repos.push(repo);
  return { repo, cli: createCli({ cwd: repo.root, home }) };
}

const example = (path: string) => readFile(join(ROOT, 'examples', path), 'utf8');

function branchOf(workflow: string, runId: string): string {
  return `conductor/run/${workflow}/${runId.trim()}`;
}

/** Leaves one word more in `work.txt` on every call. */
const WRITER = `
import { appendFileSync } from 'node:fs';
appendFileSync('work.txt', 'more\\n');
console.log('Implemented it.');
`;

const PACKAGE = (test: string) => JSON.stringify({ scripts: { test, lint: 'true' } });

describe('the agent on the page about agents', () => {
  it('runs in the workflow of the README and is believed for what it made', async () => {
    const page = await readPage('docs/guide/agents/README.md');
    const { repo, cli } = await prepare({
      '.tnh/config.yaml': blockOf(page, 'yaml config').text,
      'tools/agent.mjs': blockOf(page, 'js agent').text,
      'fix.yaml': blockOf(await readPage('README.md'), 'yaml workflow').text,
      'package.json': PACKAGE('test -s NOTES.md'),
    });
    const valid = await cli.run(['validate', 'fix.yaml']);
    expect([valid.stdout, valid.stderr]).toEqual(['✓ fix.yaml: valid, 4 steps\n', '']);
    const run = await cli.run(['run', 'fix.yaml']);
    expect([run.code, run.stderr]).toEqual([3, expect.stringContaining('evaluation `evaluate`: success')]);
    const id = run.stdout.trim();
    expect((await cli.run(['approve', id, '--resume'])).code).toBe(0);
    const notes = await repo.git('show', `${branchOf('fix', id)}:NOTES.md`);
    expect(notes).toBe('# Task\n\nMake the tests pass.\n');
  });
});

describe('the example review-then-fix', () => {
  it.each([
    ['succeeds when the refinement helps', 'test "$(wc -l < work.txt)" -ge 2', 0, 'success'],
    ['waits for approval when it does not', 'false', 3, 'waiting'],
  ])('%s', async (_, test, code, word) => {
    const { cli } = await prepare({
      '.tnh/workflows/review-then-fix.yaml': await example('workflows/review-then-fix.yaml'),
      'tools/agent.mjs': WRITER,
      'package.json': PACKAGE(test),
    });
    const run = await cli.run(['run', 'review-then-fix', '--input', 'task=Write more.']);
    expect([run.code, run.stderr]).toEqual([code, expect.stringContaining(word)]);
    const shown = await cli.run(['show', run.stdout.trim()]);
    expect(shown.stdout).toContain('implement → check (error) → review (partial) → fix → check');
  });
});

describe('the example judges', () => {
  const files = async (workflow: (text: string) => string) => ({
    '.tnh/config.yaml': 'agents: { cheat: { kind: command, command: [node, tools/cheat.mjs] } }\n',
    '.tnh/workflows/make-tests-pass.yaml': workflow(await example('judges/make-tests-pass.yaml')),
    '.tnh/policies/policy.judged.v1.yaml': await example('judges/policy.judged.v1.yaml'),
    'tools/cheat.mjs': await example('judges/cheat.mjs'),
    'package.json': await example('demo/repository/package.json'),
    'src/slug.js': await example('demo/repository/src/slug.js'),
    'test/slug.test.js': await example('demo/repository/test/slug.test.js'),
  });
  const TURNED_ON = '  policy: policy.judged.v1\n';

  it('shows validators the tests as at the base, and reports that the agent edited one', async () => {
    const { cli } = await prepare(await files((text) => text));
    const run = await cli.run(['run', 'make-tests-pass']);
    const finding = 'protected_path_changed: test/slug.test.js';
    expect(run.code).toBe(4);
    expect(run.stderr).toContain('~ partial');
    expect(run.stderr).toContain('saw them as at the base: test/slug.test.js');
    expect(run.stderr).toContain(finding);
    const shown = await cli.run(['show', run.stdout.trim()]);
    expect(shown.stdout).toContain(finding);
    expect(shown.stdout).toContain('implement → check (error) → evaluate (partial) → STOP');
  });

  it('waits for approval when the line is removed, because the tests pass only with the edits', async () => {
    const { repo, cli } = await prepare(
      await files((text) => {
        expect(text).toContain(TURNED_ON);
        return text.replace(TURNED_ON, '');
      }),
    );
    const run = await cli.run(['run', 'make-tests-pass']);
    expect([run.code, run.stderr]).toEqual([
      4,
      expect.stringContaining(
        'the change edits files that decide whether the checks pass: test/slug.test.js',
      ),
    ]);
    const decision = join(
      repo.root,
      '.tnh/run',
      run.stdout.trim(),
      'artifacts/evaluate/planner_decision.json',
    );
    expect(await readFile(decision, 'utf8')).toContain('"judge_changed"');
    const branch = branchOf('make-tests-pass', run.stdout);
    expect(await repo.git('show', `${branch}:src/slug.js`)).toBe(
      await example('demo/repository/src/slug.js'),
    );
  });
});

describe('the example golden-harness', () => {
  const files = async (agent: string) => ({
    '.tnh/workflows/golden-harness.yaml': await example('workflows/golden-harness.yaml'),
    'tools/golden-harness.mjs': await example('harness/golden-harness.mjs'),
    'tools/agent.mjs': agent,
    'goldens/suite.json': '{ "suite_id": "cli", "cases": [{ "id": "help", "command": ["node", "cli.js"] }] }',
    'goldens/help.txt': 'usage: cli\n',
    'cli.js': 'console.log("usage: cli");\n',
  });
  const rewrite = (source: string) => `
import { writeFileSync } from 'node:fs';
writeFileSync('cli.js', ${JSON.stringify(source)});
console.log('Implemented the flag.');
`;

  it.each([
    ['approve', 0, 'usage: cli [--quiet]\n'],
    ['reject', 4, 'usage: cli\n'],
  ])('leaves the goldens to a reviewer who answers %s', async (answer, code, golden) => {
    const { repo, cli } = await prepare(await files(rewrite('console.log("usage: cli [--quiet]");\n')));
    const run = await cli.run(['run', 'golden-harness', '--input', 'task=Add a flag.']);
    expect([run.code, run.stderr]).toEqual([
      3,
      expect.stringContaining('goldens proposed by compare/goldens'),
    ]);
    const id = run.stdout.trim();
    expect((await cli.run([answer, id, '--resume'])).code).toBe(code);
    expect(await repo.git('show', `${branchOf('golden-harness', id)}:goldens/help.txt`)).toBe(golden);
  });

  it('succeeds without a gate when nothing it compares has changed', async () => {
    const { cli } = await prepare(await files(rewrite('console.log("usage: " + "cli");\n')));
    const run = await cli.run(['run', 'golden-harness', '--input', 'task=Tidy up.']);
    expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('success')]);
  });
});
