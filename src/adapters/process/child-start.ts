import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { ProcessEnd } from '../../contracts/run/process-end.ts';
import { MARK_VARIABLE } from '../../contracts/run/process-mark.ts';
import type { ProcessSpec } from '../../ports/supervisor.ts';
import { messageOf } from '../../text/error-message.ts';
import { resolveProgram } from './program.ts';

export type ExitEnd = Extract<ProcessEnd, { kind: 'exited' | 'signalled' }>;
type SpawnFailed = Extract<ProcessEnd, { kind: 'spawn_failed' }>;

export interface StartedChild {
  readonly pid: number;
  /** Whether the process is the sandbox, which runs the program inside. */
  readonly isSandboxed: boolean;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the process itself has exited, even if other processes still hold its streams open. */
  readonly exited: Promise<ExitEnd>;
  /** Once it has exited, its pid may belong to another process. */
  readonly hasExited: () => boolean;
  readonly closeStreams: () => void;
}

/**
 * Starts the program, or the command line that runs it in a sandbox. `outerMarks` are variables with the marks of
 * the enclosing steps, if an agent started conductor itself.
 */
export async function startChild(
  spec: ProcessSpec,
  sandboxArgv: ProcessSpec['argv'] | null,
  outerMarks: Readonly<Record<string, string>>,
): Promise<StartedChild | SpawnFailed> {
  if (sandboxArgv !== null) {
    const missing = await findMissingProgram(spec);
    if (missing !== null) return missing;
  }
  const [program, ...args] = sandboxArgv ?? spec.argv;
  try {
    const child = spawn(program, args, {
      cwd: spec.cwd,
      env: { ...spec.env, ...outerMarks, [MARK_VARIABLE]: spec.mark },
      detached: true,
      shell: false,
      stdio: [spec.stdin === null && spec.onStart === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    const exited = new Promise<ExitEnd>((settle) => {
      child.once('exit', (exitCode, signal) => settle(exitEnd(exitCode, signal)));
    });
    // The child may end without reading its input; a broken pipe is not a failure of the run.
    child.stdin?.on('error', () => undefined);
    await awaitSpawn(child);
    writeInput(child.stdin, spec);
    return {
      ...readPidAndStreams(child),
      isSandboxed: sandboxArgv !== null,
      exited,
      hasExited: () => child.exitCode !== null || child.signalCode !== null,
      closeStreams: () => {
        for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
      },
    };
  } catch (error) {
    return spawnFailure(error, program, spec.cwd);
  }
}

function writeInput(input: Writable | null, { stdin, onStart }: ProcessSpec): void {
  if (onStart === undefined) {
    input?.end(stdin ?? '');
    return;
  }
  if (stdin !== null) input?.write(stdin);
  onStart({
    write: (text) => void (input?.writable === true && input.write(text)),
    close: () => void input?.end(),
    waitingBytes: () => input?.writableLength ?? 0,
  });
}

/** Checks for the program first: a sandbox would report a missing one with its own message, on the program's stderr. */
async function findMissingProgram({ argv: [program], cwd, env }: ProcessSpec): Promise<SpawnFailed | null> {
  if ((await resolveProgram(program, { cwd, path: env.PATH })) !== null) return null;
  const code = program.includes('/') && existsSync(resolve(cwd, program)) ? 'EACCES' : 'ENOENT';
  return spawnFailure(Object.assign(new Error(code), { code }), program, cwd);
}

function awaitSpawn(child: ChildProcess): Promise<void> {
  return new Promise((settle, fail) => {
    child.once('spawn', settle);
    // Stays registered: without a listener, a later error, such as a signal that can't be delivered, would end conductor.
    child.on('error', fail);
  });
}

function readPidAndStreams(child: ChildProcess): { pid: number; stdout: Readable; stderr: Readable } {
  const { pid, stdout, stderr } = child;
  if (pid === undefined || stdout === null || stderr === null) {
    throw new Error('a spawned process has no pid or no pipes');
  }
  return { pid, stdout, stderr };
}

function exitEnd(exitCode: number | null, signal: NodeJS.Signals | null): ExitEnd {
  return signal === null ? { kind: 'exited', exitCode: exitCode ?? 0 } : { kind: 'signalled', signal };
}

/** The system reports ENOENT both for a missing program and for a missing folder, and names neither. */
function spawnFailure(error: unknown, program: string, cwd: string): SpawnFailed {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN';
  return { kind: 'spawn_failed', code, message: failureMessage(error, code, program, cwd) };
}

function failureMessage(error: unknown, code: string, program: string, cwd: string): string {
  const folder = statSync(cwd, { throwIfNoEntry: false });
  if (folder === undefined) return `no such folder: ${cwd}`;
  if (!folder.isDirectory()) return `not a folder: ${cwd}`;
  if (code === 'EACCES') return `not executable: ${program}`;
  if (code !== 'ENOENT') {
    return `cannot start ${program}: ${messageOf(error)}`;
  }
  if (!program.includes('/')) return `command not found: ${program}`;
  return existsSync(resolve(cwd, program))
    ? `cannot start ${program}: the interpreter it names was not found`
    : `no such program: ${program}`;
}
