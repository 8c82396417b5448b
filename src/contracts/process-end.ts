import type { MechanicalOutcome } from './vocabulary.ts';

/** How a supervised process came to its end. */
export type ProcessEnd =
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'idle' }
  | { readonly kind: 'cancelled' }
  /** It never ran: not found, not executable, no such folder. */
  | { readonly kind: 'spawn_failed'; readonly code: string; readonly message: string };

/** What that means for the step that started it. */
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
    case 'cancelled':
      return 'cancelled';
  }
}
