import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { gitAt } from '../../testing/git-repo.ts';
import { HOSTILE, INVISIBLE, openHostile, UNSAFE } from './hostile-scene.ts';
import { runInProcess } from './in-process.ts';
import { type Scene, test } from './scene.ts';

function expectSafe(name: string, { stdout, stderr }: { stdout: string; stderr: string }): void {
  for (const [stream, text] of Object.entries({ stdout, stderr })) {
    const found = UNSAFE.exec(text);
    const around = found === null ? '' : text.slice(Math.max(0, found.index - 60), found.index + 20);
    expect([name, stream, JSON.stringify(around)]).toEqual([name, stream, '""']);
  }
}

/** Human and machine form of a command's output. */
async function look(scene: Scene, ...args: string[]): Promise<readonly string[]> {
  const printed: string[] = [];
  for (const argv of [args, [...args, '--json']]) {
    const result = await runInProcess(argv, scene.cliOptions);
    expectSafe(args.join(' '), result);
    printed.push(result.stdout);
  }
  return printed;
}

test.for([
  ['waits with a change', 'none'],
  ['broke its policy', 'forbidden*'],
] as const)(
  'no command prints control characters or invisible text of a run that %s',
  { timeout: 300_000 },
  async ([, forbidden], { openScene }) => {
    const scene = await openHostile(openScene, forbidden);
    const started = await scene.cli.run(['run', '../hostile.yaml', '--input', `task=fix ${HOSTILE}`]);
    expectSafe('run', started);
    const runId = started.stdout.split('\n')[0] ?? '';
    expect(started.code, started.stderr).toBe(3);
    await gitAt(scene.repo.root, 'branch', `other-${INVISIBLE}`);

    for (const args of [
      ['status'],
      ['status', runId],
      ['runs'],
      ['show', runId],
      ['logs', runId],
      ['logs', runId, 'work'],
      ['logs', runId, 'check'],
      ['diff', runId],
      ['diff', runId, '--stat'],
      ['goldens', runId],
      ['gates'],
      ['replay', runId],
      ['verify', runId],
      ['worktree', 'list'],
      ['doctor'],
      ['graph', '../hostile.yaml'],
      ['validate', '../hostile.yaml'],
    ])
      await look(scene, ...args);

    for (const args of [
      ['report'],
      ['report', '--format', 'markdown'],
      ['report', '--format', 'html'],
      ['report', '--all-repos'],
      ['stats'],
      ['stats', '--format', 'html'],
    ])
      expectSafe(args.join(' '), await runInProcess(args, scene.cliOptions));

    // The text is there, and readable.
    const escaped = '\\u202eevil\\u2066';
    for (const args of [
      ['show', runId],
      ['report'],
      ['logs', runId, 'check'],
      ...(forbidden === 'none' ? [['diff', runId]] : []),
    ])
      expect((await look(scene, ...args)).join('')).toContain(escaped);
  },
);

test('no error message contains control sequences or invisible characters', {
  timeout: 300_000,
}, async ({ openScene }) => {
  const scene = await openHostile(openScene, 'none');
  const started = await scene.cli.run(['run', '../hostile.yaml', '--input', 'task=x']);
  const runId = started.stdout.split('\n')[0] ?? '';
  const folder = join(scene.repo.root, '..');
  const documents: Record<string, string> = {
    'bad-workflow.yaml': `workflow_id: "x${INVISIBLE}"\nversion: 1\n"key${INVISIBLE}": 1\nsteps:\n  - { id: "step${INVISIBLE}", opcode: "RUN${INVISIBLE}" }\n`,
    'escaped.yaml': `workflow_id: "x\\e]0;owned\\a"\nversion: 1\nentry_step: "a\\e[8m"\nsteps: []\n"\\e[31m": 1\n`,
    'broken.yaml': `a: [${HOSTILE}\n`,
    'config.yaml': `agents: { "a${INVISIBLE}": { kind: "command${INVISIBLE}" } }\nsandbox: "\\e[8m"\n`,
    'policy.bad.v1.yaml': `policy_id: "policy.${INVISIBLE}"\nversion: 1\ncommands: { deny: ["/(${INVISIBLE}/"] }\n`,
  };
  for (const [name, text] of Object.entries(documents)) {
    await mkdir(join(folder, 'bad'), { recursive: true });
    await writeFile(join(folder, 'bad', name), text);
    await look(scene, 'validate', join('..', 'bad', name));
    for (const format of ['sarif', 'github'])
      expectSafe(
        `validate ${name} ${format}`,
        await runInProcess(['validate', `../bad/${name}`, '--format', format], scene.cliOptions),
      );
  }
  for (const args of [
    ['show', `no-${HOSTILE}`],
    ['diff', `no-${HOSTILE}`],
    ['explain', `WF${HOSTILE}`],
    ['schema', HOSTILE],
    ['run', `no-${HOSTILE}`],
    ['run', '../hostile.yaml', '--base', `no-${INVISIBLE}`, '--input', 'task=x'],
    ['run', '../hostile.yaml', '--input', `other${HOSTILE}=1`],
    ['logs', runId, `step-${HOSTILE}`],
    [`verb-${HOSTILE}`],
    ['status', `--option-${HOSTILE}`],
    ['validate', `../no-${HOSTILE}.yaml`],
    ['graph', `../no-${HOSTILE}.yaml`],
    ['policy', 'command', `echo ${HOSTILE} > /etc/x`],
    ['policy', 'command', `rm ${HOSTILE}`],
    ['undo', runId, `step-${HOSTILE}`],
    ['reject', runId, '--as', `me ${HOSTILE}`, '--note', `why ${HOSTILE}`],
    ['show', runId],
    ['work', 'list'],
    ['work', 'show', `item-${HOSTILE}`],
    ['agents', 'test', `agent-${HOSTILE}`],
    ['harness', 'run', `suite-${HOSTILE}`],
    ['contract', 'check', `kind-${HOSTILE}`, 'file'],
    ['scope', '--patch', `../no-${HOSTILE}`],
    ['evaluate', `../no-${HOSTILE}`],
    ['vectors', `../no-${HOSTILE}`],
    ['crashtest', `../no-${HOSTILE}`],
    ['completion', `shell-${HOSTILE}`],
    ['hook', `question-${HOSTILE}`],
    ['status', '--repo', `../no-${HOSTILE}`],
    ['resume', `no-${HOSTILE}`],
    ['cancel', `no-${HOSTILE}`],
    ['approve', `no-${HOSTILE}`],
  ])
    await look(scene, ...args);
});

test('a raw patch is for pipes: a terminal is refused', async ({ openScene }) => {
  const scene = await openHostile(openScene, 'none');
  const started = await scene.cli.run(['run', '../hostile.yaml', '--input', 'task=x']);
  const runId = started.stdout.split('\n')[0] ?? '';
  const { stdout } = await scene.cli.run(['diff', runId, '--raw']);
  expect(stdout).toMatch(UNSAFE);
  // Gives the command a terminal.
  const through = ['bash', '-c', 'exec script -qec "${*@Q}" /dev/null', 'bash'];
  const refused = await scene.cli.run(['diff', runId, '--raw'], { through });
  expect(refused.code).toBe(2);
  expect(refused.stdout).toContain('--raw would write control sequences to the terminal');
  expect(refused.stdout).not.toContain('hidden');
});
