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

/**
 * The least milliseconds of processor time, of all its threads, that each command takes: what else happens on the machine
 * can only add to it.
 */
export function measureCpu(commands, { rounds, cwd, env }) {
  const least = commands.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, command] of commands.entries()) {
      least[index] = Math.min(least[index], cpuTime(command, { cwd, env }));
    }
  }
  return least;
}

/** The command runs in this very process, which tells its own use at its end. */
const REPORTER = `data:text/javascript,${encodeURIComponent(
  'process.on("exit",()=>{const{user,system}=process.cpuUsage();process.stderr.write("\\ncpu "+(user+system))})',
)}`;

function cpuTime({ name, args }, { cwd, env }) {
  const { status, ms, stderr } = cpuTimeOf(args, { cwd, env });
  if (status === 0 && !Number.isNaN(ms)) return ms;
  throw new Error(`${name} failed with exit ${status}: ${stderr}`);
}

/** How a command ended and what it took; not a number where it did not come to tell. */
export function cpuTimeOf(args, { cwd, env }) {
  const stdio = ['ignore', 'ignore', 'pipe'];
  const result = spawnSync(process.execPath, ['--import', REPORTER, ...args], { cwd, env, stdio });
  const stderr = String(result.stderr).trim();
  const microseconds = /(?:^|\n)cpu (\d+)$/.exec(stderr)?.[1];
  return { status: result.status, ms: Number(microseconds ?? Number.NaN) / 1000, stderr };
}

export function median(values) {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
