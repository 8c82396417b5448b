import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { refinementPackageSchema } from '../../src/contracts/planner/refinement-package.ts';
import { sandboxHere } from '../integration/sandbox-here.ts';
import { type CheckedRepository, openRepository, type RepositoryKind } from './checked-repository.ts';
import { readRun } from './run-record.ts';
import { workspacesName } from './scene.ts';

const SLOW = { timeout: 120_000 };

async function open(kind: RepositoryKind): Promise<CheckedRepository> {
  const repository = await openRepository(kind);
  onTestFinished(() => repository.close());
  return repository;
}

const MAKEFILE = '.PHONY: test\ntest:\n\t@grep -qx 5 sum.txt || { echo "wanted 5" >&2; exit 1; }\n';

describe('a rejection with a comment', SLOW, () => {
  it('goes back to the agent of the built-in workflow, until its visits are spent', async () => {
    const { repo, cli } = await open({ files: { Makefile: MAKEFILE, 'sum.txt': '0\n' } });
    const task = JSON.stringify({ shell: 'echo 5 > sum.txt; echo note >> notes.txt' });
    const run = await cli.run(['run', 'implement', '--title', 'Sum', '--input', `task=${task}`]);
    const runId = run.stdout.split('\n')[0] ?? '';
    expect(run.code, run.stderr).toBe(3);
    const reject = async (comment: string) => {
      expect((await cli.run(['reject', runId, '--comment', comment])).code).toBe(0);
      return cli.run(['resume', runId]);
    };
    const first = await reject('write the sum into total.txt');
    expect(first.code, first.stderr).toBe(3);
    const read = () => readRun(join(repo.root, '.tnh/run', runId));
    const prompt = read().evidence('implement@2', 'runner_prompt');
    expect(prompt).toContain('write the sum into total.txt');
    expect(prompt).toMatch(/said at the gate/);
    await reject('and again');
    expect(read().evidence('implement@3', 'runner_prompt')).toContain('and again');
    expect(read().evidence('implement@3', 'runner_prompt')).not.toContain('total.txt');
    const last = await reject('never mind');
    expect(last.stderr).toContain('max_visits');
    expect(read().status.lifecycle_state).toBe('failed');
    expect(Object.keys(read().manifests)).not.toContain('implement@4');
  });

  it('is added to a prompt that has no place for it', async () => {
    const { repo, cli } = await open({
      files: { Makefile: MAKEFILE, 'sum.txt': '0\n' },
      arrange: (workflow) =>
        workflow
          .replace('    inputs: [task]\n', '    inputs: [task]\n    limits: { max_visits: 2 }\n')
          .replace('gate_rejected: STOP', 'gate_rejected: implement'),
    });
    const task = JSON.stringify({ shell: 'echo 5 > sum.txt; echo note >> notes.txt' });
    const run = await cli.run(['run', 'attempt', '--title', 'Sum', '--input', `task=${task}`]);
    const runId = run.stdout.split('\n')[0] ?? '';
    await cli.run(['reject', runId, '--comment', 'use total.txt']);
    await cli.run(['resume', runId]);
    const prompt = readRun(join(repo.root, '.tnh/run', runId)).evidence('implement@2', 'runner_prompt');
    expect(prompt).toMatch(/said at the gate\n\nuse total\.txt\s*$/);
  });
});

const REFINE = `  - id: refine
    opcode: RUN_AGENT
    agent: claude-code
    prompt: task.refine.v1
    inputs: [task, refinement]
    routes: { completed: STOP, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
`;

/** Opens every reference that it is given, and says which. */
const OPENS = `
  const fs = require('node:fs');
  const { refinement } = JSON.parse(fs.readFileSync(process.env.CONDUCTOR_INPUTS, 'utf8'));
  const refs = (refinement?.issues ?? []).flatMap((issue) => issue.artifact_refs);
  for (const ref of refs) fs.readFileSync(ref);
  fs.appendFileSync('opened.txt', refs.join('\\n') + '\\n');
`;

describe('the references of a refinement package', SLOW, () => {
  it.runIf(sandboxHere.ok)('can be opened by an agent in a sandbox, as its prompt names them', async () => {
    const { opened, prompt } = await refine('required');
    expect(opened).not.toEqual([]);
    for (const ref of opened) expect(prompt).toContain(ref);
  });

  it('can be opened by an agent without a sandbox, and are recorded relative to the run directory', async () => {
    const { opened, prompt, record } = await refine('off');
    expect(opened).not.toEqual([]);
    for (const ref of opened) expect(prompt).toContain(ref);
    const recorded = refinementPackageSchema.parse(
      JSON.parse(record.evidence('refine', 'refinement_package')),
    );
    for (const { artifact_refs: refs } of recorded.issues)
      for (const ref of refs) await expect(readFile(join(record.path, ref))).resolves.toBeDefined();
  });
});

