import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { flipByte, whileChanged } from './record-damage.ts';
import { fixture, type Scene, test } from './scene.ts';

/** Adds an agent that answers from a recorded run to the person's own configuration. */
async function rehearse(scene: Scene, run: string): Promise<void> {
  const folder = join(scene.home, '.config/conductor');
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'config.yaml'),
    `agents:\n  rehearsal: { kind: replay, run: ${JSON.stringify(run)} }\n`,
  );
}

const LOOP = `workflow_id: loop
version: 1
description: The same step is entered twice, and does another thing each time.
entry_step: implement
steps:
  - id: implement
    opcode: RUN_AGENT
    agent: actor
    prompt: |
      @1 write answer.txt 41
      @1 bytes image.bin 00ff0a0d
      @1 delete keep/old.txt
      @1 write tools/new.sh echo new
      @1 executable tools/new.sh
      @1 usage 100 0.5
      @1 say A start.
      @2 write answer.txt 42
      @2 say Implemented the answer.
    routes: { completed: check, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
  - id: check
    opcode: RUN_VALIDATION
    run: [tests]
    routes: { completed: judge, error: judge, killed_timeout: judge, killed_idle: judge, killed_policy: STOP }
  - id: judge
    opcode: EVALUATE
    prompt: planner.evaluate_results.v1
    allowed_next_steps: [implement]
    routes: { success: STOP, partial: implement, blocked: STOP, unsafe: STOP, needs_human: STOP }
`;

/** The workflow as it is, and with the agent that answers from a record. */
async function writeBoth(scene: Scene, text: string) {
  const paths = { real: join(scene.home, 'real.yaml'), rehearsed: join(scene.home, 'rehearsed.yaml') };
  await writeFile(paths.real, text);
  await writeFile(paths.rehearsed, text.replaceAll('agent: actor', 'agent: rehearsal'));
  return paths;
}

async function runFile(scene: Scene, path: string, ...args: readonly string[]) {
  const result = await scene.conductor('run', path, ...args);
  return { ...result, runId: result.stdout.split('\n')[0] ?? '' };
}

function essenceOf(scene: Scene, runId: string) {
  const { finalState, metadata, events, evidence } = scene.record(runId);
  return {
    finalState,
    usage: metadata.usage,
    trees: events.flatMap((event) => (event.event_type === 'step_completed' ? [event.payload.tree] : [])),
    routes: events.flatMap((event) => (event.event_type === 'route_selected' ? [event.payload] : [])),
    transcripts: ['implement', 'implement@2'].map((folder) => evidence(folder, 'runner_transcript')),
    finals: ['implement', 'implement@2'].map((folder) => evidence(folder, 'runner_final_response')),
    claims: ['implement', 'implement@2'].map(
      (folder) => JSON.parse(evidence(folder, 'runner_metadata')).claims,
    ),
  };
}

