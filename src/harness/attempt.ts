import type { UxFlag } from '../contracts/harness-report.ts';

export interface Proposal {
  readonly id: string;
  readonly golden_path: string;
  readonly proposed_path: string;
  readonly kind: 'text' | 'image' | 'binary';
  readonly diff_ref?: string;
  /** Of a picture, how many differ. */
  readonly pixels?: number;
}

/** What one try of a case came to, written down while it goes on. */
export interface Attempt {
  /** Why it failed; none is a pass. */
  readonly problems: string[];
  readonly observations: string[];
  /** References, as they stand in the report. */
  readonly artifacts: string[];
  readonly uxFlags: UxFlag[];
  readonly proposals: Proposal[];
  /** Why it could not be tried at all. */
  skipped: string | null;
}

export function newAttempt(): Attempt {
  return { problems: [], observations: [], artifacts: [], uxFlags: [], proposals: [], skipped: null };
}

export function refer(attempt: Attempt, reference: string): void {
  if (!attempt.artifacts.includes(reference)) attempt.artifacts.push(reference);
}
