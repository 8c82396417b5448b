import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  type CheckedRepository,
  openRepository,
  type RepositoryKind,
  type Verdict,
} from './checked-repository.ts';

async function withRepository(
  kind: RepositoryKind,
  work: (repository: CheckedRepository) => Promise<void>,
): Promise<void> {
  const repository = await openRepository(kind);
  try {
    await work(repository);
  } finally {
    await repository.close();
  }
}

const manifest = (test: string, more: object = {}) =>
  `${JSON.stringify({ name: 'sums', type: 'module', scripts: { test }, ...more }, null, 2)}\n`;
const lock = (packages: object) => `${JSON.stringify({ name: 'sums', lockfileVersion: 3, packages })}\n`;
const SETUP = 'setup:\n  run: [[npm, ci]]\n  cache: { key: [package-lock.json], paths: [node_modules] }\n';
const withoutSetup = (config: string) => config.slice(0, config.indexOf('\nsetup:'));

/** The agent would leave a file in the home folder. */
const DEED = { shell: 'touch "$HOME/agent-started"', write: { 'note.txt': 'x\n' } };

function expectNoAgent({ home }: CheckedRepository, { record, exitCode }: Verdict): void {
  expect(exitCode).toBe(1);
  const ended = { outcome: 'error', termination: 'error' };
  expect(record.status).toMatchObject({ ...ended, lifecycle_state: 'failed' });
  expect(record.metadata).toMatchObject({ ...ended, last_step_id: null });
  expect(record.eventsOf('step_started')).toEqual([]);
  expect(existsSync(join(home, 'agent-started'))).toBe(false);
}

it.each<[string, RepositoryKind, readonly string[]]>([
  [
    'a script whose program is not found',
    {
      files: { Makefile: 'test:\n\tsh run.sh\n', 'run.sh': 'no-such-runner\n' },
      configure: (config) => config.replace('[make, test]', '[sh, run.sh]'),
    },
    ['the validator exited with code 127', 'no-such-runner: not found'],
  ],
  [
    'a file that is not executable',
    {
      files: { Makefile: 'test:\n\ttrue\n', 'run.sh': 'true\n' },
      configure: (config) => config.replace('[make, test]', '[./run.sh]'),
    },
    ['tests: ', 'run.sh'],
  ],
  [
    'a runner that setup would install',
    {
      files: {
        'package.json': manifest('some-runner'),
        'package-lock.json': lock({ '': {}, 'node_modules/some-runner': { version: '1.0.0' } }),
      },
      configure: withoutSetup,
    },
    ['the validator exited with code 127', 'package-lock.json lists dependencies', SETUP],
  ],
  [
    'a program that a recipe starts and that is missing',
    { files: { Makefile: 'test:\n\tsome-runner --all\n' } },
    ['the validator exited with code 2', 'Error 127'],
  ],
  [
    'a dependency that is not installed',
    {
      files: {
        'package.json': manifest('node --test', { dependencies: { pad: '*' } }),
        'package-lock.json': lock({ '': {}, 'node_modules/pad': { version: '1.0.0' } }),
        'test/pad.test.js': "import 'pad';\n",
      },
      configure: withoutSetup,
    },
    [
      'the validator exited with code 1',
      "Cannot find package 'pad'",
      'package-lock.json lists dependencies',
      SETUP,
    ],
  ],
  [
    'a package of the workspace that is not linked',
    {
      files: {
        'package.json': manifest('node --test', { workspaces: ['packages/*'] }),
        'package-lock.json': lock({
          '': { workspaces: ['packages/*'] },
          'node_modules/core': { resolved: 'packages/core', link: true },
          'packages/core': {},
        }),
        'packages/core/package.json': '{ "name": "core", "main": "index.js" }\n',
        'packages/core/index.js': 'module.exports = 1;\n',
        'test/core.test.js': "import 'core';\n",
      },
      configure: withoutSetup,
    },
    ["Cannot find package 'core'", 'package-lock.json lists dependencies', 'run: [[npm, ci]]'],
  ],
])('%s ends the run before an agent starts', async (_name, kind, message) => {
  await withRepository(kind, async (repository) => {
    const verdict = await repository.attempt('Do something', DEED);
    expectNoAgent(repository, verdict);
    expect(verdict.record.eventsOf('baseline_recorded')[0]?.payload.outcome).toBe('unable');
    for (const part of ["the checks can't run in this environment", ...message]) {
      expect(verdict.stderr).toContain(part);
      expect(verdict.shown).toContain(part);
    }
  });
});

