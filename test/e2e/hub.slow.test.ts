import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type Cli, createCli } from '../../testing/cli.ts';
import { gitAt } from '../../testing/git-repo.ts';
import { onQueue, type QueueScene } from './queue-scene.ts';
import { CONFIG, type Scene, test, until, workspacesName } from './scene.ts';

const WORKFLOW = `workflow_id: moved
version: 1
description: The second agent never ends its first attempt.
entry_step: first
steps:
  - id: first
    opcode: RUN_AGENT
    agent: actor
    prompt: |
      write first.txt one
      write cache/seen.txt kept
      say Wrote the first file.
    routes: { completed: second, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
  - id: second
    opcode: RUN_AGENT
    agent: actor
    prompt: |
      @1 write half.txt half
      @1 hang
      expect first.txt
      expect cache/seen.txt
      expect deps/installed.txt
      write answer.txt 42
      say Implemented the answer.
    routes: { completed: check, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
  - id: check
    opcode: RUN_VALIDATION
    run: [tests]
    routes: { completed: ask, error: ask, killed_timeout: ask, killed_idle: ask, killed_policy: STOP }
  - id: ask
    opcode: GATE
    gate: requires_approval
    routes: { gate_approved: STOP, gate_rejected: STOP, gate_timed_out: STOP }
`;

const SETUP = `setup:
  run: [[node, tools/act.mjs, write deps/installed.txt yes]]
  cache: { key: [deps.lock], paths: [deps] }
`;

interface Place extends QueueScene {
  readonly cli: Cli;
  readonly root: string;
  readonly checkout: (runId: string) => string;
}

/** Two clones with homes of their own, a hub between them, and one folder of runs for both. */
async function openPlaces(scene: Scene): Promise<{ readonly hub: string; readonly places: [Place, Place] }> {
  const top = join(scene.repo.root, '..');
  const hub = join(top, 'hub.git');
  await gitAt(top, 'init', '--quiet', '--bare', hub);
  const other = join(top, 'elsewhere', 'clone');
  await gitAt(top, 'clone', '--quiet', scene.repo.root, other);
  const place = async (root: string, home: string): Promise<Place> => {
    await mkdir(home, { recursive: true });
    const env = {
      ...scene.cliOptions.env,
      CONDUCTOR_PATHS_RUNS: join(scene.repo.root, '.tnh/run'),
      CONDUCTOR_ENGINE_HUB: hub,
    };
    const cliOptions = { cwd: root, home, env };
    const state = join(home, '.local/state/conductor', workspacesName(root));
    return {
      ...onQueue({ cliOptions }),
      cli: createCli(cliOptions),
      root,
      checkout: (runId) => join(state, runId, 'work'),
    };
  };
  return { hub, places: [await place(scene.repo.root, scene.home), await place(other, join(top, 'home2'))] };
}

describe('a hub between two clones', () => {
  test('lets a run continue in one clone that was killed in the other, and go back after its gate', async ({
    openScene,
  }) => {
    const scene = await openScene({
      isBusy: true,
      config: `${CONFIG}${SETUP}`,
      files: { 'moved.yaml': WORKFLOW, '.gitignore': 'cache/\ndeps/\n', 'deps.lock': 'one\n' },
    });
    const { hub, places } = await openPlaces(scene);
    const [here, there] = places;
    const runId = await here.submit(join(scene.repo.root, 'moved.yaml'));
    const worker = here.cli.start(['worker', '--name', 'here']);
    await until(() => existsSync(join(here.checkout(runId), 'half.txt')));
    worker.kill('SIGKILL');
    await worker.done;

    const continued = await there.conductor('worker', '--once');
    expect(continued.stderr).toContain(`run ${runId}: waiting for approval at gate ask`);
    expect(await readFile(join(there.checkout(runId), 'first.txt'), 'utf8')).toBe('one\n');
    expect(existsSync(join(there.checkout(runId), 'half.txt'))).toBe(false);

    expect((await here.conductor('approve', runId)).code).toBe(0);
    const ended = await here.conductor('worker', '--once');
    expect(ended.stderr).toContain(`run ${runId}: ended: success`);
    for (const { conductor } of [here, there]) {
      expect((await conductor('verify', runId)).stdout).toContain('verifies');
      expect((await conductor('replay', runId)).code).toBe(0);
      expect((await conductor('diff', runId, '--raw')).stdout).toContain('+42');
    }
    expect(await gitAt(hub, 'show', `conductor/run/moved/${runId}:answer.txt`)).toBe('42\n');
    const attempts = scene.record(runId).eventsOf('runner_started');
    const starts = attempts.map(({ step_id: step, payload }) => `${step}@${payload.attempt}`);
    expect(new Set(starts).size).toBe(starts.length);
  });
});
