import type { Clock } from '../../ports/clock.ts';
import type { DiskSpace } from '../../ports/work/disk-space.ts';
import { isDiskFull } from '../../text/error-code.ts';
import { messageOf } from '../../text/error-message.ts';

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

export interface SpaceWaiterDeps {
  readonly disk: DiskSpace;
  readonly clock: Clock;
  /** Whether to wait for space, instead of failing. */
  readonly canWait: () => boolean;
  readonly report: (problem: string) => void;
}

export interface SpaceWaiter {
  /** Performs work that writes: before it while the disk is full, and again if it fails for want of space. */
  readonly perform: <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;
  /** Why a run failed, if the disk is full; null if it is not. */
  readonly explainFullDisk: () => Promise<string | null>;
}

function pauseMs(pauses: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** pauses, LONGEST_PAUSE_MS);
}

/** Waits until a full disk has space again, with exponential backoff: a session of a night outlives a full disk. */
export function createSpaceWaiter({ disk, clock, canWait, report }: SpaceWaiterDeps): SpaceWaiter {
  let pauses = 0;

  const explainFullDisk = async () => {
    const folder = await disk.findFullFolder();
    return folder === null ? null : `the disk of ${folder} is full`;
  };

  const pause = async (problem: string, signal: AbortSignal) => {
    const ms = pauseMs(pauses);
    const isRepeated = pauses > 0 && pauseMs(pauses - 1) === LONGEST_PAUSE_MS;
    pauses += 1;
    const again = ms === LONGEST_PAUSE_MS ? 'every' : 'in';
    if (!isRepeated) report(`${problem}; trying again ${again} ${ms / 1000} s`);
    await clock.sleep(ms, signal);
  };

  return {
    explainFullDisk,
    perform: async (work, signal) => {
      for (;;) {
        const problem = canWait() && !signal.aborted ? await explainFullDisk() : null;
        if (problem !== null) {
          await pause(problem, signal);
          continue;
        }
        try {
          const result = await work();
          if (pauses > 0) report('the disk has space again');
          pauses = 0;
          return result;
        } catch (error) {
          if (!canWait() || signal.aborted || !isDiskFull(error)) throw error;
          await pause(messageOf(error), signal);
        }
      }
    },
  };
}
