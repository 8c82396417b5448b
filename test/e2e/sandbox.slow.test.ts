import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { resolveProgram } from '../../src/adapters/process/program.ts';
import { sandboxHere } from '../integration/sandbox-here.ts';
import { markedProcesses } from './marked-processes.ts';
import { fixture, type Scene, type SceneOptions, test, until } from './scene.ts';

interface Programs {
  readonly agent: string;
  readonly validator?: string;
  /** Further lines of the configuration. */
  readonly config?: string;
  readonly agentKeys?: string;
}

function configOf({ agent, validator = 'exit 0', config = '', agentKeys = '' }: Programs): string {
  return `agents:
  actor: { kind: command, command: [sh, -c, ${JSON.stringify(agent)}]${agentKeys} }
validators:
  tests: { command: [sh, -c, ${JSON.stringify(validator)}] }
${config}`;
}

const WORKFLOW = `workflow_id: probe
version: 1
description: One agent, one validator.
entry_step: work
steps:
  - id: work
    opcode: RUN_AGENT
    agent: actor
    prompt: Do what you do.
    routes: { completed: check, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
  - id: check
    opcode: RUN_VALIDATION
    run: [tests]
    routes: { completed: STOP, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
`;

async function probe(scene: Scene, env: Readonly<Record<string, string>> = {}) {
  await writeFile(join(scene.repo.root, '..', 'probe.yaml'), WORKFLOW);
  const result = await scene.cli.run(['run', '../probe.yaml'], { env });
  return { ...result, runId: result.stdout.split('\n')[0] ?? '' };
}

function notesOf(scene: Scene, runId: string, folder: string): readonly string[] {
  return JSON.parse(scene.record(runId).evidence(folder, 'policy_summary')).notes;
}

/** A PATH with all that a run needs, and no bubblewrap or one that does not work. */
async function pathWithout(scene: Scene, bwrap: string | null): Promise<string> {
  const bin = join(scene.home, 'bin');
  await mkdir(bin);
  for (const name of ['node', 'git', 'sh', 'cat', 'ls', 'env']) {
    const program = await resolveProgram(name, { cwd: '/', path: process.env.PATH });
    if (program !== null) await symlink(program, join(bin, name));
  }
  if (bwrap !== null) await writeFile(join(bin, 'bwrap'), bwrap, { mode: 0o755 });
  return bin;
}

const DENY = {
  '.tnh/policies/policy.quiet.v1.yaml': 'policy_id: policy.quiet\nversion: 1\nnetwork: deny\n',
};

