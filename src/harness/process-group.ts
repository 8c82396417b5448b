import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';

/** What a command is started with. */
export interface CommandSpec {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string | null;
}

export interface RunningCommand {
  readonly stdout: () => Buffer;
  readonly stderr: () => Buffer;
  /** Settles when the process is gone and its output has been read. */
  readonly ended: Promise<CommandEnd>;
  readonly hasEnded: () => boolean;
  /** Ends it and everything that it started in its group. */
  readonly kill: () => void;
}

export type CommandEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'not_started'; readonly message: string };

/** Output beyond this is read and forgotten: a harness must not fill the memory. */
const OUTPUT_LIMIT_BYTES = 16 * 1024 * 1024;

/** How long output may still come from others that hold the streams of a process that is gone. */
const STREAM_GRACE_MS = 500;

const running = new Set<number>();

/** For a harness that is ended itself: nothing that it started outlives it. */
export function killAllGroups(): void {
  for (const pid of running) killGroup(pid);
}

export function startCommand({ command, cwd, env, stdin }: CommandSpec): RunningCommand {
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    cwd: resolve(cwd),
    env: { ...process.env, ...env },
    // A group of its own, so that what it starts can be ended with it.
    detached: true,
    stdio: [stdin === null ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  const { pid } = child;
  if (pid !== undefined) running.add(pid);
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(stdin ?? '');
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const kill = (): void => {
    if (pid !== undefined) killGroup(pid);
  };
  return {
    stdout,
    stderr,
    kill,
    ended: endOf(child, program, kill),
    hasEnded: () => pid === undefined || child.exitCode !== null || child.signalCode !== null,
  };
}

async function endOf(child: ChildProcess, program: string, kill: () => void): Promise<CommandEnd> {
  const closed = new Promise<void>((settle) => child.once('close', () => settle()));
  const end = await new Promise<CommandEnd>((settle) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      settle({
        kind: 'not_started',
        message: error.code === 'ENOENT' ? `${program} was not found` : error.message,
      }),
    );
    child.once('exit', (code, signal) =>
      settle(signal === null ? { kind: 'exited', code: code ?? 0 } : { kind: 'signalled', signal }),
    );
  });
  kill();
  if (child.pid !== undefined) {
    running.delete(child.pid);
    await streamsClosed(child, closed);
  }
  return end;
}

/** A grandchild in a group of its own may hold the pipes for ever. */
async function streamsClosed(child: ChildProcess, closed: Promise<void>): Promise<void> {
  const timer = setTimeout(() => {
    child.stdout?.destroy();
    child.stderr?.destroy();
  }, STREAM_GRACE_MS);
  await closed;
  clearTimeout(timer);
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}

function collect(stream: NodeJS.ReadableStream | null): () => Buffer {
  const chunks: Buffer[] = [];
  let length = 0;
  stream?.on('data', (chunk: Buffer) => {
    if (length < OUTPUT_LIMIT_BYTES) chunks.push(chunk);
    length += chunk.length;
  });
  return () => Buffer.concat(chunks);
}

/** Waits for the end, and ends it where that takes too long. */
export async function endWithin(
  started: RunningCommand,
  timeoutMs: number,
): Promise<CommandEnd | { readonly kind: 'timeout' }> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<{ readonly kind: 'timeout' }>((settle) => {
    timer = setTimeout(() => settle({ kind: 'timeout' }), timeoutMs);
  });
  const end = await Promise.race([started.ended, timeout]);
  clearTimeout(timer);
  if (end.kind === 'timeout') {
    started.kill();
    await started.ended;
  }
  return end;
}
