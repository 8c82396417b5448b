import { mkdir, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeRepo } from '../../testing/git-repo.ts';
import { createCliInProcess } from './in-process.ts';
import { agentStep, ENDS, workflowOf } from './inline-workflow.ts';

const AGENT = 'agents: { shell: { kind: command, command: [sh, -c, "echo 42 > answer.txt"] } }\n';
const VALIDATE = `  - { id: v, opcode: RUN_VALIDATION, run: [tests], routes: { completed: STOP, error: STOP, ${ENDS} } }\n`;
const LOCK = JSON.stringify({
  lockfileVersion: 3,
  packages: { '': {}, 'node_modules/a': { version: '1.0.0' } },
});
const PACKAGE = JSON.stringify({ workspaces: ['packages/*'], scripts: { test: 'node --test' } });

/** A repository whose checkout may change: `init` writes to it, and configurations are rewritten. */
async function openRepo(files: Readonly<Record<string, string>>) {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'conductor-home-')));
  const workflow = workflowOf(agentStep('v') + VALIDATE);
  const repo = await makeRepo({ files: { 'w.yaml': workflow, ...files } });
  onTestFinished(async () => {
    await repo.cleanup();
    await rm(home, { recursive: true, force: true });
  });
  const cli = createCliInProcess({ cwd: repo.root, home, env: { CONDUCTOR_SANDBOX: 'off' } });
  return {
    repo,
    cli,
    conductor: (...args: readonly string[]) => cli.run(args),
    config: () => readFile(join(repo.root, '.tnh/config.yaml'), 'utf8'),
    runs: () => readdir(join(repo.root, '.tnh/run')).catch((): string[] => []),
  };
}

const CONFIG = '.tnh/config.yaml';
const TESTS = 'validators: { tests: { command: ["true"] } }\n';

describe('init', () => {
  it('writes the setup that the lock file asks for, and doctor is content with it', async () => {
    const scene = await openRepo({ 'package-lock.json': LOCK, 'package.json': PACKAGE });
    expect((await scene.conductor('init')).code).toBe(0);
    const config = await scene.config();
    expect(config).toContain(
      [
        'setup:',
        '  run: [[npm, ci]]',
        '  cache: { key: [package-lock.json], paths: [node_modules, packages/*/node_modules] }',
      ].join('\n'),
    );
    expect(config).toContain('# package-lock.json says;');
    expect((await scene.conductor('validate', '.tnh/config.yaml')).code).toBe(0);
    const { stdout } = await scene.conductor('doctor');
    expect(stdout).toMatch(/✓ setup +runs npm ci; keeps node_modules.* nothing is stored for them yet\n/);
    expect(stdout).toMatch(/✓ baseline +on: the validators of a workflow run once on the base commit/);
    expect(stdout).toMatch(/✓ workspaces +\S+\/conductor\/repo-[0-9a-f]{12}\n/);
  });

  it('uses the programs of the environment that pip fills', async () => {
    const files = { 'requirements.txt': 'pytest\n', 'pytest.ini': '[pytest]\n' };
    const scene = await openRepo(files);
    await scene.conductor('init');
    const config = await scene.config();
    expect(config).toContain('tests: { command: [.venv/bin/pytest, --junitxml=.tnh/run/tests.xml]');
    expect(config).toContain('[.venv/bin/python, -m, pip, install, -r, requirements.txt]');
  });

  it('writes no setup where there is nothing to install', async () => {
    const scene = await openRepo({ 'package.json': '{}' });
    await scene.conductor('init');
    expect(await scene.config()).not.toContain('setup:');
  });
});

