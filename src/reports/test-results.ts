import type { CaseStatus } from '../contracts/harness-report.ts';

/** More than this is not read by anybody, and would make a report too large to be one. */
export const CASE_LIMIT = 50_000;
export const TOO_MANY_CASES = `holds more than ${CASE_LIMIT} cases`;

/** One test as a runner reported it, before it becomes a case of a harness report. */
export interface TestResult {
  readonly id: string;
  readonly status: CaseStatus;
  /** Null where the runner is not known: then the whole command is what reproduces it. */
  readonly repro: string | null;
  readonly observations: readonly string[];
  /** The file that the test is in, `test/a.test.ts` or with a line; missing where the runner doesn't say. */
  readonly location?: string | null;
  /** Files as the runner named them. */
  readonly attachments: readonly string[];
  readonly durationMs: number | null;
}

export interface TestResults {
  readonly kind: 'unit' | 'web';
  readonly results: readonly TestResult[];
  /** How long the runner says that all of it took. */
  readonly durationMs: number | null;
  /**
   * What several results of one id are: `reruns` of one test, `perhaps-reruns` where they may also be tests of one name.
   * Unset means tests of one name.
   */
  readonly repeats?: 'reruns' | 'perhaps-reruns';
}

export type Reading =
  | ({ readonly ok: true } & TestResults)
  /** The reason stands behind the name of the file: `is not JSON`. */
  | { readonly ok: false; readonly why: string };

/** How the runner was started. */
export interface Invoked {
  /** The command line as its author wrote it. */
  readonly command: readonly string[];
  /** Where it was started, absolute; with and without links, since runners print either. */
  readonly folders: readonly string[];
  /** The module of the `go.mod` there: Go names packages by it, and not by folders. */
  readonly goModule?: string | null;
}

/** Something that went wrong and belongs to no test in particular. */
export function failureOf(id: string, observation: string, repro: string | null = null): TestResult {
  return { id, status: 'failed', repro, observations: [observation], attachments: [], durationMs: null };
}

export function unreadable(why: string): Reading {
  return { ok: false, why };
}

/** The path as somebody in the folder of the command would write it. */
export function pathFrom(folders: readonly string[], path: string): string {
  const plain = path.replace(/^file:\/\//, '').replace(/\\/g, '/');
  for (const folder of folders) {
    const start = `${folder.replace(/\/+$/, '')}/`;
    if (plain.startsWith(start)) return plain.slice(start.length);
  }
  return plain.replace(/^(?:\.\/)+/, '');
}
