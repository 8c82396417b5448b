import type { JournalEntry } from '../../contracts/work/work-event.ts';
import type { ShortId } from '../../overview/short-ids.ts';
import type { WorkSnapshot } from '../../runtime/work/work-engine.ts';
import type { SessionEnd } from '../../work/engine/protocol.ts';
import { isTerminal } from '../../work/items/status-table.ts';
import type { OpenWork } from './opened-work.ts';

/** What a use case needs that lets agents work on items. */
export interface WorkDriving {
  readonly work: OpenWork;
  readonly person: string;
  readonly signal: AbortSignal;
  readonly onEvent: (entry: JournalEntry) => void;
  readonly onProblem: (message: string) => void;
  readonly short: ShortId;
}

/** How the work of agents on items ended for now. */
export interface WorkEnd {
  /** `stopped`: on request. `waiting`: agents have nothing left to do. `blocked`: only the user can continue. */
  readonly kind: 'done' | 'waiting' | 'blocked' | 'failed' | 'stopped';
  readonly ok: boolean;
  /** A message for the user; null if there is nothing to report. */
  readonly reason: string | null;
  readonly help: string | null;
}

/** The result of a loop that has stopped or is idle: which of these items are unfinished, and what the user can do. */
export function endOfLoop(
  end: SessionEnd,
  { state }: WorkSnapshot,
  ids: readonly string[],
  single: boolean,
): WorkEnd {
  if (end.kind === 'stopped')
    return {
      kind: 'stopped',
      ok: false,
      reason: 'stopped',
      help: 'run the same command again to continue',
    };
  const [problem] = end.problems;
  if (problem !== undefined)
    return {
      kind: 'failed',
      ok: false,
      reason: end.problems.join('; '),
      help: 'conductor work list shows the items; fix this, then dispatch the item by its id',
    };
  const left = ids.flatMap((id) => state.items.get(id) ?? []).filter(({ item }) => !isTerminal(item.status));
  const [first] = left;
  if (first === undefined) return { kind: 'done', ok: true, reason: null, help: null };
  const { id, status } = first.item;
  if (single && (status === 'blocked' || status === 'needs-refinement'))
    return {
      kind: 'blocked',
      ok: false,
      reason: `item ${id} is ${status}: ${first.statusReason}`,
      help: `conductor work show ${id}; then conductor work transition ${id} pending --reason "…"`,
    };
  return {
    kind: 'waiting',
    ok: true,
    reason: single
      ? `item ${id} is ${status} and waits`
      : `${left.length} of ${ids.length} items wait: ${left.map(({ item }) => item.id).join(', ')}`,
    help: 'conductor work list shows why',
  };
}
