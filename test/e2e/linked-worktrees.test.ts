import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CliResult } from '../../testing/cli.ts';
import { readCheckout } from '../../testing/git-repo.ts';
import { type EarlierRun, plantEarlierRun } from './linked-worktree-run.ts';

async function run(
  { cli, runId }: EarlierRun,
  command: string,
  ...args: readonly string[]
): Promise<CliResult> {
  return cli.run([command, runId, ...args]);
}

/** The paths of `git worktree list`. */
async function worktrees({ repo }: EarlierRun): Promise<readonly string[]> {
  const listed = await repo.git('worktree', 'list', '--porcelain');
  return (listed.match(/^worktree .*$/gm) ?? []).map((line) => line.slice('worktree '.length));
}

/** Refuses with the reason and the way to keep the work, and changes nothing. */
async function expectRefused(
  earlier: EarlierRun,
  command: string,
  ...args: readonly string[]
): Promise<void> {
  const { repo, branch, worktree, record } = earlier;
  const before = { lines: record().lines, checkout: await readCheckout(repo.root) };
  const refused = await run(earlier, command, ...args);
  expect([command, refused.code, refused.stdout]).toEqual([command, 1, '']);
  expect(refused.stderr).toMatch(
    /^conductor: an earlier version of conductor started run .* in a linked worktree/m,
  );
  for (const part of [branch, worktree, 'conductor clean']) expect(refused.stderr).toContain(part);
  expect({ lines: record().lines, checkout: await readCheckout(repo.root) }).toEqual(before);
  expect(await worktrees(earlier)).toEqual([repo.root, worktree]);
}

describe('a finished run that an earlier version started in a linked worktree', () => {
  it('is shown, verified and replayed, and not resumed', async () => {
    const earlier = await plantEarlierRun('v1/gate-approved');
    for (const command of ['show', 'verify', 'replay', 'logs', 'status', 'diff'])
      expect([command, (await run(earlier, command)).code]).toEqual([command, 0]);
    expect((await run(earlier, 'diff')).stdout).toContain('+42');
    const listed = JSON.parse((await earlier.cli.run(['worktree', 'list', '--json'])).stdout);
    expect(listed.worktrees).toMatchObject([
      { run_id: earlier.runId, path: earlier.worktree, branch: earlier.branch, present: true },
    ]);
    await expectRefused(earlier, 'resume');
  });

  it('is cleaned with its snapshots, and what only it had is kept', async () => {
    const earlier = await plantEarlierRun('v1/gate-approved');
    const { repo, runId, worktree, branch, cli } = earlier;
    const work = (await repo.git('rev-parse', branch)).trim();
    await writeFile(join(worktree, 'notes.txt'), 'not committed\n');
    // Beside it, the checkout that validators of protected paths ran in.
    await repo.git('worktree', 'add', '--quiet', '--detach', `${worktree}.judge`);
    const { status, indexSha256, head, config } = await readCheckout(repo.root);
    expect(await cli.run(['clean', '--keep-runs', '0'])).toMatchObject({ code: 0 });
    expect(existsSync(worktree)).toBe(false);
    expect(existsSync(join(repo.root, '.tnh/run', runId))).toBe(false);
    expect(await worktrees(earlier)).toEqual([repo.root]);
    const refs = await repo.git(
      'for-each-ref',
      '--format=%(refname)',
      'refs/conductor/',
      'refs/heads/conductor/',
    );
    const salvages = ['branch', 'worktree'].map((name) => `refs/conductor/salvage/${runId}.${name}`);
    expect(refs.trim().split('\n')).toEqual(salvages);
    expect((await repo.git('rev-parse', salvages[0] ?? '')).trim()).toBe(work);
    expect(await repo.git('show', `${salvages[1]}:notes.txt`)).toBe('not committed\n');
    expect(await readCheckout(repo.root)).toMatchObject({ status, indexSha256, head, config });
    expect((await run(earlier, 'undo', 'worktree', '--branch', 'rescued')).code).toBe(0);
    expect(await repo.git('show', 'rescued:notes.txt')).toBe('not committed\n');
  });

  it('that rolled back is undone into a branch', async () => {
    const earlier = await plantEarlierRun('v1/rolled-back');
    const { stdout, stderr, code } = await run(earlier, 'undo', '--json');
    expect(code, stderr).toBe(0);
    const { into, salvage } = JSON.parse(stdout);
    expect(salvage).toMatchObject({ ref: `refs/conductor/salvage/${earlier.runId}/undo@1`, name: 'undo@1' });
    expect(into).toMatchObject({ kind: 'branch', because: expect.stringContaining('linked worktree') });
    expect(await earlier.repo.git('show', `${into.branch}:answer.txt`)).toBe('42\n');
    expect(await readFile(join(earlier.worktree, 'answer.txt'), 'utf8')).toBe('?\n');
  });
});

describe('an unfinished run that an earlier version started in a linked worktree', () => {
  it('can be shown, verified and replayed at its gate, and neither answered nor resumed', async () => {
    const earlier = await plantEarlierRun('v1/gate-approved', 'gate_requested');
    for (const command of ['show', 'verify', 'replay', 'status'])
      expect([command, (await run(earlier, command)).code]).toEqual([command, 0]);
    const { stdout } = await run(earlier, 'show');
    expect(stdout).toContain(`conductor cancel ${earlier.runId.slice(0, 8)}`);
    expect(stdout).not.toContain('conductor approve');
    await expectRefused(earlier, 'approve', '--as', 'ann');
    await expectRefused(earlier, 'reject', '--as', 'ann', '--resume');
    await expectRefused(earlier, 'resume');
    expect(await readFile(join(earlier.worktree, 'answer.txt'), 'utf8')).toBe('42\n');
  });

  it('can be cancelled, and its files stay until it is cleaned, which keeps them', async () => {
    const earlier = await plantEarlierRun('v1/gate-approved', 'gate_requested');
    const { repo, runId, worktree } = earlier;
    expect(await run(earlier, 'cancel')).toMatchObject({ code: 0 });
    const { finalState } = earlier.record();
    expect(finalState).toBe('failed cancelled cancelled\n');
    for (const command of ['verify', 'replay'])
      expect([command, (await run(earlier, command)).code]).toEqual([command, 0]);
    expect(await readFile(join(worktree, 'answer.txt'), 'utf8')).toBe('42\n');
    expect(await earlier.cli.run(['clean', '--keep-runs', '0'])).toMatchObject({ code: 0 });
    expect(await worktrees(earlier)).toEqual([repo.root]);
    expect(await repo.git('show', `refs/conductor/salvage/${runId}.worktree:answer.txt`)).toBe('42\n');
  });

  it('that had changed nothing yet leaves the worktrees beside it alone', async () => {
    const earlier = await plantEarlierRun('v1/gate-approved', 'runner_started');
    const beside = join(dirname(earlier.worktree), 'other/work.txt');
    await mkdir(dirname(beside));
    await writeFile(beside, 'of another run\n');
    await expectRefused(earlier, 'resume');
    expect(await run(earlier, 'cancel')).toMatchObject({ code: 0 });
    expect(await earlier.cli.run(['clean', '--keep-runs', '0'])).toMatchObject({ code: 0 });
    expect(await readFile(beside, 'utf8')).toBe('of another run\n');
  });
});
