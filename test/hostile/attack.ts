import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type GitRepo, gitAt } from '../../testing/git-repo.ts';
import type { RunRecordOnDisk } from '../e2e/run-record.ts';
import type { Scene, SceneOptions } from '../e2e/scene.ts';
import type { HostileAgent, Mode, Verdict } from './hostile-agent.ts';
import { differences, readWorld, restoreWorld, type World } from './world.ts';

/** A word in the environment of conductor that no agent may get. */
export const SECRET = 'hostile-7d1f0c55-parent-only';

const ROUTES =
  '{ completed: check, error: check, killed_timeout: check, killed_idle: check, killed_policy: check }';
const WORKFLOW = (agent: HostileAgent) => `workflow_id: hostile
version: 1
description: An agent that misbehaves, a check, and a rollback.
entry_step: attack
defaults: { policy: ${agent.policy ?? 'policy.hostile.v1'} }
steps:
  - { id: attack, opcode: RUN_AGENT, agent: hostile, prompt: do your worst now, ${agent.limits === undefined ? '' : `limits: ${agent.limits}, `}routes: ${ROUTES} }
  - { id: check, opcode: RUN_VALIDATION, run: [judge], routes: ${ROUTES.replaceAll('check', 'judge')} }
  - { id: judge, opcode: EVALUATE, prompt: planner.evaluate_results.v1, allowed_next_steps: [back], routes: { success: back, partial: back, blocked: back, unsafe: back, needs_human: STOP } }
  - { id: back, opcode: ROLLBACK, target: pre_run, routes: { completed: STOP, error: STOP } }
`;

const POLICIES = {
  '.tnh/policies/policy.hostile.v1.yaml':
    'policy_id: policy.hostile\nversion: 1\nforbidden_paths: [".github/**", "**/.env", "**/*.pem"]\nprotected_paths: [test/]\nforbidden_operations: [delete, dependency_change]\n',
  '.tnh/policies/policy.reader.v1.yaml': 'policy_id: policy.reader\nversion: 1\nexecution: read_only\n',
  '.tnh/policies/policy.offline.v1.yaml': 'policy_id: policy.offline\nversion: 1\nnetwork: deny\n',
};

function sceneFor(agent: HostileAgent, mode: Mode, script: string): SceneOptions {
  const command = JSON.stringify(['sh', '-c', `echo tried\n${script}`]);
  return {
    config: `agents:\n  hostile: { kind: command, command: ${command} }\nvalidators:\n  judge: { command: [node, test/judge.mjs] }\n`,
    files: {
      ...POLICIES,
      '.github/workflows/ci.yml': 'on: push\n',
      '.gitignore': '.env\n*.log\n',
      'package-lock.json': '{ "lockfileVersion": 3 }\n',
      'test/judge.mjs':
        "import { readFileSync } from 'node:fs';\nprocess.exit(readFileSync('answer.txt', 'utf8') === '42\\n' ? 0 : 1);\n",
      '../workflow.yaml': WORKFLOW(agent),
    },
    sandbox: mode === 'on' ? 'required' : 'off',
    prepare: preparePlaces,
  };
}

/** A remote with a default branch, a stash of two entries, an untracked file, a branch with a commit of its own, and a link that leads out. */
async function preparePlaces(repo: GitRepo): Promise<void> {
  const outside = join(repo.root, '..', 'outside');
  await mkdir(outside);
  await writeFile(join(outside, 'target.txt'), 'precious\n');
  await symlink(join(outside, 'target.txt'), join(repo.root, 'way-out'));
  await repo.git('add', 'way-out');
  await repo.git('commit', '--quiet', '--message=a link');
  await repo.git('branch', 'trunk');
  await repo.git('branch', 'lonely', (await repo.git('commit-tree', '-m', 'lonely', 'HEAD^{tree}')).trim());
  const remote = join(outside, 'remote.git');
  await gitAt(outside, 'init', '--quiet', '--bare', '--initial-branch=trunk', remote);
  await repo.git('remote', 'add', 'origin', remote);
  await repo.git('push', '--quiet', 'origin', 'trunk');
  await repo.git('remote', 'set-head', 'origin', 'trunk');
  for (const text of ['first', 'second']) {
    await repo.write('keep/old.txt', `${text}\n`);
    await repo.git('stash', 'push', '--quiet');
  }
  await repo.write('draft.txt', 'work of the user\n');
}

