import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessEnd, StoppedEnd } from '../../contracts/run/process-end.ts';
import { secretValuesOf } from '../../policy/secrets/secrets.ts';
import type { Sandbox } from '../../ports/sandbox.ts';
import type { ProcessResult, ProcessSpec, Supervisor } from '../../ports/supervisor.ts';
import { type BoundWatch, type ProcessBounds, watchBounds } from './bound-watch.ts';
import { type StartedChild, startChild } from './child-start.ts';
import { isGroupAlive, signalExists, sweep, terminateGroup } from './mark-sweep.ts';
import { raiseOomScore } from './step-processes.ts';
import { openStreamCapture, type StreamCapture } from './stream-capture.ts';

interface LimitWatch {
  /** The first reason to stop the process, decided before any signal is sent. */
  readonly stopped: Promise<StoppedEnd>;
  readonly noteActivity: () => void;
  readonly lastActivityMs: () => number;
  readonly release: () => void;
}

/** Node fires a timer with a longer delay immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function watchLimits(spec: Pick<ProcessSpec, 'timeoutMs' | 'idleTimeoutMs' | 'signal'>): LimitWatch {
  let lastActivityMs = performance.now();
  let stop: (end: StoppedEnd) => void = () => undefined;
  const stopped = new Promise<StoppedEnd>((settle) => {
    stop = settle;
  });

  const wallClock = startTimer(spec.timeoutMs, () => stop({ kind: 'timeout' }));
  const idle =
    spec.idleTimeoutMs === null
      ? null
      : startTimer(spec.idleTimeoutMs, () => {
          // Timers run before reads: if this process stalled, there may be unread output. Let the reads run first.
          const firedMs = performance.now();
          setImmediate(() => (lastActivityMs > firedMs ? undefined : stop({ kind: 'idle' })));
        });
  const onAbort = (): void => stop({ kind: 'cancelled' });
  spec.signal?.addEventListener('abort', onAbort, { once: true });
  if (spec.signal?.aborted === true) stop({ kind: 'cancelled' });

  return {
    stopped,
    noteActivity: () => {
      lastActivityMs = performance.now();
      idle?.refresh();
    },
    lastActivityMs: () => lastActivityMs,
    release: () => {
      clearTimeout(wallClock);
      if (idle !== null) clearTimeout(idle);
      spec.signal?.removeEventListener('abort', onAbort);
    },
  };
}

function startTimer(delayMs: number, onFire: () => void): NodeJS.Timeout {
  return setTimeout(onFire, Math.min(delayMs, LONGEST_TIMER_MS));
}

/** Default limits of agents and validators. */
export const DEFAULT_PROCESS_LIMITS = { captureLimitBytes: 16 * 1024 * 1024, graceMs: 5_000 } as const;

const POLL_MS = 20;
/** A process in an uninterruptible wait survives even KILL; conductor waits no longer than this for it. */
const KILL_WAIT_MS = 2_000;
/**
 * Output is complete once all processes of the step have exited, but an unrelated process may still hold the pipe open.
 * So reading ends after this much silence.
 */
const DRAIN_QUIET_MS = 250;
const DRAIN_LIMIT_MS = 2_000;

export interface SupervisorDeps {
  /** Null if none is available: then only checks after the step find what a process did outside of its confinement. */
  readonly sandbox: Sandbox | null;
  /** Values to mask in captured streams, in addition to the secrets in a process's own environment. */
  readonly secrets: readonly string[];
  /** Environment variable with the marks of the outer steps that this conductor runs in. Default: none. */
  readonly outerMarks?: Readonly<Record<string, string>>;
  /** What all processes of one start may use together. Default: no bounds. */
  readonly bounds?: ProcessBounds;
}

export function createSupervisor(deps: SupervisorDeps = { sandbox: null, secrets: [] }): Supervisor {
  return { run: (spec) => runProcess(deps, spec) };
}

async function runProcess(deps: SupervisorDeps, spec: ProcessSpec): Promise<ProcessResult> {
  const { sandbox, secrets, outerMarks = {}, bounds } = deps;
  const startedMs = performance.now();
  const capture = {
    limitBytes: spec.captureLimitBytes,
    onLine: spec.onLine,
    secrets: [...secrets, ...secretValuesOf(spec.env)],
  };
  const stdout = await openStreamCapture(spec.stdoutPath, { ...capture, onOutput: spec.onOutput });
  const stderr = await openStreamCapture(spec.stderrPath, capture);
  const finish = async (end: ProcessEnd, leftovers: number): Promise<ProcessResult> => ({
    end,
    leftovers,
    stdout: await stdout.close(),
    stderr: await stderr.close(),
    durationMs: Math.round(performance.now() - startedMs),
  });

  if (spec.signal?.aborted === true) return finish({ kind: 'cancelled' }, 0);
  const sandboxArgv =
    sandbox === null || spec.confinement === null
      ? null
      : await sandbox.wrapCommand(spec.argv, spec.cwd, spec.confinement);
  const child = await startChild(spec, sandboxArgv, outerMarks);
  if ('kind' in child) return finish(child, 0);
  raiseOomScore(child.pid);
  const boundWatch =
    bounds === undefined
      ? NO_BOUNDS
      : watchBounds(bounds, { leader: child.pid, mark: spec.mark, folders: writableFolders(spec) });
  try {
    const { end, leftovers } = await supervise(spec, child, { stdout, stderr, boundWatch });
    return await finish(end, leftovers);
  } catch (error) {
    await Promise.allSettled([stdout.close(), stderr.close()]);
    throw error;
  }
}

