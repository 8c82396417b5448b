import type { WorkEvent } from '../../contracts/work/work-event.ts';
import type { Spec } from '../../contracts/work/work-item.ts';
import type { ProviderItem, ProviderState } from '../items/provider-values.ts';
import { type ItemRecord, specsKey, type WorkState } from '../items/state.ts';
import { dropStatusLabels } from './apply/change.ts';

/** Changes at the provider without a command: checks made progress, or a user changed something. */
export function findForeignChanges(state: WorkState, provider: ProviderState): readonly WorkEvent[] {
  return [
    ...provider.items.flatMap((theirs) => createItemEvents(state.items.get(theirs.item.id), theirs)),
    ...provider.revisions.flatMap((revision): WorkEvent[] => {
      const known = state.revisions.get(revision.id);
      if (known === undefined) return [];
      const moved = known.headSHA !== revision.headSHA;
      if (moved) return [{ type: 'revision_made', revision, run_id: '' }];
      const { status, reason, url } = known.pipeline;
      const { pipeline } = revision;
      const same = status === pipeline.status && reason === pipeline.reason && url === pipeline.url;
      return same ? [] : [{ type: 'pipeline_changed', revision_id: revision.id, pipeline }];
    }),
  ];
}

/** Specs that were changed, added or removed. */
export function findSpecChanges(state: WorkState, specs: readonly Spec[]): readonly WorkEvent[] {
  return fingerprint(state.specs) === fingerprint(specs) ? [] : [{ type: 'specs_seen', specs: [...specs] }];
}

function fingerprint(specs: readonly Spec[]): string {
  return `${specsKey(specs)}\n${specs.map((spec) => spec.frontmatterStatus).join(' ')}`;
}

function createItemEvents(known: ItemRecord | undefined, theirs: ProviderItem): readonly WorkEvent[] {
  const { item, body } = theirs;
  const labels = dropStatusLabels(theirs.labels);
  if (known === undefined) return [{ type: 'item_created', item, body, labels }];
  const events: WorkEvent[] = [];
  if (!hasSameContent(known, theirs, labels)) events.push({ type: 'item_updated', item, body, labels });
  if (known.item.status !== item.status)
    events.push({
      type: 'status_changed',
      item_id: item.id,
      from: known.item.status,
      to: item.status,
      by: 'provider',
      reason: 'moved at the provider',
    });
  return events;
}

function hasSameContent(known: ItemRecord, theirs: ProviderItem, labels: readonly string[]): boolean {
  const { item } = theirs;
  return (
    known.body === theirs.body &&
    known.item.title === item.title &&
    known.item.type === item.type &&
    known.item.priority === item.priority &&
    known.item.complexity === item.complexity &&
    haveSameStrings(known.item.blockedBy, item.blockedBy) &&
    haveSameStrings(known.labels, labels)
  );
}

function haveSameStrings(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((text) => right.includes(text));
}
