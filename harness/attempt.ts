import type { UxFlag } from '../src/contracts/run/harness-report.ts';

export interface Proposal {
  readonly id: string;
  readonly golden_path: string;
  readonly proposed_path: string;
  readonly kind: 'text' | 'image' | 'binary';
  readonly diff_ref?: string;
  /** Number of differing pixels of an image. */
  readonly pixels?: number;
}

/** The result of one attempt at a case, filled in while it runs. */
export interface Attempt {
  /** Why it failed; empty for a pass. */
  readonly problems: string[];
  readonly observations: string[];
  /** References to files, as in the report. */
  readonly artifacts: string[];
  readonly uxFlags: UxFlag[];
  readonly proposals: Proposal[];
  /** Why it could not run at all. */
  skipped: string | null;
}

export function createAttempt(): Attempt {
  return { problems: [], observations: [], artifacts: [], uxFlags: [], proposals: [], skipped: null };
}

export function addReference(attempt: Attempt, reference: string): void {
  if (!attempt.artifacts.includes(reference)) attempt.artifacts.push(reference);
}