const NO_BOUNDS: BoundWatch = { passed: new Promise(() => {}), release: () => undefined };

function writableFolders({ cwd, confinement }: ProcessSpec): readonly string[] {
  return confinement === null ? [cwd] : confinement.writable;
}

interface Watching {
  readonly stdout: StreamCapture;
  readonly stderr: StreamCapture;
  readonly boundWatch: BoundWatch;
}

async function supervise(
  spec: ProcessSpec,
  child: StartedChild,
  { stdout, stderr, boundWatch }: Watching,
): Promise<{ end: ProcessEnd; leftovers: number }> {
  const watch = watchLimits(spec);
  const reading = Promise.all([
    stdout.read(child.stdout, watch.noteActivity),
    stderr.read(child.stderr, watch.noteActivity),
  ]);
  // A callback that throws on a line is a bug to report, but only after the process and its children are gone.
  const readFailure = reading.then(() => new Promise<never>(() => {}));
  try {
    const end = await Promise.race([child.exited, watch.stopped, boundWatch.passed, readFailure]);
    watch.release();
    boundWatch.release();
    if (isStopped(end)) await stop(child, spec, end);
    return { end, leftovers: await sweep(spec.mark, child.pid) };
  } catch (error) {
    await stopGroup(child, { ...spec, graceMs: 0 });
    await sweep(spec.mark, child.pid);
    throw error;
  } finally {
    watch.release();
    boundWatch.release();
    await drain(child, reading, watch);
  }
}

function isStopped(end: ProcessEnd): end is StoppedEnd {
  return end.kind === 'timeout' || end.kind === 'idle' || end.kind === 'cancelled' || end.kind === 'bound';
}

/** Stops a process that has not exited, for the reason that `end` gives. */
async function stop(child: StartedChild, spec: ProcessSpec, end: StoppedEnd): Promise<void> {
  const isBound = end.kind === 'bound';
  // A process that exceeded a bound gets no grace period, because every moment makes it worse.
  if (isBound) signalGroup(child, 'SIGKILL');
  try {
    if (end.kind !== 'cancelled') await spec.onStop?.(end);
  } catch {
    // A record that can't be written must not keep the process alive; the next write reports the failure.
  }
  if (isBound) await waitForGroup(child, KILL_WAIT_MS);
  else await stopGroup(child, spec);
}

/**
 * Sends TERM, waits for the grace period and sends KILL, each to the whole group. The grace period ends early if the
 * group exits. When a sandbox exits, all processes inside are killed, so the sandbox itself gets no TERM.
 */
async function stopGroup(
  child: StartedChild,
  { graceMs, mark }: Pick<ProcessSpec, 'graceMs' | 'mark'>,
): Promise<void> {
  if (child.isSandboxed) await terminateGroup(mark, child.pid);
  else signalGroup(child, 'SIGTERM');
  await waitForGroup(child, graceMs);
  signalGroup(child, 'SIGKILL');
  await waitForGroup(child, KILL_WAIT_MS);
}

function signalGroup(child: StartedChild, signal: NodeJS.Signals): void {
  // Once the leader is reaped, its pid is free: a living process with that pid is not ours.
  if (child.hasExited() && signalExists(child.pid)) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group has already exited.
  }
}

async function waitForGroup(child: StartedChild, limitMs: number): Promise<void> {
  const deadline = performance.now() + limitMs;
  await settledWithin(child.exited, limitMs);
  while (performance.now() < deadline && (await isGroupAlive(child.pid))) await delay(POLL_MS);
}

async function drain(child: StartedChild, reading: Promise<unknown>, watch: LimitWatch): Promise<void> {
  const startMs = performance.now();
  const isQuiet = (): boolean =>
    performance.now() - Math.max(startMs, watch.lastActivityMs()) > DRAIN_QUIET_MS ||
    performance.now() - startMs > DRAIN_LIMIT_MS;
  while (!(await settledWithin(reading, POLL_MS)) && !isQuiet());
  child.closeStreams();
  await reading;
}

async function settledWithin(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  const timer = new AbortController();
  const settled = promise.then(
    () => true,
    () => true,
  );
  const late = delay(limitMs, false, { signal: timer.signal }).catch(() => false);
  const result = await Promise.race([settled, late]);
  timer.abort();
  return result;
}
