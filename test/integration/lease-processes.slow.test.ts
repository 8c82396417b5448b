import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createEmbeddedEngine } from '../../src/adapters/run-store/embedded-engine.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { type GitRepo, makeRepo } from '../../testing/git-repo.ts';
import { markedProcesses } from '../e2e/marked-processes.ts';
import { oneAgentStep, until } from '../e2e/scene.ts';
import { IN_NEW_NAMESPACE, pidNamespacesHere } from './pid-namespaces-here.ts';

const DRIVER = fileURLToPath(new URL('lease-driver.mjs', import.meta.url));
const RUN = '01990000-0000-7000-8000-000000000001';
/** Long enough that a process that starts on a busy machine does not miss it. */
const LEASE_MS = 3_000;

const ENDED = '{"ended":true}';

interface StartedDriver {
  /** As this process sees it. */
  readonly pid: () => number;
  readonly said: () => readonly Record<string, unknown>[];
  readonly hasEnded: () => boolean;
}

/** The namespace outlives the driver, as that of a container does: otherwise the next one may get its number. */
function startDriver(mode: string, root: string, subject: string): StartedDriver {
  const [program, ...argv] = IN_NEW_NAMESPACE;
  const stay = ['sh', '-c', `"$@"; echo '${ENDED}'; exec sleep 600`, 'sh'];
  const args = [...argv, ...stay, process.execPath, DRIVER, mode, root, subject, String(LEASE_MS)];
  const home = join(root, '..', 'home');
  const env = { PATH: process.env.PATH, HOME: home, XDG_STATE_HOME: join(home, 'state') };
  const child = spawn(program, args, {
    env: { ...env, CONDUCTOR_SANDBOX: 'off' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  onTestFinished(() => endChild(child));
  const lines = () => output.split('\n').slice(0, -1);
  return {
    // `unshare` has started the shell, which has started the driver.
    pid: () => childrenOf(childrenOf(child.pid ?? 0)[0] ?? 0)[0] ?? 0,
    said: () =>
      lines()
        .filter((line) => line !== ENDED)
        .map((line) => JSON.parse(line)),
    hasEnded: () => lines().includes(ENDED),
  };
}

function childrenOf(pid: number): readonly number[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split(' ').map(Number) : [];
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.on('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

const first = (driver: StartedDriver) => until(() => driver.said()[0]);
const last = async (driver: StartedDriver) => {
  await until(driver.hasEnded);
  return driver.said().at(-1);
};

describe.runIf(pidNamespacesHere)('drivers in different PID namespaces', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'conductor-lease-'));
    const runsDir = join(root, '.tnh/run');
    const run = await createEmbeddedEngine({ repoRoot: root, runsDir, clock: systemClock }).create(RUN, null);
    await run.append([{ event_type: 'status_updated', step_id: null, payload: { note: 'a' } }]);
    await run.release();
  });

  afterEach(() => rm(root, { recursive: true, force: true }));

  it('get the run one at a time, and the others learn which process has it', async () => {
    const drivers = [1, 2, 3].map(() => startDriver('hold', root, RUN));
    const said = await Promise.all(drivers.map(first));
    expect(said.filter((each) => 'driven' in each)).toHaveLength(1);
    // They have the same pid, each in its own namespace.
    for (const { refused } of said.filter((each) => 'refused' in each))
      expect(refused).toMatch(
        /^process 2 on host \S+ \(its lease runs until 20\S+Z and is renewed while it lives\)$/,
      );
  });

  it('wait for the lease of one that was killed', async () => {
    const killed = startDriver('hold', root, RUN);
    expect(await first(killed)).toMatchObject({ driven: true });
    process.kill(killed.pid(), 'SIGKILL');
    const killedAt = performance.now();
    await until(killed.hasEnded);
    let refusals = 0;
    for (;;) {
      const next = startDriver('hold', root, RUN);
      if ('driven' in (await first(next))) break;
      refusals += 1;
    }
    expect(refusals).toBeGreaterThan(0);
    // It may have renewed its lease up to a quarter of it before it was killed.
    expect(performance.now() - killedAt).toBeGreaterThan(0.75 * LEASE_MS);
  });
});

