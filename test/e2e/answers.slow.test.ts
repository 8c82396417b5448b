import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { onTerminal } from './on-terminal.ts';
import { CONFIG, oneAgentStep, type Scene, test } from './scene.ts';

const COMMAND = fileURLToPath(new URL('../../dist/bin/conductor.js', import.meta.url));
const USER = userInfo().username;

async function waitingRun(scene: Scene, workflow = 'gate'): Promise<string> {
  const { code, runId } = await scene.run(workflow);
  expect(code).toBe(3);
  return runId;
}

async function expectOpen(scene: Scene, runId: string): Promise<void> {
  expect(await scene.conductor('resume', runId)).toMatchObject({ code: 3 });
  expect(scene.record(runId).eventsOf('gate_approved')).toEqual([]);
}

/** Starts a command line in the scene with more variables, and gives what it wrote. */
async function start(scene: Scene, commandLine: readonly string[], env: Readonly<Record<string, string>>) {
  const [program = '', ...args] = commandLine;
  const child = spawn(program, args, {
    cwd: scene.repo.root,
    env: { PATH: process.env.PATH, HOME: scene.home, CONDUCTOR_TRUST: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

const MARKED: readonly (readonly [string, Readonly<Record<string, string>>, readonly string[]])[] = [
  ['that carries the mark', { CONDUCTOR_MARK: 'RUN/implement@1' }, ['node', COMMAND]],
  ['below a conductor of a run', { CONDUCTOR_OUTER_MARKS: 'RUN/implement@1' }, ['node', COMMAND]],
  [
    'that dropped the mark, below one that carries it',
    { CONDUCTOR_MARK: 'RUN/implement@1' },
    ['sh', '-c', 'env -u CONDUCTOR_MARK node "$@"; exit $?', 'sh', COMMAND],
  ],
  [
    'that was left behind in a session of its own',
    { CONDUCTOR_MARK: 'RUN/implement@1' },
    ['setsid', '--fork', '--wait', 'node', COMMAND],
  ],
];

describe('an answer from a process of a run', () => {
  test.for(MARKED)('%s is refused', async ([, env, command], { openScene }) => {
    const scene = await openScene();
    const runId = await waitingRun(scene);
    const marks = Object.fromEntries(
      Object.entries(env).map(([name, mark]) => [name, mark.replace('RUN', runId)]),
    );
    for (const answer of ['approve', 'reject']) {
      const { code, output } = await start(scene, [...command, answer, runId, '--as', 'A. Nother'], marks);
      expect({ code, output }).toMatchObject({ code: 1 });
      expect(output).toContain(`an answer from a process of run ${runId} is refused`);
    }
    await expectOpen(scene, runId);
  });

  test('is refused while the agent works, and the gate stays open for the user', async ({ openScene }) => {
    const scene = await openScene({
      config: CONFIG.replace(
        'validators:',
        '  sneaky: { kind: command, command: [sh, tools/sneak.sh], env: [OTHER, BIN] }\nvalidators:',
      ),
      files: {
        // Waits for nothing: the gate of the other run is open already.
        'tools/sneak.sh':
          'node "$BIN" approve "$OTHER" --as boss > "$OTHER.txt" 2>&1; cat "$OTHER.txt"; rm "$OTHER.txt"\n',
        'sneak.yaml': oneAgentStep('sneak', 'Go on.').replace('agent: actor', 'agent: sneaky'),
      },
    });
    const runId = await waitingRun(scene);
    const sneak = await scene.cli.run(['run', './sneak.yaml'], { env: { OTHER: runId, BIN: COMMAND } });
    const record = scene.record(sneak.stdout.split('\n')[0] ?? '');
    expect(record.evidence('only', 'runner_transcript')).toContain('is refused: a run can');
    await expectOpen(scene, runId);
  });

  test("can't trust a repository either", async ({ openScene }) => {
    const scene = await openScene();
    const mark = { CONDUCTOR_MARK: 'some-run/step@1', CONDUCTOR_TRUST: '' };
    for (const commandLine of [['trust'], ['run', 'implement', '--input', 'task=x', '--trust']]) {
      const { code, output } = await start(scene, ['node', COMMAND, ...commandLine], mark);
      expect({ commandLine, code }).toEqual({ commandLine, code: 2 });
      expect(output).toContain('process of a run');
    }
    expect((await scene.conductor('trust', '--list')).stdout).toBe('');
  });
});

describe('an answer', () => {
  test('is recorded with the user and the process, and `--as` is a label beside them', async ({
    openScene,
  }) => {
    const scene = await openScene();
    const runId = await waitingRun(scene);
    const approved = await scene.conductor('approve', runId, '--as', 'Ann');
    expect(approved.stderr).toContain(`as Ann (user ${USER}, no terminal)`);
    expect((await scene.conductor('gates')).stdout).toContain(`by Ann (user ${USER}, no terminal)`);
    await scene.conductor('resume', runId);
    const [event] = scene.record(runId).eventsOf('gate_approved');
    expect(event?.payload).toMatchObject({
      by: 'Ann',
      from: { user: USER, terminal: null, session: null, process: { pid: expect.any(Number) } },
    });
    expect((await scene.conductor('show', runId)).stdout).toContain(
      `approve: approved by Ann (user ${USER}, no terminal)`,
    );
    const verified = await scene.conductor('verify', runId);
    expect(verified).toMatchObject({ code: 0 });
    expect(verified.stdout).toContain(`note: approve: approved by Ann (user ${USER}, no terminal)`);
  });

  test('names the terminal it was typed on', async ({ openScene }) => {
    const scene = await openScene();
    const runId = await waitingRun(scene);
    const place = { root: scene.repo.root, home: scene.home };
    expect(await onTerminal(place, ['approve', runId], '')).toMatchObject({ code: 0 });
    await scene.conductor('resume', runId);
    const [event] = scene.record(runId).eventsOf('gate_approved');
    expect(event?.payload.from?.terminal).toMatch(/^\/dev\//);
    expect((await scene.conductor('verify', runId)).stdout).not.toContain('note: approve');
  });

  test('of a script is refused where the user wants to be asked', async ({ openScene }) => {
    const scene = await openScene({ config: `${CONFIG}answers: any\n` });
    const runId = await waitingRun(scene);
    await mkdir(join(scene.home, '.config/conductor'), { recursive: true });
    await writeFile(join(scene.home, '.config/conductor/config.yaml'), 'answers: interactive\n');
    const refused = await scene.conductor('approve', runId);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain('accepts answers only from a terminal');
    const place = { root: scene.repo.root, home: scene.home };
    expect(await onTerminal(place, ['approve', runId], '')).toMatchObject({ code: 0 });
    expect(await scene.conductor('resume', runId)).toMatchObject({ code: 0 });
  });
});

test('a gate after an agent without a sandbox says that the agent had the same rights', async ({
  openScene,
}) => {
  const scene = await openScene();
  const runId = await waitingRun(scene);
  const { evidence } = scene.record(runId);
  for (const text of [
    evidence('approve', 'gate_request_text'),
    (await scene.conductor('show', runId)).stdout,
  ])
    expect(text).toContain('agent "actor" ran without a sandbox, with the same rights as you');
});
