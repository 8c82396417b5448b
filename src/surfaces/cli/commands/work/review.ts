import { reviewItem } from '../../../../app/work/review-item.ts';
import type { CommandContext } from '../../command-context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { driveWork } from '../../output/work/driving.ts';

/** Starts a review of an item's revision now, after its checks have passed. */
export async function review(context: CommandContext, itemRef: string, as: string | null): Promise<ExitCode> {
  return driveWork(context, { jobs: null, as }, (driving) => reviewItem(driving, itemRef));
}
