import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of its own that a test can fill. */
export interface SmallDisk {
  readonly folder: string;
  readonly fill: () => void;
  readonly free: () => void;
  readonly remove: () => void;
}

/** Null where this user may not mount one. */
export function mountSmallDisk(megabytes: number): SmallDisk | null {
  const folder = mkdtempSync(join(tmpdir(), 'conductor-disk-'));
  const mounting = ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder];
  try {
    execFileSync('mount', mounting, { stdio: 'ignore' });
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill: () => {
      const file = openSync(ballast, 'w');
      for (const bytes of [1024 * 1024, 4096, 1]) writeUntilFull(file, Buffer.alloc(bytes));
      closeSync(file);
    },
    free: () => rmSync(ballast, { force: true }),
    remove: () => {
      // Something may still have a file open there.
      execFileSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true });
    },
  };
}

function writeUntilFull(file: number, block: Buffer): void {
  for (;;)
    try {
      if (writeSync(file, block) < block.length) return;
    } catch {
      return;
    }
}
