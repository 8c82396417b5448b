import { existsSync } from 'node:fs';
import { appendFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { createEmbeddedEngine } from '../../src/adapters/run-store/embedded-engine.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { type Verification, verifyRun } from '../../src/app/runs/verify-run.ts';
import { CLI_DOCUMENTS } from '../../src/contracts/cli/cli-documents.ts';
import { filesOf, flipByte, whileChanged } from './record-damage.ts';
import { fixture, type Scene, test, until } from './scene.ts';

interface Verified {
  readonly scene: Scene;
  readonly runId: string;
  readonly path: string;
  readonly at: (file: string) => string;
  readonly verify: () => Promise<Verification>;
}

function verifierOf(scene: Scene, runId: string): Verified {
  const runsDir = join(scene.repo.root, '.tnh/run');
  const path = join(runsDir, runId);
  const store = createEmbeddedEngine({ repoRoot: scene.repo.root, runsDir, clock: systemClock });
  return {
    scene,
    runId,
    path,
    at: (file) => join(path, file),
    verify: async () => verifyRun(await store.read(runId)),
  };
}

/** A run with an agent, a validation and a gate that was answered. */
async function finishedRun(scene: Scene): Promise<Verified> {
  const { runId } = await scene.run('gate');
  const answered = await scene.conductor('approve', runId, '--as', 'Ann', '--comment', 'fine', '--resume');
  expect(answered.code).toBe(0);
  return verifierOf(scene, runId);
}

describe('a finished run', () => {
  test('verifies, and nothing is written', async ({ openScene }) => {
    const { scene, runId, path, verify } = await finishedRun(await openScene());
    const before = filesOf(path);
    expect(await scene.conductor('verify', runId)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^✓ run .* verifies: \d+ events, \d+ artifacts, 4 manifests\n/),
    });
    expect((await verify()).notes).not.toContainEqual(expect.stringContaining('no event records'));
    const { stdout } = await scene.conductor('verify', runId.slice(0, 13), '--json');
    const document = CLI_DOCUMENTS.verify.parse(JSON.parse(stdout));
    expect(document).toMatchObject({ schema_version: 1, run_id: runId, ok: true, problems: [] });
    expect(filesOf(path)).toEqual(before);
  });

  test('has the patch and the transcript that its end was recorded with', async ({ openScene }) => {
    const { scene, runId, at, verify } = await finishedRun(await openScene());
    for (const file of ['diff.patch', 'transcript.md']) {
      const { problems } = await whileChanged(at(file), flipByte, verify);
      expect(problems).toMatchObject([{ path: file, message: expect.stringContaining('sha256') }]);
    }
    const result = await whileChanged(at('diff.patch'), flipByte, () => scene.conductor('verify', runId));
    expect(result).toMatchObject({ code: 1, stdout: expect.stringContaining('diff.patch: does not have') });
  });

  test('names the first of several problems, and with --json all', async ({ openScene }) => {
    const { scene, runId, at } = await finishedRun(await openScene());
    const both = (look: () => ReturnType<Scene['conductor']>) =>
      whileChanged(at('final-state.txt'), flipByte, () => whileChanged(at('workflow.yaml'), flipByte, look));
    const human = await both(() => scene.conductor('verify', runId));
    expect(human.code).toBe(1);
    expect(human.stdout).toMatch(/^✗ run .* does not verify: workflow\.yaml: .*\n {2}and 1 more; --json/);
    const { stdout, code } = await both(() => scene.conductor('verify', runId, '--json'));
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      problems: [
        { path: 'workflow.yaml', line: null },
        { path: 'final-state.txt', line: null },
      ],
    });
  });
});

describe('a run that has not ended', () => {
  test('verifies while it runs, when it was killed, and when it waits', async ({ openScene }) => {
    const scene = await openScene();
    const driver = scene.cli.start(['run', fixture('interrupted')]);
    const runId = await until(() => scene.runIds()[0]);
    const { verify, at } = verifierOf(scene, runId);
    await until(() => existsSync(join(scene.checkout(runId), 'half.txt')));
    expect(await verify()).toMatchObject({
      problems: [],
      notes: ['a process drives the run, so its derived files were not compared'],
    });
    driver.kill('SIGKILL');
    await driver.done;
    expect((await verify()).problems).toEqual([]);
    await appendFile(at('final-state.txt'), 'completed success success\n');
    expect((await verify()).problems[0]).toMatchObject({ path: 'final-state.txt' });
    await rm(at('final-state.txt'));
    expect(await scene.conductor('resume', runId)).toMatchObject({ code: 0 });
    expect((await verify()).problems).toEqual([]);
    const waiting = await scene.run('gate');
    expect(waiting.code).toBe(3);
    expect((await verifierOf(scene, waiting.runId).verify()).problems).toEqual([]);
  });

  test('may have a status that is behind, and no other one', async ({ openScene }) => {
    const scene = await openScene();
    const { runId } = await scene.run('gate');
    const { at, verify } = verifierOf(scene, runId);
    const status = (change: object) => (content: Buffer) =>
      `${JSON.stringify({ ...JSON.parse(content.toString('utf8')), ...change }, null, 2)}\n`;
    const running = {
      lifecycle_state: 'running',
      active_opcode: 'GATE',
      awaiting: null,
      blocking_reason: null,
    };
    const behind = await whileChanged(at('status.json'), status(running), verify);
    expect(behind.problems).toEqual([]);
    expect(behind.notes.join('\n')).toMatch(/status\.json is \d+ events behind/);
    const wrong = await whileChanged(at('status.json'), status({ lifecycle_state: 'completed' }), verify);
    expect(wrong.problems[0]).toEqual({
      path: 'status.json',
      line: null,
      message: 'says lifecycle_state "completed" where the events say "waiting"',
    });
  });
});

describe('a log that is damaged in the middle', () => {
  const commands = ['resume', 'approve', 'reject', 'cancel', 'show', 'replay', 'diff', 'logs', 'status'];
  test('is refused with its line by every command, and nothing is written', async ({ openScene }) => {
    const scene = await openScene();
    const { runId } = await scene.run('gate');
    const { path, at } = verifierOf(scene, runId);
    const damaged = (content: Buffer) => flipByte(content, '"seq":2,"timestamp":"20');
    await whileChanged(at('events.ndjson'), damaged, async () => {
      const before = filesOf(path);
      for (const command of commands) {
        const { code, stderr } = await scene.conductor(command, runId);
        expect({ command, code }).toEqual({ command, code: 1 });
        expect(stderr).toContain(
          `events.ndjson of run ${runId} is corrupt at line 4: the line does not chain to the one before it`,
        );
        expect(filesOf(path)).toEqual(before);
      }
    });
    expect(await scene.conductor('approve', runId, '--resume')).toMatchObject({ code: 0 });
  });
});
