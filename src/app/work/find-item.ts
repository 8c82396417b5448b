import { didYouMean } from '../../diagnostics/did-you-mean.ts';
import type { WorkSnapshot } from '../../runtime/work/work-engine.ts';
import { cleanOutput } from '../../text/outside-text.ts';
import type { ItemRecord } from '../../work/items/state.ts';
import { UseCaseError } from '../use-case-error.ts';

/** Finds an item by its id, which may also be written as `#3`. */
export function findItem({ state }: WorkSnapshot, itemRef: string): ItemRecord {
  const known = state.items.get(itemRef) ?? state.items.get(itemRef.replace(/^#/, ''));
  if (known !== undefined) return known;
  const ids = [...state.items.keys()];
  const near = didYouMean(itemRef, ids);
  throw new UseCaseError(
    `there is no work item "${cleanOutput(itemRef)}"`,
    ids.length === 0
      ? 'there are none yet: conductor work plan creates them from approved specs'
      : near === null
        ? 'conductor work list shows all items'
        : `did you mean ${near}? conductor work list shows all`,
  );
}