describe.runIf(pidNamespacesHere)('a driver that is stopped while its agent works', () => {
  let repo: GitRepo;
  let home: string;

  /** The agent of the first attempt hangs; a later one waits for a file, and then does its work. */
  const AGENT = `
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
readFileSync(0);
const home = process.env.HOME;
const attempt = process.env.CONDUCTOR_ATTEMPT;
writeFileSync(home + '/agent-' + attempt, 'started');
const timer = setInterval(() => {
  if (attempt === '1' || !existsSync(home + '/go')) return;
  writeFileSync('answer.txt', '42');
  clearInterval(timer);
}, 20);
`;

  beforeEach(async () => {
    repo = await makeRepo({
      files: {
        'agent.mjs': AGENT,
        '.tnh/config.yaml': 'agents:\n  actor: { kind: command, command: [node, agent.mjs] }\n',
      },
    });
    home = join(repo.root, '..', 'home');
    await mkdir(home);
    await writeFile(join(home, 'workflow.yaml'), oneAgentStep('one-step', 'Write the answer.'));
  });

  afterEach(() => repo.cleanup());

  async function startAndStop(): Promise<{ readonly driver: StartedDriver; readonly runId: string }> {
    const driver = startDriver('run', repo.root, join(home, 'workflow.yaml'));
    const { runId } = await first(driver);
    await until(() => existsSync(join(home, 'agent-1')));
    process.kill(driver.pid(), 'SIGSTOP');
    return { driver, runId: String(runId) };
  }

  const runFile = (runId: string, name: string) => join(repo.root, '.tnh/run', runId, name);

  it('writes nothing after another one has taken over, and its agent is dead', async () => {
    const { driver, runId } = await startAndStop();
    const second = await takeOver(runId);
    await until(() => existsSync(join(home, 'agent-2')));
    expect(attemptsAlive(runId)).toEqual([1, 2]);
    const before = await readFile(runFile(runId, 'events.ndjson'), 'utf8');
    process.kill(driver.pid(), 'SIGCONT');
    const { failed } = (await last(driver)) ?? {};
    expect(failed).toMatch(
      /^the lease on run \S+ ran out: .*; it is now driven by process 2 on host \S+ \(its lease/,
    );
    expect(attemptsAlive(runId)).toEqual([2]);
    expect(await readFile(runFile(runId, 'events.ndjson'), 'utf8')).toBe(before);
    await writeFile(join(home, 'go'), '');
    expect(await last(second)).toEqual({ end: 'ended' });
    expect(await readFile(runFile(runId, 'final-state.txt'), 'utf8')).toBe(
      'completed unverified completed\n',
    );
    expect(readdirSync(runFile(runId, '.')).filter((name) => name.startsWith('lock'))).toEqual([]);
  });

  it('kills its agent and recovers the step if no other process has taken over', async () => {
    const { driver, runId } = await startAndStop();
    const [lock = ''] = readdirSync(runFile(runId, '.')).filter((name) => name.startsWith('lock'));
    const { mtimeMs } = statSync(runFile(runId, lock));
    await until(() => Date.now() - mtimeMs > 1.1 * LEASE_MS);
    process.kill(driver.pid(), 'SIGCONT');
    await until(() => existsSync(join(home, 'agent-2')));
    expect(attemptsAlive(runId)).toEqual([2]);
    await writeFile(join(home, 'go'), '');
    expect(await last(driver)).toEqual({ end: 'ended' });
    expect(await readFile(runFile(runId, 'final-state.txt'), 'utf8')).toBe(
      'completed unverified completed\n',
    );
    expect(await readFile(runFile(runId, 'events.ndjson'), 'utf8')).toContain('"reason":"the lease on run');
  });

  /** Asks again until the lease has run out. */
  async function takeOver(runId: string): Promise<StartedDriver> {
    for (;;) {
      const next = startDriver('resume', repo.root, runId);
      if ('driven' in (await first(next))) return next;
    }
  }

  /** Which attempts of the step have living processes. */
  function attemptsAlive(runId: string): readonly number[] {
    const marks = markedProcesses(runId).map(
      (pid) => /CONDUCTOR_ATTEMPT=(\d+)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1],
    );
    return [...new Set(marks.map(Number))].sort((left, right) => left - right);
  }
});