/** A run whose second agent opens every reference that it is given. */
async function refine(sandbox: 'off' | 'required') {
  const { repo, cli, home } = await open({
    files: { Makefile: MAKEFILE, 'sum.txt': '0\n', 'opens.cjs': OPENS },
    sandbox,
    arrange: (workflow) =>
      `${workflow
        .replace(
          'allowed_next_steps: [approve]\n',
          'allowed_next_steps: [approve, refine]\n    revision: { step: refine, max_attempts: 1 }\n',
        )
        .replace('partial: STOP', 'partial: refine')}${REFINE}`,
  });
  const task = JSON.stringify({ shell: 'echo 4 > sum.txt; node opens.cjs' });
  const run = await cli.run(['run', 'attempt', '--title', 'Sum', '--input', `task=${task}`]);
  const runId = run.stdout.split('\n')[0] ?? '';
  const record = readRun(join(repo.root, '.tnh/run', runId));
  expect(Object.keys(record.manifests), run.stderr).toContain('refine');
  const work = join(home, '.local/state/conductor', workspacesName(repo.root), runId, 'work');
  const opened = (await readFile(join(work, 'opened.txt'), 'utf8')).split('\n').filter((ref) => ref !== '');
  return { opened, record, prompt: record.evidence('refine', 'runner_prompt') };
}

const REPORT = {
  suite_id: 'sums',
  version: '1.0.0',
  generated_at: '2026-02-03T10:00:00Z',
  cases: [
    { id: 'adds', kind: 'unit', status: 'passed', repro: 'make test', observations: [], artifacts: [] },
  ],
  summary: { passed: 1, failed: 0, flaky: 0, duration_ms: 1 },
};

describe('a passing report of the tests beside a lint that fails', SLOW, () => {
  it.each([
    ['of a test runner', 'node --test', (config: string) => config],
    [
      'of a harness',
      'node report.cjs',
      (config: string) =>
        config.replace(
          'tests: { command: [npm, test] }',
          'tests: { command: [npm, test], report: harness:out.json }',
        ),
    ],
  ])('%s is partial, with the output of the lint', async (_name, test, configure) => {
    const { attempt } = await open({
      files: {
        'package.json': JSON.stringify({ name: 'sums', scripts: { test, lint: 'node lint.cjs' } }),
        'lint.cjs':
          "console.error('notes.txt:1 is not tidy'); process.exit(require('node:fs').existsSync('notes.txt') ? 2 : 0);",
        'report.cjs': `require('node:fs').writeFileSync('out.json', ${JSON.stringify(JSON.stringify(REPORT))});`,
        'test/a.test.cjs': "require('node:test').test('adds', () => {});\n",
      },
      configure,
      arrange: (workflow) => workflow.replace('run: [tests]', 'run: [tests, lint]'),
    });
    const { status, flags, blockers, record, stderr } = await attempt('Add a note', {
      write: { 'notes.txt': 'a note\n' },
      says: 'I added a note.',
    });
    expect({ status, flags, blockers }, stderr).toEqual({
      status: 'partial',
      flags: [],
      blockers: ['validator_failed:lint'],
    });
    const decision = record.evidence('evaluate', 'planner_decision');
    expect(decision).toContain('notes.txt:1 is not tidy');
    expect(decision).toContain('npm run lint');
  });
});

describe('a validator that ran at the base and can no longer be started', SLOW, () => {
  it('is an environment failure if the change has not touched it', async () => {
    const tools = await mkdtemp(join(tmpdir(), 'conductor-tools-'));
    onTestFinished(() => rm(tools, { recursive: true }));
    await writeFile(join(tools, 'checker'), '#!/bin/sh\nexit 0\n');
    await chmod(join(tools, 'checker'), 0o755);
    const { attempt } = await open({
      files: { Makefile: MAKEFILE, 'sum.txt': '0\n' },
      configure: (config) => config.replace('command: [make, test]', 'command: [checker]'),
      path: tools,
    });
    const { status, blockers, stderr } = await attempt('Sum', {
      shell: `echo 5 > sum.txt; rm ${tools}/checker`,
      says: 'Wrote the sum.',
    });
    expect({ status, blockers }, stderr).toEqual({
      status: 'blocked',
      blockers: ['environment', 'validator_failed:tests'],
    });
  });

  it('is a failed validator if the change took it away', async () => {
    const { attempt } = await open({
      files: { Makefile: MAKEFILE, 'sum.txt': '0\n', check: '#!/bin/sh\nexit 0\n' },
      configure: (config) => config.replace('command: [make, test]', 'command: [./check]'),
      prepare: async (repo) => {
        await chmod(join(repo.root, 'check'), 0o755);
      },
    });
    const { status, blockers, stderr } = await attempt('Sum', {
      write: { 'sum.txt': '5\n', check: null },
      says: 'Wrote the sum.',
    });
    expect(blockers, stderr).toContain('validator_failed:tests');
    expect(blockers).not.toContain('environment');
    expect(status).not.toBe('blocked');
  });
});
