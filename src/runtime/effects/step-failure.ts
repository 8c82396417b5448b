import { ExpectedFailure } from '../../contracts/expected-failure.ts';
import type { RecordedViolation } from '../../kernel/protocol.ts';

/** A step whose results can't be inspected any more, with the violations that are known anyway. */
export class StepFailure extends ExpectedFailure {
  override readonly name = 'StepFailure';
  readonly violations: readonly RecordedViolation[];

  constructor(message: string, violations: readonly RecordedViolation[], cause: unknown) {
    super(message, { cause });
    this.violations = violations;
  }
}

export function violationsSeen(error: unknown): readonly RecordedViolation[] {
  return error instanceof StepFailure ? error.violations : [];
}
