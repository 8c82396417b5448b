import { sha256Hex } from '../../node/sha256.ts';
import type { Database, Transaction } from './database.ts';
import { BACKGROUND_CLOCK, type Boss } from './packages.ts';
import { JOB_SCHEMA } from './schema.ts';

/**
 * The jobs of queued runs, in pg-boss: a queue for each set of labels that runs need, and one job for each queued run.
 * pg-boss hands a job to one worker, expects heartbeats while the job is active, delivers it again without them, and
 * delays a job that is not due. The row of a run says whether the run is due; a job that is delivered too early or twice
 * does no harm.
 */
export interface JobQueue {
  /** The name of the queue for runs with these needs. Creates the queue. */
  readonly prepare: (needs: readonly string[]) => Promise<string>;
  /** Returns the id of the job. A run without a time waits for a message. */
  readonly send: (
    transaction: Transaction,
    queue: string,
    runId: string,
    dueAt: Date | null,
  ) => Promise<string>;
  /** Makes a waiting job the next one of its queue. False if the job is active or gone. */
  readonly promote: (queue: string, jobId: string) => Promise<boolean>;
  /** Takes the next job. */
  readonly fetch: (transaction: Transaction, queue: string) => Promise<FetchedJob | null>;
  readonly touch: (queue: string, jobId: string) => Promise<void>;
  readonly complete: (transaction: Transaction, queue: string, jobId: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface FetchedJob {
  readonly id: string;
  readonly runId: string;
}

/** A job without a time: pg-boss keeps it until then, and a message to the run makes it due at once. */
const NEVER = new Date('9999-01-01T00:00:00Z');
/** pg-boss refuses a job that may be active for longer. The lease of a run that is driven longer stays valid. */
const EXPIRE_SECONDS = 24 * 3600;
const RETENTION_SECONDS = 365 * 24 * 3600;
const DELETE_SECONDS = 24 * 3600;
const RETRY_LIMIT = 1_000_000;
/** The least that pg-boss accepts. */
const MIN_HEARTBEAT_SECONDS = 10;
const SUPERVISE_SECONDS = 5;
const PROMOTED = 1;

export function createJobQueue(
  database: Database,
  leaseMs: number,
  worker: { readonly name: string | null },
): JobQueue {
  let starting: Promise<Boss> | null = null;
  const prepared = new Map<string, Promise<void>>();
  const heartbeatSeconds = Math.max(MIN_HEARTBEAT_SECONDS, Math.ceil(leaseMs / 1000));
  const boss = (): Promise<Boss> => {
    starting ??= startBoss(database, worker.name !== null).catch((error: unknown) => {
      starting = null;
      throw error;
    });
    return starting;
  };
  const createQueue = async (name: string): Promise<void> =>
    (await boss()).createQueue(name, {
      policy: 'standard',
      heartbeatSeconds,
      expireInSeconds: EXPIRE_SECONDS,
      retryLimit: RETRY_LIMIT,
      retentionSeconds: RETENTION_SECONDS,
      deleteAfterSeconds: DELETE_SECONDS,
    });
  return {
    prepare: async (needs) => {
      const name = `runs.${sha256Hex(JSON.stringify([...needs].sort())).slice(0, 16)}`;
      const creating = prepared.get(name) ?? createQueue(name);
      prepared.set(name, creating);
      await creating.catch((error: unknown) => {
        prepared.delete(name);
        throw error;
      });
      return name;
    },
    send: async ({ db }, queue, runId, dueAt) => {
      const id = await (await boss()).send(queue, { runId }, { db, startAfter: dueAt ?? NEVER });
      if (id === null) throw new Error(`pg-boss took no job for run ${runId}`);
      return id;
    },
    promote: async (queue, id) => {
      const options = { id, startAfter: new Date(0), priority: PROMOTED };
      return (await (await boss()).update(queue, undefined, options)).updated > 0;
    },
    fetch: async ({ db }, queue) => {
      const [job] = await (await boss()).fetch(queue, { batchSize: 1, db });
      return job === undefined ? null : { id: job.id, runId: (job.data as { runId: string }).runId };
    },
    touch: async (queue, id) => void (await (await boss()).touch(queue, id)),
    complete: async ({ db }, queue, id) =>
      void (await (await boss()).complete(queue, id, null, { db, includeQueued: true })),
    close: async () => {
      const started = await starting?.catch(() => null);
      await started?.stop({ graceful: false, close: false });
    },
  };
}

async function startBoss(database: Database, isWorker: boolean): Promise<Boss> {
  const boss = await createBoss(database, { migrate: false, supervise: isWorker });
  await boss.start();
  return boss;
}

export async function createBoss(
  database: Database,
  { migrate, supervise }: { readonly migrate: boolean; readonly supervise: boolean },
): Promise<Boss> {
  const { PgBoss } = await database.packages();
  const boss = new PgBoss({
    db: database.db,
    schema: JOB_SCHEMA,
    migrate,
    createSchema: migrate,
    supervise,
    schedule: false,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: 1,
    queueCacheIntervalSeconds: 1,
    clock: BACKGROUND_CLOCK,
  });
  // Its background work fails while the database is away, and is repeated.
  boss.on('error', () => {});
  boss.on('warning', () => {});
  return boss;
}
