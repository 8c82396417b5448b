import { readdirSync, readFileSync } from 'node:fs';

/** Living processes that carry a mark of this run, whatever session they moved to, and its git commands. */
export function markedProcesses(runId: string): readonly number[] {
  const marks = [`CONDUCTOR_MARK=${runId}/`, `CONDUCTOR_MARK=git/${runId}/`];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => environmentOf(pid).some((entry) => marks.some((mark) => entry.startsWith(mark))));
}

/** A zombie has no environment any more, and another user's process shows none. */
function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
