import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';

export interface CommandSpec {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string | null;
}

export interface RunningCommand {
  readonly stdout: () => Buffer;
  readonly stderr: () => Buffer;
  /** Resolves when the process has ended and its output has been read. */
  readonly ended: Promise<CommandEnd>;
  readonly hasEnded: () => boolean;
  /** Kills the process and everything in its process group. */
  readonly kill: () => void;
}

export type CommandEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'not_started'; readonly message: string };

/** Output beyond this is discarded, to bound the memory. */
const OUTPUT_LIMIT_BYTES = 16 * 1024 * 1024;

/** How long to wait for the streams of an exited command that a descendant still holds open. */
const STREAM_GRACE_MS = 500;

const running = new Set<number>();

/** Called when the harness itself is stopped, so that no started process outlives it. */
export function killAllGroups(): void {
  for (const pid of running) killGroup(pid);
}

export function startCommand({ command, cwd, env, stdin }: CommandSpec): RunningCommand {
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    cwd: resolve(cwd),
    env: { ...process.env, ...env },
    // Its own process group, so that its children can be killed with it.
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
    ended: waitForExit(child, program, kill),
    hasEnded: () => pid === undefined || child.exitCode !== null || child.signalCode !== null,
  };
}

async function waitForExit(child: ChildProcess, program: string, kill: () => void): Promise<CommandEnd> {
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
  // Ends the descendants that the command left running in its process group.
  kill();
  if (child.pid !== undefined) {
    running.delete(child.pid);
    await awaitStreams(child, closed);
  }
  return end;
}

/**
 * Waits for the streams, with a timeout: a grandchild in its own process group may hold the pipes forever.
 */
async function awaitStreams(child: ChildProcess, closed: Promise<void>): Promise<void> {
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
    // The group has ended already.
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

/** Waits for the end of the command, and kills it after the timeout. */
export async function waitOrKill(
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
