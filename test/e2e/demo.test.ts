import { readdir } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { test } from './scene.ts';

describe('the demo', () => {
  test.concurrent('is a whole run in a repository of its own, without network or keys', async ({
    openScene,
  }) => {
    const scene = await openScene();
    const demo = await scene.cli.start(['demo', '--yes'], { env: { TMPDIR: scene.home } }).done;
    expect(demo.code).toBe(0);
    expect(demo.stderr).toMatch(/fix → validate \(error\) → evaluate \(partial\) → fix → validate/);
    expect(scene.runIds()).toEqual([]);
    expect((await readdir(scene.home)).filter((name) => name.startsWith('conductor-demo-'))).toHaveLength(1);
  });
});
