import { totalmem } from 'node:os';
import type { ProcessBounds } from '../adapters/process/bound-watch.ts';
import { parseBytes } from '../contracts/byte-size.ts';
import type { Config } from '../contracts/config.ts';

/** The conductor and the rest of the machine need some too. */
const MACHINE_SHARE = 0.75;

/** The bounds of a step on this machine. */
export function processBounds(limits: Config['limits']): ProcessBounds {
  const constrained = process.constrainedMemory();
  const machine = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return {
    memoryBytes: Math.min(bytesOf(limits.memory), Math.floor(machine * MACHINE_SHARE)),
    processes: limits.processes,
    writtenBytes: bytesOf(limits.written_bytes),
  };
}

/** What each of the folders holds that a sandboxed process has of its own, in memory. There are at most eight of them. */
export function privateBytes(limits: Config['limits']): number {
  return Math.floor(processBounds(limits).memoryBytes / 8);
}

/** The schema has already refused what is no size. */
function bytesOf(size: string | number): number {
  const bytes = parseBytes(size);
  if (bytes === null) throw new Error(`not a size: ${size}`);
  return bytes;
}
