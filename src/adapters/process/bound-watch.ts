import { setTimeout as delay } from 'node:timers/promises';
import { formatBytes } from '../../contracts/byte-size.ts';
import type { PassedBound } from '../../contracts/run/process-end.ts';
import { followProcesses, listOpenFiles, measureOwned, measureResident } from './step-processes.ts';
import { measureWritten, watchFreeSpace } from './written-bytes.ts';

/** What the processes of one step may use together. */
export interface ProcessBounds {
  readonly memoryBytes: number;
  readonly processes: number;
  readonly writtenBytes: number;
}

export interface BoundWatch {
  /** Resolves when a bound is exceeded; otherwise it never settles. */
  readonly passed: Promise<PassedBound>;
  readonly release: () => void;
}

interface Watched {
  readonly leader: number;
  readonly mark: string;
  /** The folders that the step can write in. */
  readonly folders: readonly string[];
}

/** Short enough that a program can't exhaust the machine's memory between two samples. */
const SAMPLE_MS = 200;
/** Expensive measurements take at most a tenth of the time. */
const REST_FACTOR = 9;
/** File timestamps come from the kernel's last clock tick, which is slightly in the past. */
const CLOCK_SLACK_MS = 50;

/**
 * Watches the processes of a step from outside. Kernel limits don't fit: RLIMIT_AS counts address space, which V8 and
 * Go reserve by the terabyte; RLIMIT_NPROC does not apply to root; and neither reports why a program failed.
 */
export function watchBounds(bounds: ProcessBounds, watched: Watched): BoundWatch {
  const released = new AbortController();
  const passed = new Promise<PassedBound>((settle, fail) => {
    sample(bounds, watched, released.signal).then((found) => {
      if (found !== null) settle(found);
    }, fail);
  });
  return { passed, release: () => released.abort() };
}

async function sample(
  bounds: ProcessBounds,
  { leader, mark, folders }: Watched,
  signal: AbortSignal,
): Promise<PassedBound | null> {
  if (process.platform !== 'linux') return null;
  const processes = followProcesses(leader, mark);
  const sinceMs = Date.now() - CLOCK_SLACK_MS;
  const spaceTaken = watchFreeSpace(folders);
  const memoryThrottle = createThrottle();
  const diskThrottle = createThrottle();
  while (await waitForNextSample(signal)) {
    const pids = processes.list(bounds.processes);
    if (pids.length > bounds.processes) return tooManyProcesses(bounds);
    if (measureResident(pids) > bounds.memoryBytes && memoryThrottle.isReady()) {
      const used = await memoryThrottle.time(async () => measureOwned(pids));
      if (used > bounds.memoryBytes) return tooMuchMemory(used, bounds);
    }
    if (spaceTaken() > bounds.writtenBytes && diskThrottle.isReady()) {
      const limit = bounds.writtenBytes;
      const openFiles = listOpenFiles(pids);
      const written = await diskThrottle.time(() => measureWritten({ folders, openFiles, sinceMs, limit }));
      if (written > bounds.writtenBytes && !signal.aborted) return tooMuchWritten(bounds);
    }
  }
  return null;
}

function waitForNextSample(signal: AbortSignal): Promise<boolean> {
  return delay(SAMPLE_MS, true, { signal }).catch(() => false);
}

/** Throttles an expensive measurement. */
function createThrottle() {
  let nextMs = 0;
  return {
    isReady: () => performance.now() >= nextMs,
    time: async <T>(work: () => Promise<T>): Promise<T> => {
      const startMs = performance.now();
      const value = await work();
      const nowMs = performance.now();
      nextMs = nowMs + (nowMs - startMs) * REST_FACTOR;
      return value;
    },
  };
}

function tooManyProcesses({ processes }: ProcessBounds): PassedBound {
  const message = `it had more than ${processes} processes at the same time; limits.processes is ${processes}`;
  return { kind: 'bound', bound: 'processes', message };
}

function tooMuchMemory(used: number, { memoryBytes }: ProcessBounds): PassedBound {
  const message = `it used ${formatBytes(used)} of memory; limits.memory allows ${formatBytes(memoryBytes)}`;
  return { kind: 'bound', bound: 'memory', message };
}

function tooMuchWritten({ writtenBytes }: ProcessBounds): PassedBound {
  const message = `it wrote more than ${formatBytes(writtenBytes)} to the disk; limits.written_bytes allows no more`;
  return { kind: 'bound', bound: 'written_bytes', message };
}
