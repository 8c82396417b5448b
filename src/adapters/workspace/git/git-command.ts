import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { ExpectedFailure } from '../../../contracts/expected-failure.ts';
import { gitMarkOf, MARK_VARIABLE } from '../../../contracts/run/process-mark.ts';

/** Set on every command, so that no hook or helper from the user's configuration changes what the command does. */
const FIXED_SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.quotePath=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'commit.gpgsign=false',
  'submodule.recurse=false',
  'advice.addEmbeddedRepo=false',
].flatMap((setting) => ['-c', setting]);

const IDENTITY = { name: 'conductor', email: 'conductor@localhost' };

const STDOUT_LIMIT_BYTES = 256 * 1024 * 1024;
const STDERR_LIMIT_BYTES = 64 * 1024;
/** Long enough for git to remove its lock files. */
const STOP_GRACE_MS = 2000;
/** About four seconds: with many runs on few cores, the holder of a lock may have to wait for a core. */
const LOCK_RETRIES = 60;
const LOCK_RETRY_STEP_MS = 10;
const LOCK_RETRY_CEILING_MS = 100;

/** Errors of a race with another git process in the same repository; a retry is likely to succeed. */
const LOCK_CONTENTION =
  /\.lock': (File exists|No such file or directory)|another git process seems to be running|failed to read .*(commondir|gitdir)|unable to create directory for/i;

/** Git failed, or conductor refused to start it. */
export class GitError extends ExpectedFailure {
  override readonly name = 'GitError';
  readonly argv: readonly string[];
  /** Null if no git process exited by itself. */
  readonly exitCode: number | null;
  /** The line of stderr that says what went wrong. */
  readonly detail: string;

  constructor(argv: readonly string[], exitCode: number | null, detail: string, cause?: unknown) {
    const command = argv.slice(0, 2).join(' ');
    super(command === '' ? detail : `git ${command} failed: ${detail}`, { cause });
    this.argv = argv;
    this.exitCode = exitCode;
    this.detail = detail;
  }
}

export interface GitPlace {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Settings of this place, each as `key=value`. */
  readonly settings?: readonly string[];
  readonly signal?: AbortSignal | undefined;
  /** The run that the commands work for: after a crash, `resume` finds git processes of that run by this mark. */
  readonly runId?: string;
}

export interface GitCall {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Buffer;
  /** Settings of this call, each as `key=value`. */
  readonly settings?: readonly string[];
  /** Exit codes other than 0 that are answers and not failures. */
  readonly answers?: readonly number[];
  readonly retryLocks?: boolean;
}

export interface GitResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Git with a fixed folder, environment and signal. */
export type Git = (argv: readonly string[], call?: GitCall) => Promise<GitResult>;

export function createGit(place: GitPlace): Git {
  const runOnce = async (argv: readonly string[], call: GitCall): Promise<GitResult> => {
    const ended = await spawnGit(argv, call, place);
    if (ended.exitCode !== 0 && !call.answers?.includes(ended.exitCode)) {
      throw new GitError(argv, ended.exitCode, errorLine(ended.stderr, ended.exitCode));
    }
    return ended;
  };
  return (argv, call = {}) =>
    call.retryLocks === true ? retryOnLocks(() => runOnce(argv, call), place.signal) : runOnce(argv, call);
}

/** The single value that git printed. Only git's own line feed is cut, because a path may end in one. */
export function printedValue(result: GitResult): string {
  const text = result.stdout.toString('utf8');
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

async function retryOnLocks<T>(attempt: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      const contended = error instanceof GitError && LOCK_CONTENTION.test(error.detail);
      if (!contended || tries > LOCK_RETRIES || signal?.aborted) throw error;
      const ceiling = Math.min(tries * LOCK_RETRY_STEP_MS, LOCK_RETRY_CEILING_MS);
      await delay(ceiling * (0.5 + Math.random() / 2));
    }
  }
}