describe.runIf(sandboxHere.ok)('a run that requires a sandbox', () => {
  const open = (openScene: (options: SceneOptions) => Promise<Scene>, programs: Programs, files = {}) =>
    openScene({ config: configOf(programs), files, sandbox: 'required' });

  test('ends as it would without, and reports which claims were confirmed', async ({ openScene }) => {
    const scene = await openScene({ sandbox: 'required' });
    const { code, stderr, runId } = await scene.run('success');
    expect(code, stderr).toBe(0);
    expect(notesOf(scene, runId, 'implement')).toContain('sandbox: bubblewrap, with network access');
    expect(notesOf(scene, runId, 'check')).toContain('sandbox: bubblewrap, without network access');
  });

  test('keeps the agent out of checkout, home, record, git and other runs', async ({ openScene }) => {
    const places = [
      '"$CONDUCTOR_RUN_DIR/x"',
      '"$CONDUCTOR_RUN_DIR/../../../x"',
      '"$CONDUCTOR_RUN_DIR/../../../.git/hooks/x"',
      '"$HOME/x"',
      '/tmp/x',
      '../x',
      '../../x',
      '../judge/x',
      '../store/x',
      '../store/objects/x',
    ];
    const agent = [
      'ls .. > seen.txt; ls "$CONDUCTOR_RUN_DIR/.." | wc -l >> seen.txt; cat ~/.netrc >> seen.txt',
      `for place in ${places.join(' ')}; do echo x > "$place"; done`,
      'git status --short >> seen.txt; git log --oneline | wc -l >> seen.txt',
      'echo \'{"final":"done"}\' > "$CONDUCTOR_RESULT"; echo x > .tnh/run/$CONDUCTOR_RUN_ID/harness/left; true',
    ].join('\n');
    const scene = await open(openScene, { agent });
    await writeFile(join(scene.home, '.netrc'), 'password\n');
    const other = (await scene.run('success')).runId;
    const { code, stderr, runId } = await probe(scene);
    expect(code, stderr).toBe(0);
    const record = scene.record(runId);
    const folder = dirname(scene.checkout(runId));
    const outside = [record.path, scene.repo.root, join(scene.repo.root, '.git/hooks'), scene.home];
    const inWorkspace = [folder, scene.workspacesDir, scene.judge(runId), join(folder, 'store/objects')];
    for (const place of [...outside, ...inWorkspace, join(folder, 'store')])
      expect([place, existsSync(join(place, 'x'))]).toEqual([place, false]);
    expect(existsSync(scene.checkout(other))).toBe(true);
    expect(existsSync(join(record.path, 'harness', 'left'))).toBe(true);
    expect(record.evidence('work', 'runner_final_response')).toBe('done\n');
    // Of the store only the objects can be read, which the checkout borrows.
    expect(await scene.inCheckout(runId, 'seen.txt')).toBe('store\nwork\n1\n?? seen.txt\n1\n');
  });

  test('shows nothing that only root can read, also where conductor runs as root', async ({ openScene }) => {
    const look = 'for file in /etc/shadow /etc/gshadow ~root/.bashrc; do cat $file && echo read $file; done';
    const scene = await open(openScene, { agent: `(${look}; ls -A /etc/ssl/private) > seen.txt; true` });
    const { code, stderr, runId } = await probe(scene);
    expect(code, stderr).toBe(0);
    expect(await scene.inCheckout(runId, 'seen.txt')).toBe('');
  });

  test('gives a validator the network of this machine only where its configuration says so', async ({
    openScene,
    onTestFinished,
  }) => {
    const server = createServer((socket) => socket.end('up')).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const code = `require('node:net').connect(${port}, '127.0.0.1').on('error', (e) => { console.error(e.message); process.exit(1) }).on('data', () => process.exit(0))`;
    const validator = (network: string) => `agents:
  actor: { kind: command, command: ['true'] }
validators:
  tests: { command: [node, -e, ${JSON.stringify(code)}]${network} }
baseline: off
`;
    const run = async (network: string, more = '') => {
      const scene = await openScene({ config: validator(network) + more, files: DENY, sandbox: 'required' });
      const { runId } = await probe(scene);
      const { events } = scene.record(runId);
      const end = events.find(
        ({ step_id: id, event_type: type }) => id === 'check' && /^step_(?:c|f)/.test(type),
      );
      return {
        payload: end?.payload as { outcome: string; reason: string },
        notes: notesOf(scene, runId, 'check'),
      };
    };
    const without = await run('');
    expect(without.payload.outcome).toBe('error');
    expect(without.payload.reason).toMatch(
      /^tests: the validator exited with code 1; it had no network, and its output says "connect ECONNREFUSED .*"; if it needs one, set validators\.tests\.network: host$/,
    );
    const host = await run(', network: host');
    expect(host.payload.outcome).toBe('completed');
    expect(host.notes).toContain('validator "tests" had the network of this machine');
    const denied = await run(', network: host', 'policy: policy.quiet.v1\n');
    expect(denied.payload.reason).toMatch(/if it needs one, a policy has to allow it$/);
  });

  test('shows neither agent nor validator the work items', async ({ openScene }) => {
    const look = 'ls "$CONDUCTOR_RUN_DIR/../../work" | wc -l';
    const scene = await open(
      openScene,
      { agent: `${look} > seen.txt`, validator: `test "$(${look})" -eq 0` },
      { '.tnh/work/items.db': 'items\n' },
    );
    const { code, stderr, runId } = await probe(scene);
    expect(code, stderr).toBe(0);
    expect(await scene.inCheckout(runId, 'seen.txt')).toBe('0\n');
  });

  test('leaves no agent running when conductor is killed, and continues when resumed', async ({
    openScene,
  }) => {
    const agent = 'echo up; test "$CONDUCTOR_ATTEMPT" = 2 || sleep 600';
    // The processes of a baseline would be taken for those of the agent.
    const scene = await open(openScene, { agent, config: 'baseline: off\n' });
    await writeFile(join(scene.repo.root, '..', 'probe.yaml'), WORKFLOW);
    const started = scene.cli.start(['run', '../probe.yaml']);
    const runId = await until(() => /^(\S+)\n/.exec(started.stdout())?.[1]);
    await until(() => markedProcesses(runId).length >= 3);
    started.kill('SIGKILL');
    await started.done;
    await until(() => markedProcesses(runId).length === 0);
    expect((await scene.conductor('resume', runId)).code).toBe(0);
  });

  test('shows an agent what its configuration declares', async ({ openScene }) => {
    const scene = await open(openScene, {
      agent: 'cat ~/.tool/login > got.txt; echo new > ~/.state/s; ! echo x >> ~/.tool/login',
      agentKeys: ', sees: [.tool], writes: ["~/.state"]',
    });
    for (const name of ['.tool', '.state']) await mkdir(join(scene.home, name));
    await writeFile(join(scene.home, '.tool', 'login'), 'me\n');
    const { code, runId } = await probe(scene);
    expect(code).toBe(0);
    expect(await scene.inCheckout(runId, 'got.txt')).toBe('me\n');
    expect(await readFile(join(scene.home, '.state', 's'), 'utf8')).toBe('new\n');
    expect(await readFile(join(scene.home, '.tool', 'login'), 'utf8')).toBe('me\n');
  });

  const dials =
    "node -e \"require('node:net').connect(9, '192.0.2.1').on('error', (e) => console.log(e.code))\"";

  test('keeps the promise of a policy that denies the network', async ({ openScene }) => {
    const scene = await open(openScene, { agent: dials, config: 'policy: policy.quiet.v1\n' }, DENY);
    const { code, stderr, runId } = await probe(scene);
    expect(code, stderr).toBe(0);
    expect(scene.record(runId).evidence('work', 'runner_transcript')).toBe('ENETUNREACH\n');
  });

  test('lets validators have the network where a policy says so', async ({ openScene }) => {
    const scene = await open(
      openScene,
      { agent: 'true', validator: 'ls /sys/class/net', config: 'policy: policy.open.v1\n' },
      { '.tnh/policies/policy.open.v1.yaml': 'policy_id: policy.open\nversion: 1\nnetwork: allow\n' },
    );
    const { code, runId } = await probe(scene);
    expect(code).toBe(0);
    expect(notesOf(scene, runId, 'check')).toContain('sandbox: bubblewrap, with network access');
  });

  test('makes a checkout that is only to be read unwritable', async ({ openScene }) => {
    const scene = await open(
      openScene,
      { agent: 'echo x > x.txt', config: 'policy: policy.look.v1\n' },
      { '.tnh/policies/policy.look.v1.yaml': 'policy_id: policy.look\nversion: 1\nexecution: read_only\n' },
    );
    const { code, runId } = await probe(scene);
    expect(code).toBe(1);
    expect(scene.record(runId).eventsOf('policy_violation')).toEqual([]);
    expect(existsSync(join(scene.checkout(runId), 'x.txt'))).toBe(false);
  });
});

