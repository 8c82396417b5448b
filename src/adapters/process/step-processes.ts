import { readdirSync, writeFileSync } from 'node:fs';
import { parseProcStat, readSystemFile } from '../../node/proc.ts';
import { hasMark, readProcNow } from './mark-sweep.ts';

/** The kernel kills these processes before conductor if the machine runs out of memory. */
const OOM_SCORE = '500';
const PAGE_BYTES = 4096;

/** The living processes of a step: all that descend from its leader or have its mark. */
export interface StepProcesses {
  /** Returns the current processes. Stops early once there are more than `limit`. */
  readonly list: (limit: number) => readonly number[];
}

export function followProcesses(leader: number, mark: string): StepProcesses {
  let members = new Set<number>();
  let unrelated = new Set<number>([process.pid]);
  return {
    list: (limit) => {
      const living = new Set(listPids());
      members = new Set([...members].filter((pid) => living.has(pid)));
      unrelated = new Set([...unrelated].filter((pid) => living.has(pid)));
      const isOfStep = (pid: number): boolean =>
        pid === leader || members.has(parentOf(pid)) || hasMark(readProcNow(pid, 'environ'), mark);
      let fresh = [...living].filter((pid) => !members.has(pid) && !unrelated.has(pid));
      // A child may be listed before its parent, so check the rest again until no more are found.
      let before = -1;
      while (members.size > before && members.size <= limit) {
        before = members.size;
        for (const pid of fresh) {
          if (!isOfStep(pid)) continue;
          members.add(pid);
          raiseOomScore(pid);
          if (members.size > limit) break;
        }
        fresh = fresh.filter((pid) => !members.has(pid));
      }
      if (members.size <= limit) for (const pid of fresh) unrelated.add(pid);
      return [...members];
    },
  };
}

function listPids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^[1-9]\d*$/.test(name))
    .map(Number);
}

function parentOf(pid: number): number {
  return parseProcStat(readProcNow(pid, 'stat')).parent;
}

/** Child processes inherit the score. */
export function raiseOomScore(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, OOM_SCORE);
  } catch {
    // The process has exited, or this is not Linux.
  }
}

/** Resident memory. Shared pages count for each process, so this is an upper bound. */
export function measureResident(pids: readonly number[]): number {
  return pids.reduce(
    (sum, pid) => sum + Number(readSystemFile(`/proc/${pid}/statm`).split(' ')[1] ?? 0) * PAGE_BYTES,
    0,
  );
}

/** Memory that would be free without these processes; shared pages are counted once. Pages of files are not counted. */
export function measureOwned(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const lines = readSystemFile(`/proc/${pid}/smaps_rollup`).matchAll(
      /^(?:Pss_Anon|Pss_Shmem|SwapPss):\s+(\d+) kB$/gm,
    );
    return sum + [...lines].reduce((bytes, [, kilobytes]) => bytes + Number(kilobytes) * 1024, 0);
  }, 0);
}

/**
 * Paths of the open files of processes. They include deleted ones, which take space although no folder lists them.
 */
export function listOpenFiles(pids: readonly number[]): string[] {
  return pids.flatMap((pid) => {
    const folder = `/proc/${pid}/fd`;
    try {
      return readdirSync(folder).map((name) => `${folder}/${name}`);
    } catch {
      return [];
    }
  });
}
