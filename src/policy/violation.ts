import type { ViolationClass } from '../contracts/vocabulary.ts';

export interface PolicyViolation {
  readonly class: ViolationClass;
  /** The path or ref that violates the policy. */
  readonly subject: string;
  readonly message: string;
}

/** The format that the planner parses. */
export function formatViolation(violation: PolicyViolation): string {
  return `${violation.class}: ${violation.subject}`;
}
