import type { ViolationClass } from '../contracts/vocabulary.ts';

export interface Violation {
  readonly class: ViolationClass;
  /** The path or ref it is about. */
  readonly subject: string;
  readonly message: string;
}

/** The form in which the planner reads it. */
export function formatViolation(violation: Violation): string {
  return `${violation.class}: ${violation.subject}`;
}
