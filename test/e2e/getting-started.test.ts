import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createCli } from '../../testing/cli.ts';
import { makeRepo } from '../../testing/git-repo.ts';

it('a repository that commits what init made can be run', async () => {
  const repo = await makeRepo({ files: { 'package.json': '{"scripts":{"test":"test -s a.txt"}}' } });
  const home = await mkdtemp(join(tmpdir(), 'conductor-home-'));
  try {
    const cli = createCli({ cwd: repo.root, home });
    expect((await cli.run(['init'])).code).toBe(0);
    await repo.write(
      '.tnh/config.yaml',
      'agents: { claude-code: { kind: command, command: [sh, -c, "echo a > a.txt"] } }\n',
    );
    await repo.git('add', '.tnh');
    await repo.git('commit', '-qm', 'Add conductor');
    const run = await cli.run(['run', 'implement', '--input', 'task=Make a.txt']);
    expect(run.stderr).toContain('evaluation `evaluate`: success');
    expect(run.code).toBe(3);
  } finally {
    await repo.cleanup();
    await rm(home, { recursive: true, force: true });
  }
});
