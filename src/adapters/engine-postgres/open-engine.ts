import { join } from 'node:path';
import { LEASE_TIMING, type LeaseTiming } from '../../node/lease-watch.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RecordFolders } from '../../ports/record-folders.ts';
import { type BlobStore, createBlobFolder } from './blob-folder.ts';
import { type Database, openDatabase } from './database.ts';
import { createJobQueue, type JobQueue } from './job-queue.ts';
import { type ImportPackage, importInstalled } from './packages.ts';

export interface PostgresEngineDeps {
  /** The connection string. */
  readonly url: string;
  /** Names the repository, alike on all machines: the runs of other repositories are not seen. */
  readonly repository: string;
  /** Absolute path of the folder for evidence files, which all machines share. */
  readonly blobs: string;
  readonly folders: RecordFolders;
  readonly clock: Clock;
  /** Called when a run is created. */
  readonly onCreated?: () => Promise<void>;
  /** All processes that share the database must use the same timing. */
  readonly lease?: LeaseTiming;
  /** How long a read waits for a database that doesn't answer. */
  readonly patienceMs?: number;
  readonly importPackage?: ImportPackage;
}

export interface OpenEngine {
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly blobs: BlobStore;
  readonly folders: RecordFolders;
  readonly clock: Clock;
  readonly repository: string;
  /** Its name is null if this process drives only runs that it was started for. */
  readonly worker: { name: string | null };
  readonly timing: LeaseTiming;
  readonly onCreated: () => Promise<void>;
  /** The most events of each run that this process has seen in the database. */
  readonly seen: Map<string, number>;
}

export function openEngine(deps: PostgresEngineDeps): OpenEngine {
  const { url, repository, folders, clock, lease: timing = LEASE_TIMING } = deps;
  const worker = { name: null };
  const importPackage = deps.importPackage ?? importInstalled;
  const patience = deps.patienceMs === undefined ? {} : { patienceMs: deps.patienceMs };
  const database = openDatabase({ url, importPackage, ...patience });
  return {
    database,
    jobs: createJobQueue(database, timing.leaseMs, worker),
    blobs: createBlobFolder(join(deps.blobs)),
    folders,
    clock,
    repository,
    worker,
    timing,
    onCreated: deps.onCreated ?? (() => Promise.resolve()),
    seen: new Map(),
  };
}
