import type { WorkStatus } from '../contracts/work/work-item.ts';
import { FAILURE_LIMIT, type ItemFailure } from './state.ts';

export interface AfterFailure {
  readonly to: WorkStatus;
  readonly reason: string;
}

/**
 * The next status after a failure, which is the last of `failures`. The item is retried until it has failed
 * three times in a row. The status table has no transition from review to blocked, so from there it needs
 * refinement.
 */
export function afterFailures(
  from: 'in-progress' | 'review',
  failures: readonly ItemFailure[],
  reason: string,
): AfterFailure {
  if (failures.length < FAILURE_LIMIT) return { to: 'pending', reason };
  const reasons = [...new Set(failures.map((failure) => failure.reason))].join('; ');
  return {
    to: from === 'review' ? 'needs-refinement' : 'blocked',
    reason: `it failed ${failures.length} times in a row: ${reasons}`,
  };
}