test.for([
  ['with a sandbox', 'required', sandboxHere.ok],
  ['without one', 'off', true],
] as const)(
  'no file that the caller holds open reaches agents and validators %s',
  async ([, sandbox, possible], { openScene, skip }) => {
    skip(!possible, 'bubblewrap does not work here');
    const list = 'ls -l /proc/self/fd';
    const scene = await openScene({
      config: configOf({ agent: list, validator: list, config: `sandbox: ${sandbox}\n` }),
    });
    const secret = join(scene.home, 'secret.txt');
    await writeFile(secret, 'a key\n');
    await writeFile(join(scene.repo.root, '..', 'probe.yaml'), WORKFLOW);
    const open = `exec 5<"${secret}" 9<"${scene.home}" 16<"${secret}" 40<>"${secret}" 200<"${scene.home}"; exec "$@"`;
    const { stdout } = await scene.cli.run(['run', '../probe.yaml'], {
      through: ['bash', '-c', open, 'bash'],
    });
    const record = scene.record(stdout.trim());
    for (const [step, role] of [
      ['work', 'runner_transcript'],
      ['check', 'validation_stdout'],
    ] as const) {
      const listed = record.evidence(step, role);
      expect(listed).toMatch(/ 2 -> /);
      expect(listed).not.toContain(scene.home);
    }
  },
);

