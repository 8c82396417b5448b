import type { WorkStatus } from '../contracts/work-item.ts';
import { FAILURE_LIMIT, type ItemFailure } from './state.ts';

export interface AfterFailure {
  readonly to: WorkStatus;
  readonly reason: string;
}

/**
 * Where a failure sends an item, the failure being the last of `failures`. It goes round again until it has failed three
 * times in a row. The table knows no way from review to blocked, so that it needs refinement from there.
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
