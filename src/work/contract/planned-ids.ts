import type { WorkStatus, WorkType } from '../../contracts/work-item.ts';
import { didYouMean } from '../../diagnostics/did-you-mean.ts';

/** An item that exists already, as far as it is known. */
export interface KnownItem {
  readonly id: string;
  readonly title?: string;
  readonly status?: WorkStatus;
  readonly type?: WorkType;
  readonly blockedBy?: readonly string[];
}

/** An entry of a list of the result, with its place. */
export interface Placed<Value> {
  readonly index: number;
  readonly value: Value;
}

/** What a planner result may refer to. */
export interface KnownIds {
  readonly tempIds: ReadonlySet<string>;
  /** Null where nobody knows which items exist. */
  readonly items: ReadonlyMap<string, KnownItem> | null;
}

const SHOWN = 80;

/** A result is written by an agent, and an id can be as long as it likes. */
export function quoteId(id: string): string {
  return JSON.stringify(id.length > SHOWN ? `${id.slice(0, SHOWN)}…` : id);
}

export function didNotMean(id: string, { tempIds, items }: KnownIds): string {
  if (tempIds.has(id)) return 'is a new item of this result, and does not exist yet';
  const near = didYouMean(id, items?.keys() ?? []);
  return `is not an existing item${near === null ? '' : `; did you mean ${quoteId(near)}?`}`;
}
