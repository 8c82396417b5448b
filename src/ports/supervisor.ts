import type { ProcessEnd, StopCause } from '../contracts/process-end.ts';
import type { Confinement } from './sandbox.ts';

/** Runs one process with everything it starts, and leaves none of it behind. */
export interface Supervisor {
  readonly run: (spec: ProcessSpec) => Promise<ProcessResult>;
}

export interface ProcessSpec {
  /** Program and arguments; never a shell line. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** What it gets of the machine, where there is a sandbox. Null leaves it as free as the conductor is. */
  readonly confinement: Confinement | null;
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string | null;
  readonly stdoutPath: string;
  readonly stderrPath: string;
  /** Bytes kept of each stream; the rest is counted and cut. */
  readonly captureLimitBytes: number;
  readonly timeoutMs: number;
  /** Silence on both streams. Null switches the check off. */
  readonly idleTimeoutMs: number | null;
  /** Between TERM and KILL. */
  readonly graceMs: number;
  /** Set as `CONDUCTOR_MARK`, so that every descendant can be found whatever session it moved to. */
  readonly mark: string;
  /** Aborting stops the process as `cancelled`. */
  readonly signal: AbortSignal | null;
  /** Told which limit was passed, and waited for, before the process is asked to end: its own end is no evidence. */
  readonly onStop: ((cause: StopCause) => Promise<void>) | null;
  /** The newest whole line, for live views. Called often; must be cheap. */
  readonly onLine: ((line: string) => void) | null;
  /**
   * All of standard output, piece by piece and with its secrets, also past what is kept: for who has to understand it.
   * Called often; must be cheap.
   */
  readonly onOutput?: (chunk: Buffer) => void;
  /** Told when it runs, with its standard input, which stays open after `stdin` until somebody closes it. */
  readonly onStart?: (input: LiveInput) => void;
}

/** The standard input of a process that runs. What is written to one that has ended is lost. */
export interface LiveInput {
  readonly write: (text: string) => void;
  readonly close: () => void;
  /** Written, and not yet taken by the process. */
  readonly waitingBytes: () => number;
}

export interface CapturedStream {
  readonly path: string;
  /** All bytes the process wrote, kept or not. Secrets among them are masked in what is kept and told. */
  readonly bytes: number;
  readonly cutBytes: number;
  readonly lastLine: string | null;
}

export interface ProcessResult {
  readonly end: ProcessEnd;
  readonly durationMs: number;
  readonly stdout: CapturedStream;
  readonly stderr: CapturedStream;
  /** Descendants that were still alive after the end and had to be ended. */
  readonly leftovers: number;
}

/**
 * The file that a program name stands for: a name with a slash against `cwd`, a bare one along `path`.
 * Null when there is no such file or it may not be executed.
 */
export type ResolveProgram = (
  program: string,
  place: { readonly cwd: string; readonly path: string | undefined },
) => Promise<string | null>;
