import type { ProcessEnd, StopCause } from '../contracts/run/process-end.ts';
import type { Confinement } from './sandbox.ts';

/** Runs one process and, at its end, kills all descendants that are still alive. */
export interface Supervisor {
  readonly run: (spec: ProcessSpec) => Promise<ProcessResult>;
}

export interface ProcessSpec {
  /** Program and arguments; never a shell line. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** The sandbox settings. Null gives the process the same access as conductor. */
  readonly confinement: Confinement | null;
  /** The complete environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string | null;
  readonly stdoutPath: string;
  readonly stderrPath: string;
  /** Bytes stored per stream; the rest is counted and dropped. */
  readonly captureLimitBytes: number;
  readonly timeoutMs: number;
  /** How long both streams may be silent. Null disables the check. */
  readonly idleTimeoutMs: number | null;
  /** Time between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** Set as `CONDUCTOR_MARK`, so that every descendant can be found whatever session it moved to. */
  readonly mark: string;
  /** Aborting stops the process as `cancelled`. */
  readonly signal: AbortSignal | null;
  /** Called with the exceeded limit and awaited before the process is asked to stop, so that the cause is recorded. */
  readonly onStop: ((cause: StopCause) => Promise<void>) | null;
  /** The newest whole line, for live views. Called often; must be cheap. */
  readonly onLine: ((line: string) => void) | null;
  /**
   * Receives all of standard output in chunks, with secrets and beyond the capture limit, for callers that parse it.
   * Called often; must be cheap.
   */
  readonly onOutput?: (chunk: Buffer) => void;
  /** Called when the process has started, with its standard input, which then stays open until the caller closes it. */
  readonly onStart?: (input: LiveInput) => void;
}

/** The standard input of a running process. Text written after its end is lost. */
export interface LiveInput {
  readonly write: (text: string) => void;
  readonly close: () => void;
  /** Bytes written that the process has not read yet. */
  readonly waitingBytes: () => number;
}

export interface CapturedStream {
  readonly path: string;
  /** All bytes that the process wrote, stored or not. Secrets are masked in stored output and in `lastLine`. */
  readonly bytes: number;
  readonly cutBytes: number;
  readonly lastLine: string | null;
}

export interface ProcessResult {
  readonly end: ProcessEnd;
  readonly durationMs: number;
  readonly stdout: CapturedStream;
  readonly stderr: CapturedStream;
  /** Number of descendants that were still alive at the end and were killed. */
  readonly leftovers: number;
}

/**
 * Resolves a program name to a file: a name with a slash against `cwd`, a bare one along `path`. Null if there is no
 * such file or it is not executable.
 */
export type ResolveProgram = (
  program: string,
  place: { readonly cwd: string; readonly path: string | undefined },
) => Promise<string | null>;
