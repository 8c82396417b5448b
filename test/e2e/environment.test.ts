import { describe, expect } from 'vitest';
import { CONFIG, fixture, test } from './scene.ts';

describe('the environment', () => {
  test('wins over the configuration of the repository', async ({ openScene }) => {
    const scene = await openScene({ config: `${CONFIG}limits: { timeout: 10m, max_visits: 4 }\n` });
    const env = { CONDUCTOR_LIMITS_MAX_VISITS: '7', CONDUCTOR_LIMITS_IDLE_TIMEOUT: '' };
    const { code, stdout, stderr } = await scene.cli.run(['run', fixture('success')], { env });
    expect(code, stderr).toBe(0);
    const [started] = scene.record(stdout.trim()).eventsOf('run_started');
    expect(started?.payload.defaults).toEqual({
      timeout_ms: 600_000,
      idle_timeout_ms: 300_000,
      park_ms: 43_200_000,
      max_visits: 7,
    });
  });

  test('is refused by the name of the variable, and nothing starts', async ({ openScene }) => {
    const scene = await openScene();
    const env = { CONDUCTOR_LIMITS_TIMEOUT: 'soon' };
    const { code, stderr } = await scene.cli.run(['run', fixture('success')], { env });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^conductor: CONDUCTOR_LIMITS_TIMEOUT has errors$/m);
    expect(scene.runIds()).toEqual([]);
  });
});
