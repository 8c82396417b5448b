import { mkdir, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { writeAtomically } from '../../node/atomic-file.ts';
import type { KnownWorker, Membership, WorkerReport } from '../../ports/engine.ts';
import { hasErrorCode } from '../../text/error-code.ts';
import { parseJson } from '../../text/json.ts';
import { classifyHolder } from './holder-state.ts';
import { formatIdentity, lookUpProcess, parseIdentity, thisProcess } from './process-identity.ts';
import { readRegularFile } from './regular-file.ts';

/**
 * The workers of a queue: a file each, named by its process and renewed by it. The file of a process that has died, or
 * that can't be seen and stopped renewing, is ignored and removed by the next worker that joins.
 */
export interface WorkerList {
  readonly join: (worker: WorkerReport) => Promise<Membership>;
  readonly list: () => Promise<readonly KnownWorker[]>;
}

const reportSchema = z.strictObject({
  name: z.string(),
  labels: z.array(z.string()),
  slots: z.number(),
  problems: z.array(z.strictObject({ runId: z.string(), message: z.string(), retryAt: z.string() })),
  renewed_ms: z.number(),
});

const FOLDER = '.queue/workers';
const SUFFIX = '.json';
/** A worker of another machine or container counts as gone after this long without renewal. */
const GONE_MS = 60_000;

export function createWorkerList(runsDir: string, now: () => Date): WorkerList {
  const folder = join(runsDir, FOLDER);
  const read = async (name: string): Promise<KnownWorker | null> => {
    const holder = parseIdentity(name.slice(0, -SUFFIX.length));
    const text = (await readRegularFile(join(folder, name)).catch(() => null))?.toString('utf8') ?? '';
    const { data } = reportSchema.safeParse(parseJson(text));
    if (holder === null || data === undefined) return null;
    const { renewed_ms: renewedMs, ...report } = data;
    const seen = { process: lookUpProcess(holder.pid), leaseAgeMs: now().getTime() - renewedMs };
    const isAlive = classifyHolder(holder, thisProcess(), seen, GONE_MS) === 'alive';
    return isAlive ? { ...report, pid: holder.pid, host: holder.host } : null;
  };
  const list = async () => {
    const found = await Promise.all((await listNames(folder)).map(read));
    return found.flatMap((worker) => worker ?? []).sort((a, b) => (a.name < b.name ? -1 : 1));
  };
  return {
    list,
    join: async (worker) => {
      await mkdir(folder, { recursive: true });
      for (const name of await listNames(folder))
        if ((await read(name)) === null) await removeIfPresent(join(folder, name));
      const path = join(folder, `${formatIdentity(thisProcess())}${SUFFIX}`);
      const report = ({ name, labels, slots, problems }: WorkerReport) =>
        writeAtomically(
          path,
          `${JSON.stringify({ name, labels, slots, problems, renewed_ms: now().getTime() })}\n`,
        );
      await report(worker);
      return { report, leave: () => removeIfPresent(path) };
    },
  };
}

async function listNames(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith(SUFFIX)).sort();
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'ENOTDIR')) return [];
    throw error;
  }
}

async function removeIfPresent(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT')) throw error;
  }
}
