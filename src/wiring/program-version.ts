import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';

/** Long enough for a large program on a busy machine, short enough for somebody who waits. */
const PATIENCE_MS = 15_000;
/** A version is on the first page of what a program prints. */
const READ_BYTES = 8_192;
const VERSION_LENGTH = 80;

export interface VersionAnswer {
  /** In the program's own words; null when it told none. */
  readonly version: string | null;
  /** What is wrong with the program, as in `it …`; null when it told its version. */
  readonly trouble: string | null;
}

/** Asks a program for its version. Whatever it has started for that is ended with it. */
export function askVersion(
  path: string,
  env: NodeJS.ProcessEnv,
  patienceMs = PATIENCE_MS,
): Promise<VersionAnswer> {
  return new Promise((resolve) => {
    let told = '';
    let exited: VersionAnswer | null = null;
    const child = spawn(path, ['--version'], {
      // In a group of its own: a script that hangs has often started what hangs.
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
      end(exited ?? trouble(`had not told its version after ${patienceMs / 1_000} s`));
    }, patienceMs);
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      if (told.length < READ_BYTES) told += chunk;
    });
    child.on('error', (error) => end(trouble(`can't be started: ${error.message}`)));
    child.on('exit', (code, signal) => {
      exited = answerOf(told, code, signal);
      // Whoever it leaves behind would keep its output open.
      endGroup(child.pid);
    });
    child.on('close', (code, signal) => end(answerOf(told, code, signal)));
  });
}

function answerOf(told: string, code: number | null, signal: NodeJS.Signals | null): VersionAnswer {
  if (signal !== null) return trouble(`was ended by ${signal} when asked for its version`);
  if (code !== 0) return trouble(`exits with code ${code} when asked for its version`);
  const line = told.split('\n').find((each) => /\d+\.\d+/.test(each));
  if (line === undefined) return trouble('tells no version');
  // Colours and whatever else moves the cursor.
  const plain = stripVTControlCharacters(line).replaceAll(/\p{Cc}/gu, '');
  return { version: plain.trim().slice(0, VERSION_LENGTH), trouble: null };
}

function trouble(what: string): VersionAnswer {
  return { version: null, trouble: what };
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody of it is left.
  }
}
