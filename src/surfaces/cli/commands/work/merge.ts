import { findItem } from '../../../../app/work/find-item.ts';
import { findUnmergedBlockers } from '../../../../work/items/stack.ts';
import type { CommandContext } from '../../command-context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { executeAsUser } from '../../output/work/user-commands.ts';

export interface MergeOptions {
  /** Merge the approved blockers of the item first. */
  readonly withBlockers: boolean;
  readonly as: string | null;
}

/** Merges the approved revision of an item into the default branch. */
export async function merge(
  context: CommandContext,
  itemRef: string,
  { withBlockers, as }: MergeOptions,
): Promise<ExitCode> {
  return executeAsUser(context, as, async ({ snapshot, execute }) => {
    const { item } = findItem(snapshot, itemRef);
    const blockers = withBlockers ? findUnmergedBlockers(snapshot.state, item) : [];
    for (const blocker of blockers) await execute({ kind: 'merge', itemId: blocker.item.id });
    await execute({ kind: 'merge', itemId: item.id });
  });
}
