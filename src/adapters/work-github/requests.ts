import type { WorkStatus } from '../../contracts/work/work-item.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Forge } from '../../ports/forge/forge.ts';
import type { ProviderState, WorkProvider } from '../../ports/work/work-provider.ts';
import type { ForgeMemory } from './memory.ts';
import type { Trust } from './trust.ts';

/** One look at what people did on the forge. */
export interface Poll {
  readonly forge: Forge;
  readonly local: WorkProvider;
  readonly memory: ForgeMemory;
  readonly save: () => Promise<void>;
  readonly trust: Trust;
  readonly clock: Clock;
}

export function transition(
  key: string,
  itemId: string,
  to: WorkStatus,
  by: string,
  reason: string,
): ForgeMemory['requests'][number] {
  return { key, kind: 'transition', itemId, to, by, reason };
}

/** Adds what was not asked before. */
export function addRequests(memory: ForgeMemory, requests: ProviderState['requests']): void {
  for (const request of requests) {
    const isKnown =
      memory.answered.includes(request.key) || memory.requests.some(({ key }) => key === request.key);
    if (isKnown) continue;
    memory.requests.push(
      request.kind === 'review'
        ? { ...request, review: { ...request.review, comments: [...request.review.comments] } }
        : { ...request },
    );
  }
}
export function addNote(
  memory: ForgeMemory,
  itemId: string,
  key: string,
  text: string,
  onPull = false,
): void {
  if (memory.notes.some((note) => note.key === key)) return;
  memory.notes.push({ key, itemId, onPull, text });
}
