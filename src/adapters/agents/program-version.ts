import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';

/** Long enough for a large program on a busy machine, short enough for a waiting user. */
const TIMEOUT_MS = 15_000;
/** The version is near the beginning of the output. */
const READ_BYTES = 8_192;
const VERSION_LENGTH = 80;

export interface VersionAnswer {
  /** As the program prints it; null if it prints none. */
  readonly version: string | null;
  /** What is wrong with the program, to be read after `it`; null if it printed its version. */
  readonly problem: string | null;
}

/** Runs a program with `--version`. Kills all processes that it started. */
export function askVersion(
  path: string,
  env: NodeJS.ProcessEnv,
  timeoutMs = TIMEOUT_MS,
): Promise<VersionAnswer> {
  return new Promise((resolve) => {
    let output = '';
    let exited: VersionAnswer | null = null;
    const child = spawn(path, ['--version'], {
      // In its own process group: when a script hangs, it is often one of its children that hangs.
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: env.PATH, HOME: env.HOME, DISABLE_AUTOUPDATER: '1', NO_COLOR: '1' },
    });
    const end = (answer: VersionAnswer): void => {
      clearTimeout(timer);
      endGroup(child.pid);
      child.stdout.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => {
      end(exited ?? reportProblem(`printed no version within ${timeoutMs / 1_000} s`));
    }, timeoutMs);
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      if (output.length < READ_BYTES) output += chunk;
    });
    child.on('error', (error) => end(reportProblem(`can't be started: ${error.message}`)));
    child.on('exit', (code, signal) => {
      exited = readAnswer(output, code, signal);
      // A child that outlives the program would keep its output open.
      endGroup(child.pid);
    });
    child.on('close', (code, signal) => end(readAnswer(output, code, signal)));
  });
}

function readAnswer(output: string, code: number | null, signal: NodeJS.Signals | null): VersionAnswer {
  if (signal !== null) return reportProblem(`was killed by ${signal} when asked for its version`);
  if (code !== 0) return reportProblem(`exits with code ${code} when asked for its version`);
  const line = output.split('\n').find((each) => /\d+\.\d+/.test(each));
  if (line === undefined) return reportProblem('prints no version');
  // Remove colours and other control characters.
  const plain = stripVTControlCharacters(line).replaceAll(/\p{Cc}/gu, '');
  return { version: plain.trim().slice(0, VERSION_LENGTH), problem: null };
}

function reportProblem(what: string): VersionAnswer {
  return { version: null, problem: what };
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The process group is already empty.
  }
}