describe('doctor', () => {
  it('says which setup a repository with a lock file needs', async () => {
    const scene = await openRepo({ [CONFIG]: AGENT, 'package-lock.json': LOCK });
    const { stdout } = await scene.conductor('doctor');
    expect(stdout).toMatch(
      /○ setup +package-lock\.json lists dependencies, and nothing installs them in the checkouts of a run\n +add this to \.tnh\/config\.yaml:\n +setup:\n +run: \[\[npm, ci\]\]\n/,
    );
  });

  it('finds programs and files that setup needs and that do not exist', async () => {
    const config = `${AGENT}setup: { run: [[no-such-program]], copy: [.env.test] }\nbaseline: off\n`;
    const scene = await openRepo({ [CONFIG]: config });
    const { code, stdout } = await scene.conductor('doctor');
    expect(stdout).toMatch(/✗ setup +no-such-program is not on the PATH\n/);
    expect(stdout).toMatch(/✗ setup +setup\.copy: \.env\.test does not exist\n/);
    expect(stdout).toMatch(/✓ baseline +off:/);
    expect(code).toBe(1);
  });
});

describe('a validator', () => {
  it('may be a program that setup installs, and is refused where setup does not own it', async () => {
    const install =
      "mkdir('tools'); writeFile('tools/check', '#!/bin/sh\\ntest -s answer.txt', { mode: 0o755 })";
    const script = install.replaceAll(/mkdir|writeFile/g, (name) => `require('node:fs').${name}Sync`);
    const config = (paths: string) =>
      [
        AGENT,
        'validators: { tests: { command: [tools/check] } }\n',
        `setup:\n  run: [[node, -e, ${JSON.stringify(script)}]]\n`,
        `  cache: { key: [w.yaml], paths: [${paths}] }\n`,
      ].join('');
    const scene = await openRepo({ [CONFIG]: config('tools') });
    const ran = await scene.conductor('run', 'w.yaml');
    expect([ran.code, ran.stderr]).toEqual([0, expect.any(String)]);
    await scene.repo.write(CONFIG, config('other'));
    const refused = await scene.conductor('run', 'w.yaml');
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('tools/check is not in the commit that the run starts from'),
    ]);
  });
});

describe('paths.worktrees', () => {
  const WARNING = 'warning[CF105]: .tnh/config.yaml:2 `paths.worktrees` is ignored';

  it('is ignored with a warning that run, validate and doctor show', async () => {
    const config = `${AGENT}paths: { worktrees: trees }\n${TESTS}`;
    const scene = await openRepo({ [CONFIG]: config });
    const ran = await scene.conductor('run', 'w.yaml');
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining(WARNING)]);
    expect(ran.stderr).toContain('`paths.workspaces` moves them');
    const valid = await scene.conductor('validate', '.tnh/config.yaml');
    expect([valid.code, valid.stdout]).toEqual([0, expect.stringContaining(WARNING)]);
    expect(valid.stderr).not.toContain('CF105');
    const workflow = await scene.conductor('validate', 'w.yaml');
    expect([workflow.code, workflow.stderr]).toEqual([0, expect.stringContaining(WARNING)]);
    const { stdout } = await scene.conductor('doctor');
    expect(stdout).toMatch(
      /○ configuration +\.tnh\/config\.yaml:2: `paths\.worktrees` is ignored.*\[CF105\]\n/,
    );
  });

  it('is ignored as a variable, too, and named as one', async () => {
    const scene = await openRepo({ [CONFIG]: AGENT });
    const env = { CONDUCTOR_PATHS_WORKTREES: 'trees' };
    const { stdout } = await scene.cli.run(['doctor'], { env });
    expect(stdout).toContain('CONDUCTOR_PATHS_WORKTREES: `paths.worktrees` is ignored');
  });
});

describe('paths.workspaces inside the repository', () => {
  it('is refused with the reason before anything is created', async () => {
    const scene = await openRepo({ [CONFIG]: AGENT });
    await mkdir(join(scene.repo.root, 'inner'));
    for (const [path, reason] of [
      ['inner', 'has errors'],
      [join(scene.repo.root, 'inner'), 'programs there would find its packages and its tests'],
    ] as const) {
      await scene.repo.write('.tnh/config.yaml', `${AGENT}paths: { workspaces: ${path} }\n${TESTS}`);
      const { code, stderr } = await scene.conductor('run', 'w.yaml');
      expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
      expect(await scene.runs()).toEqual([]);
    }
    const { code, stdout } = await scene.conductor('doctor');
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/✗ workspaces +the workspaces in .* are inside the repository/),
    ]);
  });
});
