import { describe, expect } from 'vitest';
import { type Scene, test } from './scene.ts';

const ASK = `workflow_id: ask
version: 1
description: Ask a person.
entry_step: approve
steps:
  - { id: approve, opcode: GATE, gate: requires_approval, routes: { gate_approved: STOP, gate_rejected: STOP } }
`;
const files = { 'ask.yaml': ASK };

function jsonOf({ stdout }: { readonly stdout: string }) {
  return JSON.parse(stdout);
}

/** A run as it waits at its gate. */
async function ask(scene: Scene, ...args: readonly string[]) {
  const { stdout, code } = await scene.conductor('run', 'ask.yaml', ...args);
  expect(code).toBe(3);
  return stdout.trim();
}

describe('the title of a run', () => {
  test('is in its record and in every list', async ({ openScene }) => {
    const scene = await openScene({ files });
    const runId = await ask(scene, '--title', 'Ship it');
    const { events, metadata, status } = scene.record(runId);
    expect(events[0]?.payload).toMatchObject({ schema_version: 2, title: 'Ship it' });
    expect([metadata.title, status.title]).toEqual(['Ship it', 'Ship it']);
    for (const command of [['runs'], ['status'], ['status', runId], ['gates'], ['show', runId]])
      expect((await scene.conductor(...command)).stdout, command.join(' ')).toContain('Ship it');
    const of = async (...command: string[]) => jsonOf(await scene.conductor(...command, '--json'));
    const title = 'Ship it';
    expect(await of('show', runId)).toMatchObject({ title });
    expect(await of('status', runId)).toMatchObject({ title });
    expect(await of('status')).toMatchObject({ runs: [{ title }] });
    expect(await of('runs')).toMatchObject({ runs: [{ title, status: { title } }] });
    expect(await of('gates')).toMatchObject({ gates: [{ title }] });
  });

  test('is the first line of the task, or the description', async ({ openScene }) => {
    const scene = await openScene({ files });
    const task = await ask(scene, '--input', 'task=Add a flag\nIt prints nothing.');
    expect(scene.record(task).metadata.title).toBe('Add a flag');
    const plain = await ask(scene, '--title', ' ');
    expect(scene.record(plain).metadata.title).toBe('Ask a person.');
  });

  test('and --no-baseline reach a run in a process of its own', async ({ openScene }) => {
    const scene = await openScene({ files });
    const { stdout, code } = await scene.cli.run([
      'run',
      'ask.yaml',
      '--detach',
      '--title=--dashes first',
      '--no-baseline',
    ]);
    expect(code).toBe(0);
    const runId = stdout.trim();
    await scene.conductor('status', runId, '--watch');
    expect(scene.record(runId).events[0]?.payload).toMatchObject({
      title: '--dashes first',
      baseline: false,
    });
  });

  test('leaves no trace of --no-baseline in a run with a baseline', async ({ openScene }) => {
    const scene = await openScene({ files });
    expect(scene.record(await ask(scene)).events[0]?.payload).not.toHaveProperty('baseline');
  });
});