function spawnGit(argv: readonly string[], call: GitCall, place: GitPlace): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const { signal } = place;
    if (signal?.aborted) {
      reject(new GitError(argv, null, 'cancelled before it started', signal.reason));
      return;
    }
    // `detached` gives git its own session: Ctrl-C in the terminal must not interrupt a snapshot, and git must find no
    // terminal to prompt on.
    const own = [...(place.settings ?? []), ...(call.settings ?? [])];
    const settings = own.flatMap((setting) => ['-c', setting]);
    const child = spawn('git', [...FIXED_SETTINGS, ...settings, ...argv], {
      cwd: place.cwd,
      env: { ...cleanEnvironment(), ...markOf(place), ...place.env, ...call.env },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const group = createGroupStop(child.pid);
    const cancel = group.stop;
    const stdout = collect(STDOUT_LIMIT_BYTES, group.stop);
    const stderr = collect(STDERR_LIMIT_BYTES);
    signal?.addEventListener('abort', cancel, { once: true });
    child.stdout.on('data', stdout.take);
    child.stderr.on('data', stderr.take);
    // A git that fails early closes its input; the exit code says more than the broken pipe.
    child.stdin.on('error', () => undefined);
    child.stdin.end(call.stdin ?? '');
    child.on('error', (error) => {
      signal?.removeEventListener('abort', cancel);
      reject(new GitError(argv, null, `git could not be started: ${error.message}`, error));
    });
    child.on('close', (exitCode, killedBy) => {
      signal?.removeEventListener('abort', cancel);
      group.ended();
      if (stdout.overflowed()) {
        reject(new GitError(argv, null, `the output is larger than ${STDOUT_LIMIT_BYTES} bytes`));
      } else if (exitCode !== 0 && signal?.aborted) {
        reject(new GitError(argv, exitCode, 'cancelled', signal.reason));
      } else if (exitCode === null) {
        reject(new GitError(argv, null, `killed by ${killedBy ?? 'a signal'}`));
      } else {
        resolve({ exitCode, stdout: stdout.bytes(), stderr: stderr.bytes().toString('utf8') });
      }
    });
  });
}

function markOf({ runId }: GitPlace): Record<string, string> {
  return runId === undefined ? {} : { [MARK_VARIABLE]: `${gitMarkOf(runId)}/${process.pid}` };
}

/** Git starts filters and more git processes. All of them hold its pipes open, so they are stopped together. */
function createGroupStop(pid: number | undefined) {
  let lastResort: NodeJS.Timeout | undefined;
  const signalGroup = (name: NodeJS.Signals): void => {
    try {
      if (pid !== undefined) process.kill(-pid, name);
    } catch {
      // The group has already exited.
    }
  };
  return {
    stop: (): void => {
      signalGroup('SIGTERM');
      lastResort ??= setTimeout(() => signalGroup('SIGKILL'), STOP_GRACE_MS);
    },
    ended: (): void => clearTimeout(lastResort),
  };
}

function collect(limitBytes: number, onOverflow?: () => void) {
  const chunks: Buffer[] = [];
  let size = 0;
  let over = false;
  return {
    take: (chunk: Buffer): void => {
      if (size + chunk.length > limitBytes) {
        over = true;
        onOverflow?.();
        return;
      }
      size += chunk.length;
      chunks.push(chunk);
    },
    bytes: (): Buffer => Buffer.concat(chunks),
    overflowed: (): boolean => over,
  };
}

/**
 * Drops inherited GIT_* variables: a GIT_DIR or GIT_INDEX_FILE of the parent process (a hook, an alias) would redirect
 * every command.
 */
function cleanEnvironment(): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.toUpperCase().startsWith('GIT_'));
  return {
    ...Object.fromEntries(inherited),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    // Don't fetch missing objects of a partial clone: conductor works offline. (Git before 2.44 ignores this.)
    GIT_NO_LAZY_FETCH: '1',
    GIT_AUTHOR_NAME: IDENTITY.name,
    GIT_AUTHOR_EMAIL: IDENTITY.email,
    GIT_COMMITTER_NAME: IDENTITY.name,
    GIT_COMMITTER_EMAIL: IDENTITY.email,
  };
}

/** The line of stderr that names the error, else its first line. */
function errorLine(stderr: string, exitCode: number): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const error = lines.find((line) => /^(fatal|error):/.test(line)) ?? lines[0];
  return error ?? `exit code ${exitCode} and no message`;
}
