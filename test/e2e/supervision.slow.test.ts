import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { sandboxHere } from '../integration/sandbox-here.ts';
import { markedProcesses } from './marked-processes.ts';
import { oneAgentStep, type Scene, test } from './scene.ts';

const agent = (script: string): string =>
  `agents:\n  actor: { kind: command, command: [node, -e, ${JSON.stringify(script)}] }\nlimits: { idle_timeout: 2s }\n`;

async function runAgent(scene: Scene) {
  await writeFile(join(scene.repo.root, '..', 'w.yaml'), oneAgentStep('supervised', 'Do it now.'));
  const result = await scene.cli.run(['run', '../w.yaml']);
  return { ...result, runId: result.stdout.trim() };
}

/** With a sandbox around it, supervision has to do the same. */
const PLACES = ['off', ...(sandboxHere.ok ? (['required'] as const) : [])] as const;

describe.for(PLACES)('an agent under supervision, with the sandbox %s', (sandbox) => {
  test('is on record as ended for its silence before it is ended', async ({ openScene }) => {
    const script = 'process.on("SIGTERM", () => process.exit(0)); setInterval(() => {}, 1000)';
    const scene = await openScene({ sandbox, config: agent(script) });
    const { code, runId } = await runAgent(scene);
    expect(code).toBe(1);
    const { events } = scene.record(runId);
    const types = events.map(({ event_type }) => event_type);
    const [note] = scene.record(runId).eventsOf('status_updated');
    expect(note?.payload.note).toBe(
      'agent "actor" of step "only" is being stopped: it has printed nothing for too long',
    );
    expect(types.indexOf('status_updated')).toBeLessThan(types.indexOf('runner_completed'));
    const [failed] = scene.record(runId).eventsOf('step_failed');
    expect(failed?.payload.outcome).toBe('killed_idle');
  });

  test('leaves no daemon behind after a clean finish', async ({ openScene }) => {
    const script = `
      const { spawn } = require('node:child_process');
      spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' }).unref();
      console.log('done')`;
    const scene = await openScene({ sandbox, config: agent(script) });
    const { code, runId } = await runAgent(scene);
    expect(code).toBe(0);
    expect(markedProcesses(runId)).toEqual([]);
  });

  test('may print what is no text, and more than is kept', async ({ openScene }) => {
    const script = `
      const fs = require('node:fs');
      fs.writeSync(1, Buffer.from([0x61, 0x00, 0xff, 0xfe, 0x0a]));
      const block = Buffer.alloc(1024 * 1024, 'x');
      for (let i = 0; i < 20; i += 1) fs.writeSync(1, block);
      fs.writeSync(1, Buffer.from([0x0a, 0x00, 0xff, 0x62]));`;
    const scene = await openScene({ sandbox, config: agent(script) });
    const { code, runId } = await runAgent(scene);
    expect(code).toBe(0);
    const record = scene.record(runId);
    expect(record.evidence('only', 'runner_transcript')).toMatch(/\[conductor: \d+ bytes cut\]\n$/);
    expect(record.evidence('only', 'runner_final_response')).toBe('\uFFFD\uFFFDb\n');
    const { notes } = JSON.parse(record.evidence('only', 'runner_metadata'));
    expect(notes).toEqual([expect.stringMatching(/^bytes cut from the transcript: \d+$/)]);
  });
});
