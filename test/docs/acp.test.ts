import { spawnSync } from 'node:child_process';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createCli } from '../../testing/cli.ts';
import { makeRepo } from '../../testing/git-repo.ts';
import { blockOf, readPage } from './markdown.ts';

const home = await realpath(await mkdtemp(join(tmpdir(), 'conductor-docs-')));
afterAll(() => rm(home, { recursive: true, force: true }));

const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) process.stderr.write('the ACP agent of the documentation is left out: there is no python3\n');

describe.skipIf(!hasPython)('the agent on the page about ACP', () => {
  it('is added by four lines, asks, is answered, and is believed for what it made', async () => {
    const page = await readPage('docs/guide/agents/claude-code-codex-acp.md');
    const config = blockOf(page, 'yaml acp').text;
    expect(config.trim().split('\n')).toHaveLength(4);
    const repo = await makeRepo({
      files: {
        '.tnh/config.yaml': config,
        'tools/agent.py': blockOf(page, 'python agent').text,
        'fix.yaml': blockOf(await readPage('README.md'), 'yaml workflow').text,
        'package.json': JSON.stringify({ scripts: { test: 'test -s NOTES.md', lint: 'true' } }),
      },
    });
    try {
      // Python is where its user has put it, which may be a home that no sandbox shows.
      const cli = createCli({ cwd: repo.root, home, env: { CONDUCTOR_SANDBOX: 'off' } });
      const run = await cli.run(['run', 'fix.yaml']);
      expect([run.code, run.stderr]).toEqual([3, expect.stringContaining('evaluation `evaluate`: success')]);
      const id = run.stdout.trim();
      const logs = await cli.run(['logs', id]);
      expect(logs.stdout).toContain('allowed: Write NOTES.md: the policy lets these files change');
      expect((await cli.run(['approve', id, '--resume'])).code).toBe(0);
      const notes = await repo.git('show', `conductor/run/fix/${id}:NOTES.md`);
      expect(notes).toBe('# Task\n\nMake the tests pass.\n');
    } finally {
      await repo.cleanup();
    }
  });
});
