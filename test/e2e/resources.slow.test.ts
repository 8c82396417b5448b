import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { removeTree } from '../../src/adapters/workspace/files/deep-folders.ts';
import { sandboxHere } from '../integration/sandbox-here.ts';
import { type Scene, test } from './scene.ts';

const hostileFiles = readFileSync(new URL('tools/hostile-files.mjs', import.meta.url), 'utf8');
const hog = (name: string) => readFileSync(new URL(`../integration/hogs/${name}`, import.meta.url), 'utf8');
const FILES = {
  'tools/hostile-files.mjs': hostileFiles,
  'tools/processes.sh': hog('processes.sh'),
  'tools/memory.mjs': hog('memory.mjs'),
  'tools/disk.mjs': hog('disk.mjs'),
};

/** An agent that misbehaves, a second one that works, and the check of both. */
const WORKFLOW = `workflow_id: hogs
version: 1
description: What one step did wrong, the next one can do right.
entry_step: hog
steps:
  - id: hog
    opcode: RUN_AGENT
    agent: hog
    prompt: Do what you do.
    routes: { completed: work, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: work }
  - id: work
    opcode: RUN_AGENT
    agent: worker
    prompt: Do what you do.
    routes: { completed: check, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
  - id: check
    opcode: RUN_VALIDATION
    run: [tests]
    routes: { completed: STOP, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
`;

function configOf(command: readonly string[], limits: string, validator = ['true']): string {
  return `agents:
  hog: { kind: command, command: ${JSON.stringify(command)} }
  worker: { kind: command, command: [sh, -c, 'echo done > worked.txt'] }
validators:
  tests: { command: ${JSON.stringify(validator)} }
limits: ${limits}
baseline: off
`;
}

async function start(scene: Scene) {
  await writeFile(join(scene.repo.root, '..', 'hogs.yaml'), WORKFLOW);
  const result = await scene.cli.start(['run', '../hogs.yaml']).done;
  const runId = result.stdout.split('\n')[0] ?? '';
  return { ...result, runId, ends: endsOf(scene, runId) };
}

/** Outcome and reason by step. */
function endsOf(scene: Scene, runId: string): Record<string, { outcome: string; reason: string | null }> {
  const ends = scene
    .record(runId)
    .events.filter(({ event_type: type }) => type === 'step_completed' || type === 'step_failed')
    .map(({ step_id: id, payload }) => [id, payload as { outcome: string; reason: string | null }]);
  return Object.fromEntries(ends);
}

const LOW = '{ memory: 200MB, processes: 60, written_bytes: 60MB }';
const sandboxes = (['off', 'required'] as const).filter((kind) => kind === 'off' || sandboxHere.ok);

describe.each(sandboxes)('a step that passes a bound, with sandbox %s', (sandbox) => {
  const HOGS: [string, string[], RegExp][] = [
    ['processes', ['sh', 'tools/processes.sh', '9'], /limits\.processes is 60/],
    ['memory', ['node', 'tools/memory.mjs', '2000'], /limits\.memory allows 200 MB/],
    ['written_bytes', ['node', 'tools/disk.mjs', '2000'], /limits\.written_bytes/],
  ];
  test.for(HOGS)(
    'is stopped for it, and the run continues: %s',
    async ([bound, command, reason], { openScene }) => {
      const scene = await openScene({ config: configOf(command, LOW), files: FILES, sandbox });
      const { code, stderr, runId, ends } = await start(scene);
      expect(code, stderr).toBe(0);
      expect(ends.hog).toMatchObject({ outcome: 'killed_policy', reason: expect.stringMatching(reason) });
      expect(ends.check).toMatchObject({ outcome: 'completed' });
      const bounds = scene.record(runId).eventsOf('status_updated');
      expect(bounds.flatMap(({ payload }) => payload.bound ?? [])).toEqual([bound]);
      expect(await scene.inCheckout(runId, 'worked.txt')).toBe('done\n');
    },
  );

  test('that validates ends for it too', async ({ openScene }) => {
    const config = configOf(['true'], LOW, ['node', 'tools/memory.mjs', '2000']);
    const scene = await openScene({ config, files: FILES, sandbox });
    const { code, ends } = await start(scene);
    expect(code).not.toBe(0);
    expect(ends.check).toMatchObject({
      outcome: 'killed_policy',
      reason: expect.stringMatching(/^tests: the validator was stopped: it used .* limits\.memory/),
    });
  });
});

describe.each(sandboxes)('files that are hard to keep, with sandbox %s', (sandbox) => {
  const act = (name: string) => ['node', 'tools/hostile-files.mjs', name];

  const OVERSIZED: [string, string, RegExp][] = [
    ['sparse', '{}', /largest sparse\.bin with 3\.0 GB; a snapshot takes 1\.0 GB/],
    ['sparse-tracked', '{}', /largest answer\.txt with 3\.0 GB/],
    ['sparse-nested', '{}', /largest inner\/sparse\.bin with 3\.0 GB/],
    ['large', '{ written_bytes: 30MB }', /40\.0 MB|more than 30\.0 MB/],
  ];
  test.for(OVERSIZED)(
    'end the step if they are too large: %s',
    async ([name, limits, reason], { openScene }) => {
      const scene = await openScene({ config: configOf(act(name), limits), files: FILES, sandbox });
      const { code, stderr, runId, ends } = await start(scene);
      expect(code, stderr).toBe(0);
      expect(ends.hog).toMatchObject({ outcome: 'killed_policy', reason: expect.stringMatching(reason) });
      expect(ends.check).toMatchObject({ outcome: 'completed' });
      // As before the step, apart from what the next one did.
      expect(await scene.inCheckout(runId, 'answer.txt')).toBe('?\n');
      expect(existsSync(join(scene.checkout(runId), 'done.txt'))).toBe(false);
    },
  );

  test.for(['many', 'deep', 'long-path', 'special'])(
    "don't stop the run otherwise: %s",
    async (name, { openScene }) => {
      const scene = await openScene({ config: configOf(act(name), '{}'), files: FILES, sandbox });
      const { code, stderr, runId, ends } = await start(scene);
      expect(code, stderr).toBe(0);
      expect(ends.hog).toMatchObject({ outcome: 'completed', reason: null });
      expect(await scene.inCheckout(runId, 'done.txt')).toBe('done\n');
      // The test could not remove folders that no path can name.
      await removeTree(join(scene.checkout(runId), '..', 'displaced'));
    },
  );
});
