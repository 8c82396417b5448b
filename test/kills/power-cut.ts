import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { markedProcesses } from '../e2e/marked-processes.ts';

/**
 * Removes from a folder what no flush made durable: a file gets the content of its last flush, and one that was never
 * flushed keeps its name and loses its content. `flushed` is what trapped-disk.mjs recorded.
 */
export function cutPower(folder: string, flushed: string): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const image = join(flushed, String(statSync(path).ino));
    writeFileSync(path, existsSync(image) ? readFileSync(image) : '');
  }
}

/** Repeats until none is left, because a process may start another. */
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
