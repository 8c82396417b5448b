import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { writeAtomically } from '../../node/atomic-file.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Submission } from '../../ports/engine.ts';
import type { Wake } from '../../ports/run-store.ts';
import { hasErrorCode } from '../../text/error-code.ts';
import { parseJson } from '../../text/json.ts';
import { exists, removeIfPresent } from './durable-file.ts';
import { readRegularFile } from './regular-file.ts';

/**
 * The queue of submitted runs: a file per run in a folder beside the runs. Only the holder of the run's lock changes an
 * entry. A message to the run creates a second file, which the next claim removes before it reads the inbox. So no
 * message is missed, whenever it arrives: at worst, a claim finds nothing new.
 */
export interface RunQueue {
  readonly add: (submission: Submission) => Promise<void>;
  /** Oldest first. */
  readonly list: () => Promise<readonly QueueEntry[]>;
  readonly read: (runId: string) => Promise<QueueEntry | null>;
  /** Makes a queued run due, because a message has arrived for it. */
  readonly noteMessage: (runId: string) => Promise<void>;
  readonly clearMessage: (runId: string) => Promise<void>;
  /** Records when a queued run is due again. Does nothing for a run that was never submitted. */
  readonly rest: (runId: string, wake: Wake) => Promise<void>;
}

const entrySchema = z.strictObject({
  run_id: z.string(),
  artifacts_dir: z.string().nullable(),
  needs: z.array(z.string()),
  request: z.string(),
  /** Null if only a message makes the run due. */
  due_at: z.string().nullable(),
});

export interface QueueEntry extends Submission {
  readonly dueAt: string | null;
  readonly hasMessage: boolean;
}

const FOLDER = '.queue';

export function createRunQueue(runsDir: string, clock: Clock): RunQueue {
  const folder = join(runsDir, FOLDER);
  const entryPath = (runId: string) => join(folder, `${runId}.json`);
  const messagePath = (runId: string) => join(folder, `${runId}.message`);
  const now = () => clock.now().toISOString();
  const write = async (submission: Submission, dueAt: string | null) => {
    const { runId, artifactsDir, needs, request } = submission;
    const entry = { run_id: runId, artifacts_dir: artifactsDir, needs: [...needs], request, due_at: dueAt };
    await writeAtomically(entryPath(runId), `${JSON.stringify(entry)}\n`, { durable: true });
  };
  const read = async (runId: string): Promise<QueueEntry | null> => {
    const { data } = entrySchema.safeParse(parseJson(await readTextIfPresent(entryPath(runId))));
    if (data === undefined) return null;
    const { artifacts_dir: artifactsDir, needs, request, due_at: dueAt } = data;
    return { runId, artifactsDir, needs, request, dueAt, hasMessage: await exists(messagePath(runId)) };
  };
  return {
    add: async (submission) => {
      await mkdir(folder, { recursive: true });
      await write(submission, now());
    },
    list: async () => {
      const names = (await listNames(folder)).filter((name) => name.endsWith('.json')).sort();
      const entries = await Promise.all(names.map((name) => read(name.slice(0, -'.json'.length))));
      return entries.flatMap((entry) => entry ?? []);
    },
    read,
    noteMessage: async (runId) => {
      if (await exists(entryPath(runId))) await writeAtomically(messagePath(runId), '', { durable: true });
    },
    clearMessage: (runId) => removeIfPresent(messagePath(runId)),
    rest: async (runId, wake) => {
      const entry = await read(runId);
      if (entry === null) return;
      if (wake.kind !== 'never') return write(entry, wake.kind === 'now' ? now() : wake.time);
      await removeIfPresent(entryPath(runId));
      await removeIfPresent(messagePath(runId));
    },
  };
}

export function isDue({ dueAt, hasMessage }: QueueEntry, nowMs: number): boolean {
  return hasMessage || (dueAt !== null && Date.parse(dueAt) <= nowMs);
}

export function isCovered({ needs }: Pick<Submission, 'needs'>, labels: readonly string[]): boolean {
  return needs.every((need) => labels.includes(need));
}

async function listNames(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'ENOTDIR')) return [];
    throw error;
  }
}

async function readTextIfPresent(path: string): Promise<string> {
  try {
    return (await readRegularFile(path)).toString('utf8');
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'ENOTDIR')) return '';
    throw error;
  }
}
