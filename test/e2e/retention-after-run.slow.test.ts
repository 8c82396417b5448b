import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { CONFIG, fixture, test } from './scene.ts';

describe('a configured retention', () => {
  test('is applied after a run and keeps waiting runs and the run that ended', async ({ openScene }) => {
    const scene = await openScene({ config: `${CONFIG}retention: { keep_runs: 0 }\n` });
    const { runId: waiting } = await scene.run('gate');
    const { runId: first, stderr: quiet } = await scene.run('success');
    expect(quiet).not.toContain('retention');
    const work = (await scene.repo.git('rev-parse', `conductor/run/success/${first}`)).trim();

    const { runId: second, code, stderr } = await scene.run('success');
    expect(code).toBe(0);
    const lines = stderr.split('\n').filter((line) => line.includes('retention'));
    expect(lines).toEqual([
      expect.stringMatching(
        /^retention removed 1 run \(\S+\), [\d.]+ \wB; salvaged: refs\/conductor\/salvage\//,
      ),
    ]);
    expect(scene.runIds().toSorted()).toEqual([waiting, second].toSorted());
    expect((await scene.repo.git('rev-parse', `refs/conductor/salvage/${first}.branch`)).trim()).toBe(work);
  });

  test('never changes the result of a run, and reports what it could not remove', async ({ openScene }) => {
    const scene = await openScene({ config: `${CONFIG}retention: { keep_days: 0 }\n` });
    const { runId: first } = await scene.run('success');
    const notes = join(scene.repo.root, '.tnh/run', first, 'notes.txt');
    await writeFile(notes, 'mine\n');
    const { code, stdout, stderr } = await scene.conductor('run', fixture('success'), '--json', '--trust');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'success' });
    expect(stderr).toMatch(/retention could not remove run \S+: .*not part of the record: notes\.txt/);
    expect(scene.runIds()).toContain(first);
    await rm(notes);
  });
});

describe('a retention that is not configured', () => {
  test('removes nothing after a run; clean keeps one run of two', async ({ openScene }) => {
    const scene = await openScene();
    const { runId: first } = await scene.run('success');
    const { runId: second } = await scene.run('success');
    expect(scene.runIds().toSorted()).toEqual([first, second].toSorted());
    expect((await scene.conductor('clean', '--keep-runs', '1', '--keep-days', '0')).code).toBe(0);
    expect(scene.runIds()).toEqual([second]);
  });
});
