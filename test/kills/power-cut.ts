import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { markedProcesses } from '../e2e/marked-processes.ts';

/**
 * Takes from a run's directory what no flush has made durable: a file is what it was at its last flush, and one
 * that was never flushed keeps its name and loses its content. `flushed` is what trapped-disk.mjs noted.
 */
export function cutPower(runPath: string, flushed: string): void {
  for (const entry of readdirSync(runPath, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const image = join(flushed, String(statSync(path).ino));
    writeFileSync(path, existsSync(image) ? readFileSync(image) : '');
  }
}

/** Until none is left: one may have been about to start another. */
export function endProcessesOf(runId: string): void {
  for (let found = markedProcesses(runId); found.length > 0; found = markedProcesses(runId))
    for (const pid of found) end(pid);
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended in the meantime.
  }
}