it('a command that no folder of the PATH has is refused before there is a run', async () => {
  const files = { Makefile: 'test:\n\ttrue\n' };
  const configure = (config: string) => config.replace('[make, test]', '[no-such-runner]');
  await withRepository({ files, configure }, async ({ cli, repo }) => {
    const { code, stdout, stderr } = await cli.run(['run', 'attempt', '--input', 'task={}']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('command not found: no-such-runner');
    expect(existsSync(join(repo.root, '.tnh/run'))).toBe(false);
  });
});

it('checks that could not run are tried again by the next run', async () => {
  const files = { Makefile: 'test:\n\ttrue\n', 'run.sh': 'cat "$HOME/installed" || exit 127\n' };
  const configure = (config: string) => config.replace('[make, test]', '[sh, run.sh]');
  await withRepository({ files, configure }, async (repository) => {
    expectNoAgent(repository, await repository.attempt('Too early', DEED));
    await repository.repo.write('../home/installed', 'yes\n');
    const verdict = await repository.attempt('In time', DEED);
    expect(verdict.status).toBe('success');
    expect(verdict.record.eventsOf('baseline_recorded')[0]?.payload).toMatchObject({
      outcome: 'green',
      cached: false,
    });
  });
});

it('a red baseline is reported at the start, at the gate and by show', async () => {
  const files = { Makefile: 'test:\n\ttest -s answer.txt\n', 'answer.txt': '' };
  await withRepository({ files }, async (repository) => {
    const verdict = await repository.attempt('Answer', { write: { 'answer.txt': '42\n' } });
    const text = '`tests` already fails at the base';
    expect(verdict.status).toBe('success');
    const [start = ''] = verdict.stderr.split('✓ implement');
    expect(start).toContain(`baseline: ${text}`);
    expect(verdict.gate).toContain(`- ${text}\n`);
    expect(verdict.shown).toContain(`baseline: ${text}`);
    const { stdout } = await repository.cli.run(['show', verdict.runId, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ baseline: { outcome: 'red', cached: false } });
  });
});

it('a validator that times out at the base is red, and the agent starts', async () => {
  const files = { Makefile: 'test:\n\ttest -e fast || sleep 30\n' };
  const configure = (config: string) => config.replace('[make, test]', '[make, test], timeout: 2s');
  await withRepository({ files, configure }, async (repository) => {
    const verdict = await repository.attempt('Make it fast', { write: { fast: '' } });
    expect(verdict.status).toBe('success');
    expect(verdict.record.eventsOf('baseline_recorded')[0]?.payload.outcome).toBe('red');
  });
});

it('a second run from the same base pays neither setup nor baseline', async () => {
  const count = (name: string) => `echo ${name} >> "$HOME/count"`;
  const files = {
    'package.json': manifest(`${count('tests')} && test -e node_modules/tool`),
    'package-lock.json': lock({ '': {}, 'node_modules/tool': { version: '1.0.0' } }),
    '.gitignore': 'node_modules/\n',
  };
  const install = `${count('setup')} && mkdir -p node_modules && touch node_modules/tool`;
  const configure = (config: string) => config.replace('[npm, ci]', JSON.stringify(['sh', '-c', install]));
  await withRepository({ files, configure }, async (repository) => {
    const counted = () => {
      const lines = readFileSync(join(repository.home, 'count'), 'utf8').split('\n');
      return [
        lines.filter((line) => line === 'setup').length,
        lines.filter((line) => line === 'tests').length,
      ];
    };
    const cost = ({ record }: Verdict) => ({
      setup: record.eventsOf('setup_completed').map(({ payload }) => payload.cache_hit),
      baseline: record.eventsOf('baseline_recorded').map(({ payload }) => payload.cached),
    });
    const first = await repository.attempt('First', { write: { 'a.txt': 'a\n' } });
    expect(first.status, first.shown).toBe('success');
    expect(cost(first)).toEqual({ setup: [false, true], baseline: [false] });
    expect(counted()).toEqual([1, 2]);
    const second = await repository.attempt('Second', { write: { 'b.txt': 'b\n' } });
    expect(second.status, second.shown).toBe('success');
    expect(cost(second)).toEqual({ setup: [true], baseline: [true] });
    expect(counted()).toEqual([1, 3]);
    expect(second.shown).toContain('setup: from the cache');
    expect(second.shown).toContain('kept from an earlier run');

    await repository.repo.write('c.txt', 'c\n');
    await repository.repo.git('add', 'c.txt');
    await repository.repo.git('commit', '--quiet', '--message=Another base');
    const third = await repository.attempt('Another base', { write: { 'b.txt': 'b\n' } });
    expect(cost(third)).toEqual({ setup: [true, true], baseline: [false] });
    const off = await repository.attempt('Without', { write: { 'b.txt': 'b\n' } }, '--no-baseline');
    expect(off.record.eventsOf('baseline_recorded')[0]?.payload.outcome).toBe('off');
    expect(counted()).toEqual([1, 6]);
  });
});
