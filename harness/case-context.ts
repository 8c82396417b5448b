import { parseDuration } from '../src/contracts/duration.ts';
import type { Duration } from './case.ts';
import type { Goldens } from './goldens.ts';
import type { OutFolder } from './out-folder.ts';

/** Shared by all cases of a suite. */
export interface CaseContext {
  readonly suiteId: string;
  /** The folder in which the harness was started: the repository. */
  readonly cwd: string;
  readonly goldens: Goldens;
  readonly out: OutFolder;
  readonly env: NodeJS.ProcessEnv;
  /** A command line that reruns one case. */
  readonly repro: (caseId: string) => string;
}

const DEFAULT_TIMEOUT_MS = 60_000;

export function parseTimeoutMs(timeout: Duration | undefined): number {
  if (timeout === undefined) return DEFAULT_TIMEOUT_MS;
  const ms = parseDuration(timeout);
  if (ms === null) throw new Error(`the timeout ${JSON.stringify(timeout)} is not a duration`);
  return ms;
}

export function formatSeconds(ms: number): string {
  return `${ms / 1000} s`;
}
