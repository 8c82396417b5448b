import type { WorkSnapshot } from '../../../../runtime/work/loop.ts';
import { fieldsOfLabels, labelsOf } from '../../../../work/labels.ts';
import { type KnownItem, runOfItem } from '../../../../work/state.ts';
import { waitingReason } from '../../../../work/waiting.ts';

/** An item for `--json`: the provider's fields, the reason why it waits, and the run that works on it. */
export function itemDocument({ state, limits }: WorkSnapshot, known: KnownItem) {
  const run = runOfItem(state, known.item.id);
  return {
    ...known.item,
    waiting: waitingReason(state, known, limits),
    run: run === null ? null : { run_id: run.runId, role: run.role },
  };
}

/** All labels of an item as a provider shows them, including its status, which the journal stores separately. */
export function labelsOfItem({ item, labels }: KnownItem): readonly string[] {
  return labelsOf({ ...fieldsOfLabels(labels), status: item.status });
}
