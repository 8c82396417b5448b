import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { describe, expect } from 'vitest';
import { sandboxHere } from '../integration/sandbox-here.ts';
import { agentStep, config, runInline, VALIDATE } from './inline-workflow.ts';
import { test } from './scene.ts';

const AGENT = 'echo "$TMPDIR" > folder.txt && echo left > "$TMPDIR/left" && mktemp > made.txt';
const OTHER = 'echo x > "/tmp/$CONDUCTOR_RUN_ID"';
const PROBE = 'test ! -e "$TMPDIR/left" && test ! -e "$TMPDIR/mine" && echo x > "$TMPDIR/mine"';

const MODES = [{ sandbox: 'off' }, ...(sandboxHere.ok ? [{ sandbox: 'required' } as const] : [])] as const;

describe.each(MODES)('a run with sandbox: $sandbox', ({ sandbox }) => {
  test('has a short, writable TMPDIR of its own, which is removed with the run', async ({ openScene }) => {
    const scene = await openScene({ config: config(`${AGENT} && ${OTHER}`), sandbox });
    const steps = agentStep('v') + VALIDATE('STOP');
    const runs = [await runInline(scene, steps), await runInline(scene, steps)];
    const folders: string[] = [];
    for (const { code, stderr, runId } of runs) {
      expect(code, stderr).toBe(0);
      const folder = (await scene.inCheckout(runId, 'folder.txt')).trim();
      expect(dirname((await scene.inCheckout(runId, 'made.txt')).trim())).toBe(folder);
      expect(folder.length).toBeLessThan(tmpdir().length + 40);
      expect(existsSync(folder)).toBe(false);
      // The sandbox has a /tmp of its own.
      expect(existsSync(`/tmp/${runId}`)).toBe(sandbox === 'off');
      await rm(`/tmp/${runId}`, { force: true });
      folders.push(folder);
    }
    expect(new Set(folders).size).toBe(2);
  });

  test('keeps what an agent and earlier validations left there from validators', async ({ openScene }) => {
    const scene = await openScene({ config: config(AGENT, PROBE), sandbox });
    const again = VALIDATE('STOP').replace('id: v', 'id: w');
    const { code, stderr, runId } = await runInline(scene, agentStep('v') + VALIDATE('w') + again);
    expect(code, stderr).toBe(0);
    const ended = scene.record(runId).eventsOf('step_failed');
    expect(ended).toEqual([]);
  });
});