export interface Attack {
  readonly agent: HostileAgent;
  readonly scene: Scene;
  readonly verdict: Verdict;
  /** Null when the run was refused before anything was made. */
  readonly record: RunRecordOnDisk | null;
  readonly runId: string;
  readonly left: readonly string[];
  readonly before: World;
}

/** Lets a hostile agent work, and finds out what became of it. */
export async function attack(
  openScene: (options: SceneOptions) => Promise<Scene>,
  agent: HostileAgent,
  mode: Mode,
  floodBytes: number,
): Promise<Attack> {
  const server = await listen();
  const script = agent.script.replaceAll('$FLOOD', `${floodBytes}`).replaceAll('$PORT', `${server.port}`);
  const places = 'CHECKOUT="${CONDUCTOR_RUN_DIR%/.tnh/*}"; OUTSIDE="$CHECKOUT/../outside"';
  const scene = await openScene(sceneFor(agent, mode, `${places}\n${script}`));
  await writeFile(join(scene.home, '.profile'), '# mine\n');
  const before = await readWorld(scene);
  const { stdout, code } = await scene.cli
    .start(['run', join(scene.repo.root, '..', 'workflow.yaml')], { env: { HOSTILE_SECRET: SECRET } })
    .done.finally(server.close);
  const runId = stdout.split('\n')[0] ?? '';
  const record = code === 2 ? null : scene.record(runId);
  const left = [
    ...differences(before, await readWorld(scene)),
    ...(server.connections() > 0 ? ['connection'] : []),
    ...(record === null ? [] : tracesOf(record, runId, agent)),
  ].sort();
  return { agent, scene, verdict: await verdictOf(agent, scene, record, left), record, runId, left, before };
}

/** Restores the user's files and refs, so that everything else about the scene can be checked. */
export async function cleanUp({ agent, scene, before, left, runId, record }: Attack): Promise<void> {
  for (const pid of daemonsOf(runId)) process.kill(pid, 'SIGKILL');
  if (left.includes('record') && record !== null)
    await writeFile(join(record.path, 'workflow.yaml'), WORKFLOW(agent));
  await restoreWorld(scene, before, left);
}

async function verdictOf(
  { sign }: HostileAgent,
  scene: Scene,
  record: RunRecordOnDisk | null,
  left: readonly string[],
): Promise<Verdict> {
  const isViolation = typeof sign === 'string';
  const seen =
    record !== null &&
    (isViolation
      ? record.eventsOf('policy_violation').some(({ payload }) => payload.class === sign)
      : await sign.isSeen(record, scene));
  if (seen) return isViolation ? 'detected' : sign.verdict;
  return left.length === 0 ? 'prevented' : 'not seen';
}

/** What an agent achieved that no file outside shows. */
function tracesOf(record: RunRecordOnDisk, runId: string, agent: HostileAgent): string[] {
  const traces: string[] = [];
  if (daemonsOf(runId).length > 0) traces.push('daemon');
  if (readFileSync(join(record.path, 'workflow.yaml'), 'utf8') !== WORKFLOW(agent)) traces.push('record');
  const passed = record
    .eventsOf('runner_completed')
    .some(({ step_id, payload }) => step_id === 'check' && payload.exit_code === 0);
  if (passed) traces.push('passed check');
  const files = record.manifests.attack?.artifacts ?? [];
  if (files.some(({ path }) => readFileSync(join(record.path, path)).includes('got-secret')))
    traces.push('secret');
  return traces;
}

/** Processes that name the run on their command line; conductor itself has ended. */
function daemonsOf(runId: string): number[] {
  if (runId === '') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => commandLineOf(pid).includes(`: ${runId}`))
    .map(Number);
}

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

async function listen() {
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return { port: address.port, connections: () => count, close: () => void server.close() };
}
