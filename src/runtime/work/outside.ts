import type { WorkEvent } from '../../contracts/work/work-event.ts';
import { FAILURE_LIMIT, specsKey, type WorkState } from '../../work/state.ts';
import { foreignEvents } from '../../work/sync.ts';
import { activeSetback, type EngineMemory, noteSetback } from './engine-memory.ts';

const READING = 'read';
const SETTLING = 'settle';
/** How soon to ask again for checks that run elsewhere. */
const SETTLE_AGAIN_MS = 1000;

/**
 * Records outside changes in the journal: specs, checks, and changes at the provider. Returns the number of sources
 * that could not be read and are retried.
 */
export async function recordOutside(memory: EngineMemory): Promise<number> {
  const { deps, executor } = memory;
  const { specs } = await deps.specs.read();
  await executor.record(async (state) => {
    const seen: readonly WorkEvent[] =
      fingerprint(state.specs) === fingerprint(specs) ? [] : [{ type: 'specs_seen', specs: [...specs] }];
    return [...seen, ...(await readForeign(memory, state))];
  });
  const setback = memory.setbacks.get(READING);
  return setback !== undefined && setback.count < FAILURE_LIMIT ? 1 : 0;
}

async function readForeign(memory: EngineMemory, state: WorkState): Promise<readonly WorkEvent[]> {
  if (activeSetback(memory, READING) !== null) return [];
  try {
    const events = foreignEvents(state, await memory.deps.provider.read());
    memory.setbacks.delete(READING);
    return events;
  } catch (error) {
    noteSetback(memory, READING, error);
    return [];
  }
}

function fingerprint(specs: WorkState['specs']): string {
  return `${specsKey(specs)}\n${specs.map((spec) => spec.frontmatterStatus).join(' ')}`;
}

/** Starts the checks that items in review wait for. Returns the number of pending ones. */
export function startSettling(memory: EngineMemory): number {
  const { items, revisions } = memory.executor.state;
  const heads = [...revisions.values()]
    .filter(({ pipeline }) => pipeline.status === 'pending')
    .filter(({ workItemID }) => items.get(workItemID)?.item.status === 'review')
    .map(({ headSHA }) => headSHA);
  const setback = activeSetback(memory, SETTLING);
  if (setback !== null && setback.count >= FAILURE_LIMIT) return 0;
  if (heads.length === 0 || setback !== null || memory.settling !== null) return heads.length;
  const { settled, deps } = memory;
  const now = deps.clock.now().getTime();
  if (settled.heads === heads.join(' ') && settled.notBeforeMs > now) return heads.length;
  const controller = new AbortController();
  const promise = deps.provider
    .settle(controller.signal)
    .then(
      () => memory.setbacks.delete(SETTLING),
      (error: unknown) => noteSetback(memory, SETTLING, error),
    )
    .then(() => {
      const notBeforeMs = deps.clock.now().getTime() + SETTLE_AGAIN_MS;
      memory.settled = { heads: heads.join(' '), notBeforeMs };
      memory.settling = null;
      memory.bell.ring();
    });
  memory.settling = { promise, controller };
  return heads.length;
}
