import type { WorkItem, WorkStatus, WorkType } from '../../contracts/work/work-item.ts';
import { didYouMean } from '../../diagnostics/did-you-mean.ts';

/** The known fields of an existing item. */
export interface ExistingItem {
  readonly id: string;
  readonly title?: string;
  readonly status?: WorkStatus;
  readonly type?: WorkType;
  readonly blockedBy?: readonly string[];
}

/** Items change while a planner works. A status that it copied is not an error, so only `closed` is compared. */
export function toExistingItem({ item: { status, ...rest } }: { readonly item: WorkItem }): ExistingItem {
  return status === 'closed' ? { ...rest, status } : rest;
}

/** An entry of a list in the result, with its index. */
export interface Placed<Value> {
  readonly index: number;
  readonly value: Value;
}

/** The ids that a planner result may refer to. */
export interface KnownIds {
  readonly tempIds: ReadonlySet<string>;
  /** Null if the existing items are unknown. */
  readonly items: ReadonlyMap<string, ExistingItem> | null;
}

const SHOWN = 80;

/** Shortens long ids, because agents may write any. */
export function quoteId(id: string): string {
  return JSON.stringify(id.length > SHOWN ? `${id.slice(0, SHOWN)}…` : id);
}

export function describeUnknownId(id: string, { tempIds, items }: KnownIds): string {
  if (tempIds.has(id)) return 'is a new item of this result and does not exist yet';
  const near = didYouMean(id, items?.keys() ?? []);
  return `is not an existing item${near === null ? '' : `; did you mean ${quoteId(near)}?`}`;
}
