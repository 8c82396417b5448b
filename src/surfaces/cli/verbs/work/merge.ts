import type { ExitCode } from '../../exit-codes.ts';
import type { VerbContext } from '../../verb.ts';
import { askAsPerson } from '../../work/asking.ts';
import { findItem, onlyId } from '../../work/session.ts';

/** A person brings what was approved into the default branch. */
export async function merge(
  context: VerbContext,
  words: readonly string[],
  as: string | null,
): Promise<ExitCode> {
  const wanted = onlyId('merge', words);
  return askAsPerson(context, as, async ({ snapshot, ask }) => {
    const { item } = findItem(snapshot, wanted);
    await ask({ kind: 'merge', itemId: item.id });
  });
}
