import type { CaseStatus } from '../contracts/run/harness-report.ts';
import { stripDotSlash } from '../text/paths.ts';

/** A report with more cases would be too large to be useful. */
export const CASE_LIMIT = 50_000;
export const TOO_MANY_CASES = `contains more than ${CASE_LIMIT} cases`;

/** One test as reported by a runner, before it becomes a case of a harness report. */
export interface TestResult {
  readonly id: string;
  readonly status: CaseStatus;
  /** Null if the runner is unknown; then the whole command reproduces the test. */
  readonly repro: string | null;
  readonly observations: readonly string[];
  /**
   * The file of the test, such as `test/a.test.ts`, optionally with a line; missing if the runner doesn't report
   * it.
   */
  readonly location?: string | null;
  /** Files as named by the runner. */
  readonly attachments: readonly string[];
  readonly durationMs: number | null;
}

export interface TestResults {
  readonly kind: 'unit' | 'web';
  readonly results: readonly TestResult[];
  /** The total duration that the runner reports. */
  readonly durationMs: number | null;
  /**
   * What several results with the same id mean: `reruns` of one test, or `perhaps-reruns` if they may also be
   * different tests. Unset means different tests with the same name.
   */
  readonly repeats?: 'reruns' | 'perhaps-reruns';
}

export type Reading =
  | ({ readonly ok: true } & TestResults)
  /** The reason completes a sentence that starts with the file name: `is not JSON`. */
  | { readonly ok: false; readonly why: string };

/** How the runner was started. */
export interface Invoked {
  /** The command line as its author wrote it. */
  readonly command: readonly string[];
  /** The absolute folder it was started in, with and without symbolic links resolved, since runners print either. */
  readonly folders: readonly string[];
  /** The module of the `go.mod` in that folder: Go names packages by module, not by folder. */
  readonly goModule?: string | null;
}

/** A failure that belongs to no particular test. */
export function createFailure(id: string, observation: string, repro: string | null = null): TestResult {
  return { id, status: 'failed', repro, observations: [observation], attachments: [], durationMs: null };
}

export function unreadable(why: string): Reading {
  return { ok: false, why };
}

/** The path relative to the folder of the command. */
export function pathFrom(folders: readonly string[], path: string): string {
  const plain = path.replace(/^file:\/\//, '').replace(/\\/g, '/');
  for (const folder of folders) {
    const start = `${folder.replace(/\/+$/, '')}/`;
    if (plain.startsWith(start)) return plain.slice(start.length);
  }
  return stripDotSlash(plain);
}
