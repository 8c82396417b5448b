import { setTimeout as delay } from 'node:timers/promises';
import { MARK_VARIABLE } from '../../contracts/process-mark.ts';
import { filterPids, readProc, readProcNow, signalExists } from './mark-sweep.ts';

const PAUSE_MS = 10;

/** A git command that is let end leaves no lock; one that is asked to, takes its own away; one that is killed, does not. */
const STAGES = [
  { signal: null, limitMs: 30_000 },
  { signal: 'SIGTERM', limitMs: 2_000 },
  { signal: 'SIGKILL', limitMs: 2_000 },
] as const;

/**
 * Returns when no process is left that carries the mark, followed by the number of a process that is gone. What a
 * living process has started is its own. Only Linux shows other processes' environments; elsewhere there are none.
 */
export async function awaitOrphans(mark: string): Promise<void> {
  if (process.platform !== 'linux') return;
  for (const { signal, limitMs } of STAGES) {
    const deadline = performance.now() + limitMs;
    do {
      const orphans = await filterPids(async (pid) => isOrphan(await readProc(pid, 'environ'), mark));
      if (orphans.length === 0) return;
      if (signal !== null) for (const pid of orphans) endIfOrphan(pid, mark, signal);
      await delay(PAUSE_MS);
    } while (performance.now() < deadline);
  }
}

/** Looks again and signals without giving up the thread: between the two a pid must not change hands. */
function endIfOrphan(pid: number, mark: string, signal: NodeJS.Signals): void {
  if (!isOrphan(readProcNow(pid, 'environ'), mark)) return;
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself in the meantime.
  }
}

function isOrphan(environ: string, mark: string): boolean {
  const start = `${MARK_VARIABLE}=${mark}/`;
  const entry = environ.split('\0').find((candidate) => candidate.startsWith(start));
  return entry !== undefined && isGone(Number(entry.slice(start.length)));
}

/** A process that was killed and not yet reaped still has its number. */
function isGone(pid: number): boolean {
  if (!signalExists(pid)) return true;
  const stat = readProcNow(pid, 'stat');
  return ['Z', 'X'].includes(stat.charAt(stat.lastIndexOf(')') + 2));
}
