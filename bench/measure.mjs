// Commands side by side. The machine is never as idle as one would like: whatever disturbs a round disturbs
// all commands of it, every command comes first in turn, and the median forgets the worst rounds.
import { spawnSync } from 'node:child_process';

const WARM_UP_ROUNDS = 2;

/** Median milliseconds of each command, in their order. */
export function measure(commands, { rounds, cwd, env }) {
  const times = commands.map(() => []);
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
    for (const [offset] of commands.entries()) {
      const index = (offset + round + WARM_UP_ROUNDS) % commands.length;
      const took = time(commands[index], { cwd, env });
      if (round >= 0) times[index].push(took);
    }
  }
  return times.map(median);
}

function time({ name, args }, { cwd, env }) {
  const start = process.hrtime.bigint();
  const result = spawnSync(process.execPath, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
  const took = Number(process.hrtime.bigint() - start) / 1e6;
  if (result.status === 0) return took;
  const reason = result.error?.message ?? String(result.stderr).trim();
  throw new Error(`${name} failed with exit ${result.status}: ${reason}`);
}

export function median(values) {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
