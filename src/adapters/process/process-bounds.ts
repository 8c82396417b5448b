import { totalmem } from 'node:os';
import { parseBytes } from '../../contracts/byte-size.ts';
import type { Config } from '../../contracts/config/config.ts';
import type { ProcessBounds } from './bound-watch.ts';

/** Leaves the rest to conductor itself and the rest of the machine. */
const MACHINE_SHARE = 0.75;

/** The resource limits of a step on this machine. */
export function computeProcessBounds(limits: Config['limits']): ProcessBounds {
  const constrained = process.constrainedMemory();
  const machine = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return {
    memoryBytes: Math.min(bytesOf(limits.memory), Math.floor(machine * MACHINE_SHARE)),
    processes: limits.processes,
    writtenBytes: bytesOf(limits.written_bytes),
  };
}

/** The most in-memory folders that a sandboxed process gets. */
const MAX_PRIVATE_FOLDERS = 8;

/** Size limit of each in-memory folder, so that all of them fit into the memory limit. */
export function computePrivateBytes(limits: Config['limits']): number {
  return Math.floor(computeProcessBounds(limits).memoryBytes / MAX_PRIVATE_FOLDERS);
}

/** Never throws for a checked configuration: the schema rejects invalid sizes. */
function bytesOf(size: string | number): number {
  const bytes = parseBytes(size);
  if (bytes === null) throw new Error(`not a size: ${size}`);
  return bytes;
}
