import type { WorkStatus } from '../../contracts/work/work-item.ts';
import type { Role } from '../../contracts/work/work-results.ts';
import type { ItemRecord } from '../items/state.ts';

/** Idempotency keys of commands. The same request from the same state has the same key, before and after a crash. */

export function transitionKey({ item, statusSeq }: ItemRecord, to: WorkStatus): string {
  return `transition/${item.id}/${statusSeq}/${to}`;
}

export function requestKey(role: Role, { item, statusSeq, failedStarts }: ItemRecord): string {
  return `request/${role}/${item.id}/${statusSeq}/${failedStarts.length}`;
}

export function acceptKey(runId: string): string {
  return `accept/${runId}`;
}

export function applyKey(runId: string): string {
  return `apply/${runId}`;
}

export function giveUpKey(runId: string): string {
  return `give-up/${runId}`;
}
