import { open } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Command } from '../../contracts/config/setup-config.ts';
import type { ProcessEnd } from '../../contracts/run/process-end.ts';
import type { Supervisor } from '../../ports/supervisor.ts';
import type { SetupCommand, SetupRequest } from '../../ports/workspace/setup.ts';
import { excerptOutput } from '../../setup/excerpt-output.ts';

export interface CommandDeps {
  readonly supervisor: Supervisor;
  readonly captureLimitBytes: number;
  readonly graceMs: number;
}

export type CommandsResult =
  | { readonly ok: true; readonly commands: readonly SetupCommand[] }
  | {
      readonly ok: false;
      readonly commands: readonly SetupCommand[];
      readonly reason: string;
      readonly exitCode: number | null;
      readonly cancelled: boolean;
    };

/** Runs the commands in order, in the checkout, without a shell, until one of them fails. */
export async function runCommands(
  deps: CommandDeps,
  list: readonly Command[],
  timeoutMs: number,
  request: SetupRequest,
): Promise<CommandsResult> {
  const commands: SetupCommand[] = [];
  const deadlineMs = performance.now() + timeoutMs;
  for (const [index, command] of list.entries()) {
    const [program, ...args] = command;
    const name = `${String(index + 1).padStart(2, '0')}-${basename(program).replace(/[^\w.-]/g, '_')}`;
    const ran = await deps.supervisor.run({
      argv: [program.includes('/') ? resolve(request.checkout, program) : program, ...args],
      cwd: request.checkout,
      confinement: request.confinement,
      env: request.env,
      stdin: null,
      stdoutPath: join(request.evidenceDir, `${name}.stdout.txt`),
      stderrPath: join(request.evidenceDir, `${name}.stderr.txt`),
      captureLimitBytes: deps.captureLimitBytes,
      timeoutMs: Math.max(1, Math.round(deadlineMs - performance.now())),
      idleTimeoutMs: null,
      graceMs: deps.graceMs,
      mark: `${request.mark}/${name}`,
      signal: request.signal,
      onStop: null,
      onLine: request.onLine,
    });
    const exitCode = ran.end.kind === 'exited' ? ran.end.exitCode : null;
    commands.push({
      command,
      exitCode,
      durationMs: ran.durationMs,
      stdoutPath: ran.stdout.path,
      stderrPath: ran.stderr.path,
    });
    if (exitCode === 0) continue;
    const ending = describeEnd(command, ran.end, timeoutMs);
    const output = [...(await excerpt(ran.stdout.path)), ...(await excerpt(ran.stderr.path))];
    const reason = output.length === 0 ? ending : `${ending}\n${output.join('\n')}`;
    return { ok: false, commands, reason, exitCode, cancelled: ran.end.kind === 'cancelled' };
  }
  return { ok: true, commands };
}

function describeEnd(command: Command, end: ProcessEnd, timeoutMs: number): string {
  const line = `setup: \`${command.join(' ')}\``;
  switch (end.kind) {
    case 'exited':
      return `${line} exited with code ${end.exitCode}`;
    case 'signalled':
      return `${line} was killed by ${end.signal}`;
    case 'spawn_failed':
      return `${line} could not be started: ${end.message}`;
    case 'timeout':
    case 'idle':
      return `${line} was stopped: setup took longer than ${timeoutMs / 1000} s`;
    case 'bound':
      return `${line} was stopped: ${end.message}`;
    case 'cancelled':
      return `${line} was cancelled`;
  }
}

const SHOWN_BYTES = 4_096;

/** The beginning and the end of a captured stream. */
async function excerpt(path: string): Promise<readonly string[]> {
  const file = await open(path, 'r').catch(() => null);
  if (file === null) return [];
  const read = async (start: number) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SHOWN_BYTES), 0, SHOWN_BYTES, start);
    return buffer.toString('utf8', 0, bytesRead);
  };
  try {
    const { size } = await file.stat();
    if (size <= SHOWN_BYTES) return excerptOutput(await read(0), null);
    return excerptOutput(await read(0), await read(Math.max(SHOWN_BYTES, size - SHOWN_BYTES)));
  } finally {
    await file.close();
  }
}
