import type { CommandContext } from '../../command-context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { askAsPerson } from '../../output/work/asking.ts';
import { findItem } from '../../output/work/session.ts';

/** Merges the approved revision of an item into the default branch. */
export async function merge(context: CommandContext, itemRef: string, as: string | null): Promise<ExitCode> {
  return askAsPerson(context, as, async ({ snapshot, ask }) => {
    const { item } = findItem(snapshot, itemRef);
    await ask({ kind: 'merge', itemId: item.id });
  });
}
