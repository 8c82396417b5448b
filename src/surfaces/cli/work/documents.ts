import type { WorkSnapshot } from '../../../runtime/work/loop.ts';
import { fieldsOfLabels, labelsOf } from '../../../work/labels.ts';
import { type KnownItem, runOfItem } from '../../../work/state.ts';
import { waitingReason } from '../../../work/waiting.ts';

/** An item as verbs print it with `--json`: as the provider has it, with why it waits and who works on it. */
export function itemDocument({ state, limits }: WorkSnapshot, known: KnownItem) {
  const run = runOfItem(state, known.item.id);
  return {
    ...known.item,
    waiting: waitingReason(state, known, limits),
    run: run === null ? null : { run_id: run.runId, role: run.role },
  };
}

/** All labels of an item, as people see them at a provider: the journal keeps the status of an item apart from the others. */
export function labelsOfItem({ item, labels }: KnownItem): readonly string[] {
  return labelsOf({ ...fieldsOfLabels(labels), status: item.status });
}
