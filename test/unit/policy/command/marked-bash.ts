import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface MarkedBash {
  /** For each line, whether bash, with no other program within its reach, starts `mark`. */
  readonly startsMark: (lines: readonly string[]) => boolean[];
  readonly remove: () => void;
}

/** Every line has a file of its own: what one leaves running must not affect the next. */
const SCRIPT = `ran=$1; shift; n=0
for line; do
  (export RAN=$ran/$n; eval "$line"; wait) > /dev/null 2>&1 < /dev/null
  n=$((n + 1))
done`;

export function createMarkedBash(): MarkedBash {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'conductor-filter-')));
  for (const name of ['bin', 'work', 'ran']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'bin', 'mark'), '#!/bin/sh\n: > "$RAN"\n');
  chmodSync(join(folder, 'bin', 'mark'), 0o755);
  return {
    startsMark: (lines) => {
      const ran = join(folder, 'ran');
      rmSync(ran, { recursive: true });
      mkdirSync(ran);
      const args = ['--noprofile', '--norc', '-c', SCRIPT, 'bash', ran, ...lines];
      execFileSync('/bin/bash', args, { cwd: join(folder, 'work'), env: { PATH: join(folder, 'bin') } });
      const numbers = new Set(readdirSync(ran));
      return lines.map((_line, index) => numbers.has(String(index)));
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
