import type { RunOutcome } from '../../contracts/vocabulary.ts';
import type { DriveEnd } from '../../runtime/drive/drive.ts';

/** Exit codes are part of the public interface. */
export const EXIT = {
  success: 0,
  failed: 1,
  usage: 2,
  waiting: 3,
  blocked: 4,
  unsafe: 5,
  budget: 6,
  unverified: 7,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export function exitCodeOfOutcome(outcome: RunOutcome): ExitCode {
  switch (outcome) {
    case 'success':
      return EXIT.success;
    case 'unverified':
      return EXIT.unverified;
    case 'partial':
    case 'blocked':
    case 'needs_human':
    case 'rejected':
    case 'timed_out':
      return EXIT.blocked;
    case 'unsafe':
    case 'policy':
      return EXIT.unsafe;
    case 'budget':
      return EXIT.budget;
    case 'error':
      return EXIT.failed;
    case 'cancelled':
      return EXIT.interrupted;
  }
}

export function exitCodeOfEnd(end: DriveEnd): ExitCode {
  switch (end.kind) {
    case 'waiting':
    case 'parked':
      return EXIT.waiting;
    case 'interrupted':
      return EXIT.interrupted;
    case 'ended':
      return exitCodeOfOutcome(end.end.outcome);
  }
}
