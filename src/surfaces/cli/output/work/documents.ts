import type { WorkSnapshot } from '../../../../runtime/work/work-engine.ts';
import { formatLabels, readLabelFields } from '../../../../work/items/labels.ts';
import { findRunOfItem, type ItemRecord } from '../../../../work/items/state.ts';
import { explainWait } from '../../../../work/items/waiting.ts';

/** An item for `--json`: the provider's fields, the reason why it waits, and the run that works on it. */
export function itemDocument({ state, limits }: WorkSnapshot, known: ItemRecord) {
  const run = findRunOfItem(state, known.item.id);
  return {
    ...known.item,
    waiting: explainWait(state, known, limits),
    run: run === null ? null : { run_id: run.runId, role: run.role },
  };
}

/** All labels of an item as a provider shows them, including its status, which the journal stores separately. */
export function labelsOfItem({ item, labels }: ItemRecord): readonly string[] {
  return formatLabels({ ...readLabelFields(labels), status: item.status });
}
