import { ExpectedFailure } from '../../contracts/expected-failure.ts';
import type { Violation } from '../../kernel/protocol.ts';

/** A step whose work can't be looked at any more, with what was seen of it all the same. */
export class StepFailure extends ExpectedFailure {
  override readonly name = 'StepFailure';
  readonly violations: readonly Violation[];

  constructor(message: string, violations: readonly Violation[], cause: unknown) {
    super(message, { cause });
    this.violations = violations;
  }
}

export function violationsSeen(error: unknown): readonly Violation[] {
  return error instanceof StepFailure ? error.violations : [];
}
