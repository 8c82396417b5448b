import type { WorkStatus } from '../../contracts/work/work-item.ts';

/** Who moves an item: the engine by its rules, a user, or the result of a planner. */
export type Mover = 'engine' | 'person' | 'planner';

type Movers = readonly Mover[];

const EITHER: Movers = ['engine', 'person'];
const PERSON: Movers = ['person'];
/** An approved item that is built on a changed blocker has to be done again. */
const ENGINE: Movers = ['engine'];
/** Users and planners may close items that are no longer wanted. */
const CLOSER: Movers = ['person', 'planner'];

export const STATUS_TABLE: Readonly<Record<WorkStatus, Readonly<Partial<Record<WorkStatus, Movers>>>>> = {
  pending: { ready: EITHER, closed: CLOSER },
  ready: { 'in-progress': EITHER, closed: CLOSER },
  'in-progress': {
    review: EITHER,
    blocked: EITHER,
    'needs-refinement': EITHER,
    pending: EITHER,
    closed: CLOSER,
  },
  review: { approved: EITHER, 'needs-refinement': EITHER, pending: EITHER, closed: CLOSER },
  approved: { pending: ENGINE, closed: PERSON },
  'needs-refinement': { pending: PERSON, closed: CLOSER },
  blocked: { pending: PERSON, review: PERSON, closed: CLOSER },
  closed: {},
};

export type TransitionCode = 'same_status' | 'illegal_transition' | 'people_only';

export type TransitionVerdict =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly code: TransitionCode;
      readonly reason: string;
      /** The statuses that this mover may choose, in the order of the table. */
      readonly legal: readonly WorkStatus[];
    };

export function checkTransition(from: WorkStatus, to: WorkStatus, mover: Mover): TransitionVerdict {
  const movers = STATUS_TABLE[from][to];
  if (movers?.includes(mover) === true) return { ok: true };
  const legal = legalMoves(from, mover);
  const options = legal.length === 0 ? 'no move is possible' : `it can move to ${listOf(legal)}`;
  if (from === to)
    return { ok: false, code: 'same_status', reason: `it is already ${from}; ${options}`, legal };
  if (movers !== undefined && mover !== 'person')
    return { ok: false, code: 'people_only', reason: `only a user can move it from ${from} to ${to}`, legal };
  return {
    ok: false,
    code: 'illegal_transition',
    reason: `it can't move from ${from} to ${to}; from ${from} ${options}`,
    legal,
  };
}

function legalMoves(from: WorkStatus, mover: Mover): WorkStatus[] {
  return Object.entries(STATUS_TABLE[from])
    .filter(([, movers]) => movers.includes(mover))
    .map(([to]) => to as WorkStatus);
}

/** Whether an item in this status no longer blocks others. */
export function isTerminal(status: WorkStatus): boolean {
  return status === 'closed' || status === 'approved';
}

function listOf(statuses: readonly string[]): string {
  return statuses.length < 2
    ? statuses.join('')
    : `${statuses.slice(0, -1).join(', ')} or ${statuses.at(-1)}`;
}
