import { describe, expect } from 'vitest';
import { onQueue } from './queue-scene.ts';
import { CONFIG, test } from './scene.ts';

describe('a worker', () => {
  test('takes no run of another configuration, and the status says why it waits', async ({ openScene }) => {
    const scene = await openScene({ isBusy: true });
    const { conductor, submit } = onQueue(scene);
    const runId = await submit('success');
    await scene.repo.write('.tnh/config.yaml', `${CONFIG}limits: { max_visits: 9 }\n`);
    const worked = await conductor('worker', '--once', '--json');
    expect(worked.stdout).toContain('"driven": []');
    await scene.repo.write('.tnh/config.yaml', CONFIG);
    expect((await conductor('worker', '--once')).stderr).toContain(`run ${runId}: ended: success`);
  });

  test('refuses no slots, and a label for an agent that is not configured or can not be started', async ({
    openScene,
  }) => {
    const scene = await openScene();
    const { conductor } = onQueue(scene);
    const unknown = await conductor('worker', '--once', '--label', 'agent=actr');
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('did you mean agent=actor?')]);
    const absent = await conductor('worker', '--once', '--label', 'agent=codex');
    expect(absent.stderr).toContain(`agent "codex" can't be started here`);
    const own = await conductor('worker', '--once', '--label', 'digest=x');
    expect(own.stderr).toContain("the label digest can't be given");
    const idle = await conductor('worker', '--once', '--slots', '0');
    expect([idle.code, idle.stderr]).toEqual([2, expect.stringContaining('expected at least 1')]);
  });

  test('does not execute a submitted workflow that its user does not trust', async ({ openScene }) => {
    const scene = await openScene();
    const { conductor, submit } = onQueue(scene);
    const runId = await submit('success');
    const env = { ...scene.cliOptions.env, CONDUCTOR_TRUST: '' };
    const untrusting = onQueue({ cliOptions: { ...scene.cliOptions, env } });
    const { stderr } = await untrusting.conductor('worker', '--once', '--trust');
    expect(stderr).toContain(`run ${runId}: not driven: ${scene.repo.root} is not trusted with workflow`);
    expect((await conductor('cancel', runId)).stderr).toContain('which had not started');
    expect(scene.runIds()).toEqual([]);
  });
});