describe('where there is no sandbox', () => {
  const BROKEN = '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n';

  test.for([
    ['it is not installed', null, /requires a sandbox, and bubblewrap is not installed/],
    [
      'it may not make namespaces',
      BROKEN,
      /does not work here: No permissions.*\n.*namespaces are not allowed here/,
    ],
  ] as const)(
    'a run that requires one is refused and nothing is made: %s',
    async ([, bwrap, message], { openScene }) => {
      const scene = await openScene({ sandbox: 'required' });
      const PATH = await pathWithout(scene, bwrap);
      const { code, stderr } = await scene.cli.run(['run', fixture('success')], { env: { PATH } });
      expect(code).toBe(2);
      expect(stderr).toMatch(message);
      expect(scene.runIds()).toEqual([]);
      const doctor = await scene.cli.run(['doctor'], { env: { PATH } });
      expect(doctor.stdout + doctor.stderr).toMatch(/sandbox.*(?:not installed|does not work here)/);
    },
  );

  test('a run that prefers one continues without it and says what was not enforced', async ({
    openScene,
  }) => {
    const scene = await openScene({ sandbox: 'auto' });
    const PATH = await pathWithout(scene, null);
    const { code, stderr, stdout } = await scene.cli.run(['run', fixture('success')], { env: { PATH } });
    expect(code, stderr).toBe(0);
    const runId = stdout.trim();
    expect(notesOf(scene, runId, 'implement').slice(1)).toEqual([
      'no sandbox: bubblewrap is not installed',
      'not enforced: the step could write files outside the checkout and read the home directory',
    ]);
    expect(notesOf(scene, runId, 'check')).toContain(
      'not enforced: the validators of this step had network access',
    );
  });

  test('a run that began with less stops at the next step once one is required', async ({ openScene }) => {
    const scene = await openScene({ config: configOf({ agent: 'echo 1 > one.txt' }), sandbox: 'off' });
    const gated = WORKFLOW.replace('completed: check', 'completed: ask').concat(
      '  - { id: ask, opcode: GATE, gate: requires_approval, routes: { gate_approved: check, gate_rejected: STOP } }\n',
    );
    await writeFile(join(scene.repo.root, '..', 'gated.yaml'), gated);
    const { code, stdout } = await scene.cli.run(['run', '../gated.yaml']);
    expect(code).toBe(3);
    const runId = stdout.trim();
    const env = { CONDUCTOR_SANDBOX: 'required', PATH: await pathWithout(scene, null) };
    const resumed = await scene.cli.run(['approve', runId, '--resume'], { env });
    expect(resumed.code, resumed.stderr).toBe(5);
    const [failed] = scene.record(runId).eventsOf('step_failed');
    expect(failed?.payload).toMatchObject({
      outcome: 'killed_policy',
      reason: 'the configuration requires a sandbox, and bubblewrap is not installed',
    });
  });

  test('a policy that denies the network is refused before the run', async ({ openScene }) => {
    const scene = await openScene({
      config: configOf({ agent: 'true', config: 'policy: policy.quiet.v1\n' }),
      files: DENY,
      sandbox: 'off',
    });
    const { code, stderr } = await probe(scene);
    expect(code).toBe(2);
    for (const step of ['work', 'check'])
      expect(stderr).toContain(`the policy of step "${step}" asks for network: deny`);
    expect(scene.runIds()).toEqual([]);
  });
});
