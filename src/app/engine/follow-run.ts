import type { RunEvent } from '../../contracts/run/event.ts';
import type { Engine } from '../../ports/engine.ts';
import type { Hub } from '../../ports/hub.ts';
import type { AskAtGate, GateReaction } from '../../runtime/drive/await-gate.ts';
import type { DriveEnd } from '../../runtime/drive/drive.ts';
import { createRunViewer, findParked, type RunView, viewRun } from '../../runtime/record/run-view.ts';
import type { RunObserver } from '../../runtime/run-context.ts';

export interface FollowRequest {
  readonly runId: string;
  /** Whether to follow a run that waits; otherwise, return once it waits. */
  readonly wait: boolean;
  readonly onGate: AskAtGate | null;
  readonly observer: Pick<RunObserver, 'onEvents'>;
  /** Aborting stops following. The run goes on. */
  readonly signal: AbortSignal;
}

type Batch = IteratorResult<readonly RunEvent[]>;

/** Follows a run that other processes drive. Null if following was stopped. */
export async function followRun(
  engine: Pick<Engine, 'tail'>,
  request: FollowRequest,
): Promise<DriveEnd | null> {
  const { runId, observer, signal } = request;
  const viewer = createRunViewer();
  const stopping = new AbortController();
  const tail = engine.tail(runId, { from: 0, signal: AbortSignal.any([signal, stopping.signal]) });
  const batches = tail[Symbol.asyncIterator]();
  let next = batches.next();
  try {
    for (;;) {
      const current = viewer.current();
      const waiting = current === null ? null : describeWait(current);
      const batch = waiting === null ? await next : await awaitNext(request, waiting, next);
      if (batch === null) return waiting;
      if (batch.done === true) break;
      for (const event of batch.value) viewer.add(event);
      const view = viewer.current();
      if (view !== null) observer.onEvents(batch.value, view);
      next = batches.next();
    }
  } finally {
    stopping.abort();
    await next.catch(() => {});
  }
  const view = viewer.current();
  return view === null || view.end === null ? null : { kind: 'ended', end: view.end, view };
}

function describeWait(view: RunView): DriveEnd | null {
  if (view.awaiting !== null) return { kind: 'waiting', awaiting: view.awaiting, view };
  const parked = findParked(view);
  return parked === null ? null : { kind: 'parked', parked, view };
}

/** The next events of a run that waits; null if the caller should not wait for them. Asks the user at a gate. */
async function awaitNext(
  { wait, onGate, signal }: FollowRequest,
  end: DriveEnd,
  next: Promise<Batch>,
): Promise<Batch | null> {
  if (end.kind !== 'waiting' || onGate === null) return wait ? next : null;
  const closed = new AbortController();
  const until = AbortSignal.any([signal, closed.signal]);
  for (;;) {
    const asking = onGate(end.awaiting, end.view, until);
    const first = await Promise.race([next, asking]);
    if (typeof first !== 'string') {
      closed.abort();
      await asking;
      return first;
    }
    const reaction: GateReaction = first;
    if (reaction === 'leave') return null;
    if (reaction === 'wait') return wait ? next : null;
  }
}

/** Makes the files of a run, and what it left in git, available here. */
export async function fetchRun(
  { store, hub }: { readonly store: Engine; readonly hub: Hub | null },
  runId: string,
): Promise<void> {
  await store.fetch(runId);
  if (hub === null) return;
  const read = await store.read(runId);
  const view = read.ok ? viewRun(read.run.events) : null;
  if (view !== null) await hub.fetchRun(runId, view.started.branch_name);
}
