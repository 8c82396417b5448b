import { cp, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Cli } from '../../testing/cli.ts';
import { makeRepo } from '../../testing/git-repo.ts';
import { recordedRun } from '../replay/recorded-runs.ts';
import { createCliInProcess } from './in-process.ts';

const home = await realpath(await mkdtemp(join(tmpdir(), 'conductor-records-')));
afterAll(() => rm(home, { recursive: true, force: true }));

/** What the command says about a recorded run in a repository. */
async function withRecord<T>(name: string, look: (cli: Cli, runId: string) => Promise<T>): Promise<T> {
  const { path, runId } = recordedRun(name);
  const repo = await makeRepo({ files: { 'a.txt': 'a\n' } });
  try {
    await cp(path, join(repo.root, '.tnh/run', runId), { recursive: true });
    return await look(createCliInProcess({ cwd: repo.root, home }), runId);
  } finally {
    await repo.cleanup();
  }
}

function showRecord(name: string) {
  return withRecord(name, async (cli, runId) => {
    for (const command of ['verify', 'replay', 'logs', 'status'])
      expect([command, (await cli.run([command, runId])).code]).toEqual([command, 0]);
    const human = (await cli.run(['show', runId])).stdout;
    const document = JSON.parse((await cli.run(['show', runId, '--json'])).stdout);
    const { runs } = JSON.parse((await cli.run(['runs', '--json'])).stdout);
    return { human, document, runs };
  });
}

describe('the record of a run', () => {
  it('of version 1 is still shown, verified and replayed', async () => {
    const { human, document, runs } = await showRecord('v1/gate-approved');
    expect(human).toContain('✓ success');
    expect(document).toMatchObject({ title: null, outcome: 'success' });
    expect(runs).toMatchObject([{ title: null }]);
  });

  it('shows setup, baseline and notices in plain sentences', async () => {
    const { human, document } = await showRecord('v2/published');
    expect(human).toContain('setup: npm ci, 1.2 s');
    expect(human).toContain('setup of the judge checkout: from the cache');
    expect(human).toContain('baseline: 2 of 14 tests already fail at the base');
    expect(human).toContain(
      "changed in your checkout while `implement` ran; conductor can't tell by whom: refs/heads/topic (111111111111 → 222222222222)",
    );
    expect(document).toMatchObject({
      title: 'Write the answer',
      setup: [
        { checkout: 'work', cache_hit: false },
        { checkout: 'judge', cache_hit: true },
      ],
      baseline: { outcome: 'red', cases: { failing: 2, passing: 12, total: 14 } },
      notices: [{ step_id: 'implement', kind: 'checkout_changed', subject: 'refs/heads/topic' }],
    });
  });

  it('has logs of a step, and of one of its visits by the name that other commands show', async () => {
    const heads = (text: string) => text.match(/^── \S+/gm);
    await withRecord('v2/prepared-again', async (cli, runId) => {
      expect(heads((await cli.run(['logs', runId, 'check'])).stdout)).toContain('── check');
      expect(new Set(heads((await cli.run(['logs', runId, 'check@2'])).stdout))).toEqual(
        new Set(['── check@2']),
      );
      const { code, stderr } = await cli.run(['logs', runId, 'check@3']);
      expect([code, stderr]).toEqual([2, expect.stringContaining('did you mean check@2?')]);
    });
  });

  it('of a preparation that failed says why, without a step', async () => {
    const { human, document } = await showRecord('v2/unprepared');
    expect(human).toContain('setup and baseline\n    setup failed\n');
    expect(human.split('npm ci exited with 1')).toHaveLength(2);
    expect(human).toContain('no step has started');
    expect(document).toMatchObject({
      lifecycle_state: 'failed',
      outcome: 'error',
      termination: 'error',
      last_step_id: null,
      steps: [],
    });
  });
});
