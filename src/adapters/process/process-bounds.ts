import { totalmem } from 'node:os';
import { parseBytes } from '../../contracts/byte-size.ts';
import type { Config } from '../../contracts/config/config.ts';
import type { ProcessBounds } from './bound-watch.ts';

/** Leaves the rest to conductor itself and the rest of the machine. */
const MACHINE_SHARE = 0.75;

/** The resource limits of a step on this machine. */
export function processBounds(limits: Config['limits']): ProcessBounds {
  const constrained = process.constrainedMemory();
  const machine = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return {
    memoryBytes: Math.min(bytesOf(limits.memory), Math.floor(machine * MACHINE_SHARE)),
    processes: limits.processes,
    writtenBytes: bytesOf(limits.written_bytes),
  };
}

/** Size limit of each in-memory folder that a sandboxed process gets. There are at most eight of them. */
export function privateBytes(limits: Config['limits']): number {
  return Math.floor(processBounds(limits).memoryBytes / 8);
}

/** Never throws for a checked configuration: the schema rejects invalid sizes. */
function bytesOf(size: string | number): number {
  const bytes = parseBytes(size);
  if (bytes === null) throw new Error(`not a size: ${size}`);
  return bytes;
}
