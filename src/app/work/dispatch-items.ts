import { expectAccepted } from './expect-done.ts';
import { findItem } from './find-item.ts';
import { endOfLoop, type WorkDriving, type WorkEnd } from './work-end.ts';

const ROLES = ['implementor', 'reviewer'] as const;

/** Implements and reviews all items that are ready, until no agent has anything left to do. */
export async function dispatchAll({ work, signal, onEvent, onProblem }: WorkDriving): Promise<WorkEnd> {
  const end = await work.engine.runUntilIdle(signal, { onEvent, onProblem, roles: ROLES });
  const snapshot = await work.engine.snapshot();
  if (snapshot.state.items.size === 0)
    return {
      kind: 'done',
      ok: true,
      reason: 'there are no work items',
      help: 'conductor work plan creates them from approved specs',
    };
  return endOfLoop(end, snapshot, [...snapshot.state.items.keys()], false);
}

/** Implements and reviews one item. An item that the user names is dispatched even if others are in progress. */
export async function dispatchOne(
  { work, person, signal, onEvent, onProblem }: WorkDriving,
  itemRef: string,
): Promise<WorkEnd> {
  const { engine } = work;
  await engine.recover();
  const { item } = findItem(await engine.snapshot(), itemRef);
  if (item.status !== 'review')
    expectAccepted(await engine.dispatch(item.id, person, signal, { onEvent, onProblem }), item.id);
  const end = await engine.runUntilIdle(signal, { onEvent, onProblem, roles: ROLES, items: [item.id] });
  return endOfLoop(end, await engine.snapshot(), [item.id], true);
}
