import type { MechanicalOutcome } from '../vocabulary.ts';

/** The bounds of a step's processes, by their names in `limits`. */
export const BOUND_NAMES = ['memory', 'processes', 'written_bytes'] as const;
export type BoundName = (typeof BOUND_NAMES)[number];

export interface PassedBound {
  readonly kind: 'bound';
  readonly bound: BoundName;
  /** The used and the allowed amount, such as `it used 3 GB of memory; limits.memory is 2 GB`. */
  readonly message: string;
}

/** How a supervised process ended. */
export type ProcessEnd =
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'idle' }
  | { readonly kind: 'cancelled' }
  | PassedBound
  /** The process never ran: not found, not executable, no such folder. */
  | { readonly kind: 'spawn_failed'; readonly code: string; readonly message: string };

/** The end of a process that conductor stopped. */
export type StoppedEnd = Extract<ProcessEnd, { kind: 'timeout' | 'idle' | 'cancelled' | 'bound' }>;

/** The exceeded limit or bound for which a process is stopped. */
export type StopCause = Exclude<StoppedEnd, { kind: 'cancelled' }>;

/** The outcome for the step that started the process. */
export function outcomeOfEnd(end: ProcessEnd): MechanicalOutcome | 'cancelled' {
  switch (end.kind) {
    case 'exited':
      return end.exitCode === 0 ? 'completed' : 'error';
    case 'signalled':
    case 'spawn_failed':
      return 'error';
    case 'timeout':
      return 'killed_timeout';
    case 'idle':
      return 'killed_idle';
    case 'bound':
      return 'killed_policy';
    case 'cancelled':
      return 'cancelled';
  }
}
