import { createHash, randomInt } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import * as z from 'zod';
import { writeAtomically } from '../../node/atomic-file.ts';
import { pathExists } from '../../node/path-exists.ts';
import { parseProcStat, readSystemFile, readSystemLink } from '../../node/proc.ts';
import { hasErrorCode } from '../../text/error-code.ts';

/**
 * Ranges of loopback ports, each claimed by a file. A process first writes its claim and then reads all others: if two
 * processes claim the same port at the same time, at least one sees the other's claim and gives way. A claim ends with
 * the workspace of its run or with its process, whichever ends first.
 */
export interface PortRegistry {
  readonly reserve: (request: PortClaim) => Promise<number>;
  readonly release: (runId: string) => Promise<void>;
}

export interface PortClaim {
  readonly runId: string;
  readonly workspace: string;
  readonly count: number;
}

/** Above the ports of known services, below the ephemeral ports that systems assign. */
const FIRST_PORT = 16_000;
const LAST_PORT = 31_999;
const TRIES_LIMIT = 500;

const claimSchema = z.object({
  first: z.int(),
  count: z.int(),
  workspace: z.string(),
  pid: z.int(),
  started: z.string(),
  boot: z.string(),
  namespace: z.string(),
});
type Claim = z.infer<typeof claimSchema>;

export function createPortRegistry(folder: string): PortRegistry {
  const pathOf = (runId: string) => join(folder, `${runId.replace(/[^\w.-]/g, '_')}.json`);
  return {
    reserve: async ({ runId, workspace, count }) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = pathOf(runId);
      const own = await readClaim(path);
      // While this process drives the run, its ports stay the same, even if its own programs listen on them.
      if (own?.count === count && isSameHolder(own, thisProcess())) return own.first;
      const start = own?.count === count ? own.first : firstCandidate(runId, count);
      for (let tries = 0, first = start; tries < TRIES_LIMIT; tries += 1, first = randomCandidate(count)) {
        if (isOverlapping(first, count, await readOtherClaims(folder, path))) continue;
        await writeClaim(path, { first, count, workspace, ...thisProcess() });
        if (isOverlapping(first, count, await readOtherClaims(folder, path))) continue;
        if (await areFree(first, count)) return first;
      }
      await rm(path, { force: true });
      throw new Error(`no ${count} consecutive free ports were found between ${FIRST_PORT} and ${LAST_PORT}`);
    },
    release: (runId) => rm(pathOf(runId), { force: true }),
  };
}

/** Runs start at different ports, so that they rarely collide. */
function firstCandidate(runId: string, count: number): number {
  const number = createHash('sha256').update(runId).digest().readUInt32BE(0);
  return FIRST_PORT + (number % (LAST_PORT - FIRST_PORT - count + 2));
}

/** Random, so that two processes that give way to each other don't collide again. */
function randomCandidate(count: number): number {
  return randomInt(FIRST_PORT, LAST_PORT - count + 2);
}

function isOverlapping(first: number, count: number, claims: readonly Claim[]): boolean {
  return claims.some((claim) => claim.first < first + count && first < claim.first + claim.count);
}

async function readOtherClaims(folder: string, own: string): Promise<Claim[]> {
  const claims: Claim[] = [];
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (!name.endsWith('.json') || path === own) continue;
    const claim = await readClaim(path);
    if (claim === null) continue;
    if (await isHeld(claim)) claims.push(claim);
    // A claim file is only ever written for its own run, so no other run can have claimed it again.
    else if (!(await pathExists(claim.workspace))) await rm(path, { force: true });
  }
  return claims;
}

async function readClaim(path: string): Promise<Claim | null> {
  try {
    return claimSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
}

async function writeClaim(path: string, claim: Claim): Promise<void> {
  await writeAtomically(path, JSON.stringify(claim));
}

async function areFree(first: number, count: number): Promise<boolean> {
  for (let port = first; port < first + count; port += 1) if (!(await isFree(port))) return false;
  return true;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

type Holder = Pick<Claim, 'pid' | 'started' | 'boot' | 'namespace'>;

function thisProcess(): Holder {
  return {
    pid: process.pid,
    started: readStartTime(process.pid),
    boot: readSystemFile('/proc/sys/kernel/random/boot_id').trim(),
    namespace: readSystemLink('/proc/self/ns/pid'),
  };
}

function isSameHolder(one: Holder, other: Holder): boolean {
  return (['pid', 'started', 'boot', 'namespace'] as const).every((key) => one[key] === other[key]);
}

/** A process in another container is not visible: its claim lasts as long as its workspace exists. */
async function isHeld({ pid, started, boot, namespace, workspace }: Claim): Promise<boolean> {
  if (!(await pathExists(workspace))) return false;
  const own = thisProcess();
  if (boot !== own.boot) return false;
  if (namespace !== own.namespace) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!hasErrorCode(error, 'EPERM')) return false;
  }
  return started === readStartTime(pid);
}

function readStartTime(pid: number): string {
  return parseProcStat(readSystemFile(`/proc/${pid}/stat`)).startTime;
}
