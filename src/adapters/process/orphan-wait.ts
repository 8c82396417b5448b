import { setTimeout as delay } from 'node:timers/promises';
import { MARK_VARIABLE } from '../../contracts/run/process-mark.ts';
import { hasExited, parseProcStat } from '../../node/proc.ts';
import { filterPids, readProc, readProcNow, signalExists } from './mark-sweep.ts';

const PAUSE_MS = 10;

/**
 * A git command that finishes leaves no lock file, and on SIGTERM it removes its own. After SIGKILL its lock file
 * stays.
 */
const STAGES = [
  { signal: null, limitMs: 30_000 },
  { signal: 'SIGTERM', limitMs: 2_000 },
  { signal: 'SIGKILL', limitMs: 2_000 },
] as const;

/**
 * Waits until no orphan is left: a process whose environment has the mark, followed by the pid of a dead process.
 * Processes that a living process started are not orphans. Only Linux shows the environments of other processes; other
 * systems find none.
 */
export async function awaitOrphans(mark: string): Promise<void> {
  if (process.platform !== 'linux') return;
  for (const { signal, limitMs } of STAGES) {
    const deadline = performance.now() + limitMs;
    do {
      const orphans = await filterPids(async (pid) => isOrphan(await readProc(pid, 'environ'), mark));
      if (orphans.length === 0) return;
      if (signal !== null) for (const pid of orphans) signalIfOrphan(pid, mark, signal);
      await delay(PAUSE_MS);
    } while (performance.now() < deadline);
  }
}

/** Checks again and signals synchronously, so that the pid can't pass to another process in between. */
function signalIfOrphan(pid: number, mark: string, signal: NodeJS.Signals): void {
  if (!isOrphan(readProcNow(pid, 'environ'), mark)) return;
  try {
    process.kill(pid, signal);
  } catch {
    // The process has exited in the meantime.
  }
}

function isOrphan(environ: string, mark: string): boolean {
  const start = `${MARK_VARIABLE}=${mark}/`;
  const entry = environ.split('\0').find((candidate) => candidate.startsWith(start));
  return entry !== undefined && isGone(Number(entry.slice(start.length)));
}

/** A killed process keeps its pid until it is reaped. */
function isGone(pid: number): boolean {
  if (!signalExists(pid)) return true;
  return hasExited(parseProcStat(readProcNow(pid, 'stat')));
}