describe('an agent that answers from a recorded run', () => {
  test('does in each entry what was done in it, and the run ends the same', async ({ openScene }) => {
    const scene = await openScene();
    const { real, rehearsed } = await writeBoth(scene, LOOP);
    const recorded = await runFile(scene, real);
    expect(recorded.code).toBe(0);
    await rehearse(scene, recorded.runId.slice(0, 13));
    const again = await runFile(scene, rehearsed);
    expect(again.code).toBe(0);
    expect(essenceOf(scene, again.runId)).toEqual(essenceOf(scene, recorded.runId));
    expect(scene.record(again.runId).eventsOf('runner_started')[0]?.payload.family).toBe('replay');
    for (const command of ['verify', 'replay'])
      expect(await scene.conductor(command, again.runId)).toMatchObject({ code: 0 });
  });

  test('keeps the outcome with which it ended', async ({ openScene }) => {
    const scene = await openScene();
    const text = await readFile(fixture('agent-killed-timeout'), 'utf8');
    const { real, rehearsed } = await writeBoth(scene, text);
    const recorded = await runFile(scene, real);
    await rehearse(scene, recorded.runId);
    const again = await runFile(scene, rehearsed);
    expect(again.code).toBe(recorded.code);
    const ends = [recorded, again].map(({ runId }) => {
      const [failed] = scene.record(runId).eventsOf('step_failed');
      return { outcome: failed?.payload.outcome, reason: failed?.payload.reason };
    });
    expect(ends[1]).toEqual(ends[0]);
    expect(ends[0]?.outcome).toBe('killed_timeout');
  });

  test('fails with a fix if the recorded change does not apply', async ({ openScene }) => {
    const scene = await openScene();
    const { real, rehearsed } = await writeBoth(scene, LOOP);
    const base = (await scene.repo.git('rev-parse', 'HEAD')).trim();
    const recorded = await runFile(scene, real);
    await rehearse(scene, recorded.runId);
    await scene.repo.git('branch', 'other');
    const other = await commitOn(scene, 'other', 'answer.txt', 'quite another\n');
    const again = await runFile(scene, rehearsed, '--base-ref', other);
    expect(again.code).toBe(1);
    const [failed] = scene.record(again.runId).eventsOf('step_failed');
    expect(failed?.payload).toMatchObject({ outcome: 'error', changed: false });
    expect(failed?.payload.reason).toContain(`does not fit the files here`);
    expect(failed?.payload.reason).toContain(`--base-ref ${base}`);
    expect(await runFile(scene, rehearsed, '--base-ref', base)).toMatchObject({ code: 0 });
    await scene.repo.git('branch', '-D', 'other');
  });

  test('fails at a changed or incomplete record', async ({ openScene }) => {
    const scene = await openScene();
    const { real, rehearsed } = await writeBoth(scene, LOOP);
    const recorded = await runFile(scene, real);
    await rehearse(scene, recorded.runId);
    const patch = join(scene.record(recorded.runId).path, 'artifacts/implement/workspace.patch');
    const changed = await whileChanged(patch, flipByte, () => runFile(scene, rehearsed));
    expect(changed.code).toBe(1);
    expect(reasonOf(scene, changed.runId)).toContain('is not as it was recorded');
    const never = LOOP.replace('success: STOP', 'success: implement').replace(
      '[implement]',
      '[implement, STOP]',
    );
    const further = await writeBoth(scene, never);
    const again = await runFile(scene, further.rehearsed);
    expect(again.code).toBe(1);
    expect(reasonOf(scene, again.runId)).toContain('has not recorded the end of entry 3 of step "implement"');
  });

  test('is missed before the run starts, and nothing is made', async ({ openScene }) => {
    const scene = await openScene();
    const { real, rehearsed } = await writeBoth(scene, LOOP);
    await rehearse(scene, '0199ab');
    expect(await scene.conductor('run', rehearsed)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(
        'agent "rehearsal" of step "implement" can\'t be started: there is no recorded run "0199ab"',
      ),
    });
    expect(scene.runIds()).toEqual([]);
    const first = await runFile(scene, real);
    const second = await runFile(scene, real);
    await rehearse(scene, '0');
    expect((await scene.conductor('run', rehearsed)).stderr).toContain(
      '"0" is the beginning of 2 recorded runs',
    );
    await rehearse(scene, second.runId);
    const text = LOOP.replaceAll('implement', 'improve').replace('agent: actor', 'agent: rehearsal');
    await writeFile(rehearsed, text);
    expect(await scene.conductor('run', rehearsed)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has not recorded the end of an agent in a step "improve"'),
    });
    expect([...scene.runIds()].sort()).toEqual([first.runId, second.runId].sort());
  });
});

function reasonOf(scene: Scene, runId: string): string {
  return scene.record(runId).eventsOf('step_failed').at(-1)?.payload.reason ?? '';
}

/** A commit on a branch that is not checked out. */
async function commitOn(scene: Scene, branch: string, path: string, text: string): Promise<string> {
  const { git } = scene.repo;
  const worktree = join(scene.home, branch);
  await git('worktree', 'add', '--quiet', worktree, branch);
  await writeFile(join(worktree, path), text);
  await git('-C', worktree, 'commit', '--quiet', '--all', '--message', 'other');
  const sha = (await git('rev-parse', branch)).trim();
  await git('worktree', 'remove', '--force', worktree);
  return sha;
}
