import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresAdmin } from '../../src/adapters/engine-postgres/engine-admin.ts';
import { createPostgresEngine } from '../../src/adapters/engine-postgres/postgres-engine.ts';
import { createRecordFolders } from '../../src/adapters/run-store/record-folder.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import type { LeaseTiming } from '../../src/node/lease-watch.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Engine } from '../../src/ports/engine.ts';
import type { EngineAdmin } from '../../src/ports/engine-admin.ts';
import { type Cluster, importPackage } from './cluster.ts';

const REPOSITORY = 'repository';

/** Engines on one database, each with a machine of its own: a folder of runs. */
export interface EngineScene {
  readonly admin: EngineAdmin;
  readonly query: (text: string, values?: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>;
  readonly open: (options?: OpenOptions) => Engine;
  /** The folder of evidence files, which all machines share. */
  readonly blobs: string;
  /** Deletes all runs and closes all engines. */
  readonly clear: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface OpenOptions {
  /** The name of its machine; engines of the same machine share a folder. */
  readonly machine?: string;
  /** If it connects by another address, such as that of a proxy. */
  readonly url?: string;
  readonly clock?: Clock;
  readonly lease?: LeaseTiming;
  readonly patienceMs?: number;
}

interface PgPool {
  readonly query: (
    text: string,
    values?: readonly unknown[],
  ) => Promise<{ readonly rows: readonly Record<string, unknown>[] }>;
  readonly end: () => Promise<void>;
  readonly on: (event: 'error', listener: () => void) => void;
}

export async function openScene({ url }: Pick<Cluster, 'url'>): Promise<EngineScene> {
  const root = await mkdtemp(join(tmpdir(), 'conductor-engine-pg-'));
  const { Pool } = (await importPackage('pg')) as { readonly Pool: new (options: object) => PgPool };
  const pool = new Pool({ connectionString: url, max: 2 });
  pool.on('error', () => {});
  const admin = createPostgresAdmin({ url, importPackage });
  await admin.migrate();
  const blobs = join(root, 'blobs');
  let engines: Engine[] = [];
  const closeEngines = async () => {
    const closing = engines;
    engines = [];
    await Promise.all(closing.map((engine) => engine.close()));
  };
  const query: EngineScene['query'] = async (text, values) => (await pool.query(text, values)).rows;
  return {
    admin,
    query,
    blobs,
    open: ({ machine = 'here', url: address = url, clock = systemClock, lease, patienceMs } = {}) => {
      const repoRoot = join(root, machine);
      const engine = createPostgresEngine({
        url: address,
        repository: REPOSITORY,
        blobs,
        folders: createRecordFolders({ repoRoot, runsDir: join(repoRoot, '.tnh/run') }),
        clock,
        importPackage,
        ...(lease === undefined ? {} : { lease }),
        ...(patienceMs === undefined ? {} : { patienceMs }),
      });
      engines.push(engine);
      return engine;
    },
    clear: async () => {
      await closeEngines();
      await query('truncate conductor.runs, conductor.workers cascade');
      await query('delete from conductor_jobs.job');
      await rm(root, { recursive: true, force: true });
    },
    close: async () => {
      await closeEngines();
      await admin.close();
      await pool.end();
      await rm(root, { recursive: true, force: true });
    },
  };
}
