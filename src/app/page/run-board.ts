import { dirname } from 'node:path';
import { isExpectedFailure } from '../../contracts/expected-failure.ts';
import { stepFolderOf } from '../../contracts/run/run-files.ts';
import type { FolderWatch } from '../../ports/folder-watch.ts';
import { REVIEW_GATE } from '../../runtime/forge/review-gate.ts';
import { readAnswer } from '../../runtime/gates/open-gates.ts';
import { findParked } from '../../runtime/record/run-view.ts';
import type { Records } from '../opened.ts';
import { deriveListedState, isUnfinished, type ListedState } from '../runs/listed-state.ts';
import { type OpenRun, openRun, readStatus } from '../runs/open-run.ts';

/** A run as the board last saw it. */
export interface BoardRun {
  readonly run: OpenRun;
  readonly seq: number;
  readonly state: ListedState;
  /** From when on the run can continue without its user: its gate is answered or expires, or its parking ends. */
  readonly dueAt: Date | null;
  readonly isAnswered: boolean;
  /** Whether it waits for a review of its pull request: then continuing it only looks for one. */
  readonly awaitsReview: boolean;
}

/**
 * Notices what happens to the runs of one repository. Only runs that have not ended are watched, and only a run that
 * changed is read again, so that ten thousand ended runs cost nothing.
 */
export interface RunBoard {
  /** Calls back after a run changed. Returns how to stop. */
  readonly subscribe: (listener: (changed: BoardRun) => void) => () => void;
  /** Watches a run although it has ended. Returns how to stop. */
  readonly follow: (runId: string) => () => void;
  /** The runs that have not ended. */
  readonly live: () => readonly BoardRun[];
  /** Reads runs again at once. */
  readonly refresh: (runId: string) => void;
  readonly close: () => void;
}

interface BoardDeps {
  readonly records: Records;
  readonly watch: FolderWatch;
  /** Called with what prevents the board from watching. */
  readonly onError: (error: unknown) => void;
}

/** Events that come together are read together. */
const GATHER_MS = 40;
/** A driver that was killed leaves no trace in a folder, and some file systems report no changes. */
const SWEEP_MS = 10_000;

export async function openRunBoard({ records, watch, onError }: BoardDeps): Promise<RunBoard> {
  const { store, clock } = records;
  const closed = new AbortController();
  const listeners = new Set<(changed: BoardRun) => void>();
  const known = new Set<string>();
  const seen = new Map<string, BoardRun>();
  const followed = new Map<string, number>();
  const watches = new Map<string, () => void>();
  const pending = new Set<string>();
  let isGathering = false;

  const look = async (runId: string) => {
    const opened = await openRun(records, runId).catch((error: unknown) => {
      // The disk may have failed for a moment; the next sweep reads the run again.
      if (isExpectedFailure(error)) return { ok: false as const };
      throw error;
    });
    if (!opened.ok || closed.signal.aborted) return;
    const { run } = opened;
    const now = await describeRun(run);
    const before = seen.get(runId);
    const hasEnded = run.view.end !== null && run.record.driver === null;
    if (hasEnded && !followed.has(runId)) {
      stopWatching(runId);
      seen.delete(runId);
    } else {
      seen.set(runId, now);
      watchFolders(run);
    }
    const isSame =
      before?.seq === now.seq && before.state === now.state && before.isAnswered === now.isAnswered;
    if (!isSame) for (const listener of listeners) listener(now);
  };

  const gather = async () => {
    isGathering = true;
    try {
      while (pending.size > 0 && !closed.signal.aborted) {
        await clock.sleep(GATHER_MS, closed.signal);
        const batch = [...pending];
        pending.clear();
        for (const runId of batch) await look(runId);
      }
    } finally {
      isGathering = false;
    }
  };
  const refresh = (runId: string) => {
    pending.add(runId);
    if (!isGathering) gather().catch(onError);
  };

  const watchFolder = (key: string, path: string, runId: string) => {
    if (watches.has(key)) return;
    watches.set(
      key,
      watch.watch(path, () => refresh(runId)),
    );
    // It may have changed between the reading and the watching.
    refresh(runId);
  };
  const watchFolders = ({ view, record: { directory } }: OpenRun) => {
    const { runId } = view;
    watchFolder(runId, directory.path, runId);
    const { awaiting } = view;
    const gate =
      awaiting === null ? null : directory.resolve(stepFolderOf(awaiting.stepId, awaiting.attempt));
    for (const [key, stop] of watches)
      if (key.startsWith(`${runId}:`) && key !== `${runId}:${gate}`) {
        stop();
        watches.delete(key);
      }
    if (gate !== null) watchFolder(`${runId}:${gate}`, gate, runId);
  };
  const stopWatching = (runId: string) => {
    for (const [key, stop] of watches)
      if (key === runId || key.startsWith(`${runId}:`)) {
        stop();
        watches.delete(key);
      }
  };

  const findNew = async () => {
    for (const runId of await store.match(''))
      if (!known.has(runId)) {
        known.add(runId);
        refresh(runId);
      }
  };
  const sweep = async () => {
    while (!closed.signal.aborted) {
      await clock.sleep(SWEEP_MS, closed.signal);
      if (closed.signal.aborted) return;
      await findNew();
      for (const runId of seen.keys()) refresh(runId);
    }
  };

  for (const listing of await store.list()) {
    known.add(listing.runId);
    if (isUnfinished(listing)) await look(listing.runId);
  }
  const folder = dirname(store.locate('run', null));
  watches.set(
    '',
    watch.watch(folder, () => {
      findNew().catch(onError);
    }),
  );
  sweep().catch(onError);

  return {
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    follow: (runId) => {
      followed.set(runId, (followed.get(runId) ?? 0) + 1);
      refresh(runId);
      return () => {
        const left = (followed.get(runId) ?? 1) - 1;
        if (left > 0) followed.set(runId, left);
        else {
          followed.delete(runId);
          refresh(runId);
        }
      };
    },
    live: () => [...seen.values()].filter(({ run }) => run.view.end === null),
    refresh,
    close: () => {
      closed.abort();
      for (const stop of watches.values()) stop();
      listeners.clear();
    },
  };
}

async function describeRun(run: OpenRun): Promise<BoardRun> {
  const { view, record } = run;
  const { awaiting } = view;
  const answer = awaiting === null ? null : await readAnswer(record.inbox, awaiting);
  const { status } = await readStatus(run);
  return {
    run,
    seq: record.events.at(-1)?.seq ?? -1,
    state: deriveListedState({ status, driver: record.driver }),
    isAnswered: answer !== null,
    awaitsReview: answer === null && awaitsReview(run),
    dueAt: findDue(run, answer?.answered_at ?? null),
  };
}

function awaitsReview({ view: { awaiting, published } }: OpenRun): boolean {
  return awaiting?.gate === REVIEW_GATE && published !== null;
}

function findDue(run: OpenRun, answeredAt: string | null): Date | null {
  const { view } = run;
  if (view.end !== null) return null;
  if (answeredAt !== null || awaitsReview(run)) return new Date(0);
  const at = view.awaiting?.expiresAt ?? findParked(view)?.until ?? null;
  return at === null ? null : new Date(at);
}
