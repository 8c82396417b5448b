import { loadOptional } from '../../contracts/expected-failure.ts';

/**
 * What the engine uses of the packages `pg` and `pg-boss`. They are optional peers, which are loaded when the engine
 * first connects, and whose types are not installed with conductor.
 */
export interface Packages {
  readonly Pool: new (options: PoolOptions) => Pool;
  readonly PgBoss: new (options: BossOptions) => Boss;
}

export interface PoolOptions {
  readonly connectionString: string;
  readonly max: number;
  readonly connectionTimeoutMillis: number;
  readonly query_timeout: number;
  readonly idleTimeoutMillis: number;
  readonly keepAlive: boolean;
  readonly application_name: string;
  readonly allowExitOnIdle: boolean;
}

export interface Rows {
  readonly rows: readonly Row[];
  readonly rowCount: number | null;
}

export type Row = Readonly<Record<string, unknown>>;

export interface Pool {
  readonly query: (text: string, values?: readonly unknown[]) => Promise<Rows>;
  readonly connect: () => Promise<Client>;
  readonly end: () => Promise<void>;
  readonly on: (event: 'error', listener: (error: Error) => void) => unknown;
}

export interface Client {
  readonly query: (text: string, values?: readonly unknown[]) => Promise<Rows>;
  /** With an error, the connection is closed and not used again. */
  readonly release: (error?: Error) => void;
  readonly on: (event: 'error', listener: (error: Error) => void) => unknown;
  readonly off: (event: 'error', listener: (error: Error) => void) => unknown;
}

/** Runs the statements of pg-boss, in a transaction or on its own. The answer is that of `pg`, as pg-boss expects it. */
export interface BossDatabase {
  readonly executeSql: (text: string, values?: readonly unknown[]) => Promise<unknown>;
}

interface BossOptions {
  readonly db: BossDatabase;
  readonly schema: string;
  readonly migrate: boolean;
  readonly createSchema: boolean;
  readonly supervise: boolean;
  readonly schedule: boolean;
  readonly superviseIntervalSeconds: number;
  readonly monitorIntervalSeconds: number;
  readonly queueCacheIntervalSeconds: number;
  readonly clock: BossClock;
}

interface BossClock {
  readonly now: () => number;
  readonly setTimeout: (work: () => void, ms: number) => NodeJS.Timeout;
  readonly clearTimeout: (timer: NodeJS.Timeout) => void;
  readonly setInterval: (work: () => void, ms: number) => NodeJS.Timeout;
  readonly clearInterval: (timer: NodeJS.Timeout) => void;
}

interface InTransaction {
  readonly db?: BossDatabase;
}

export interface Job {
  readonly id: string;
  readonly data: unknown;
}

export interface Boss {
  readonly start: () => Promise<unknown>;
  readonly stop: (options: { readonly graceful: boolean; readonly close: boolean }) => Promise<void>;
  readonly on: (event: 'error' | 'warning', listener: (error: unknown) => void) => unknown;
  readonly createQueue: (
    name: string,
    options: {
      readonly policy: 'standard';
      readonly heartbeatSeconds: number;
      readonly expireInSeconds: number;
      readonly retryLimit: number;
      readonly retentionSeconds: number;
      readonly deleteAfterSeconds: number;
    },
  ) => Promise<void>;
  readonly send: (
    name: string,
    data: object,
    options: InTransaction & { readonly startAfter?: Date },
  ) => Promise<string | null>;
  readonly update: (
    name: string,
    data: undefined,
    options: InTransaction & { readonly id: string; readonly startAfter?: Date; readonly priority?: number },
  ) => Promise<{ readonly updated: number }>;
  readonly fetch: (
    name: string,
    options: InTransaction & { readonly batchSize: number },
  ) => Promise<readonly Job[]>;
  readonly touch: (name: string, id: string, options?: InTransaction) => Promise<unknown>;
  readonly complete: (
    name: string,
    id: string,
    data?: object | null,
    options?: InTransaction & { readonly includeQueued?: boolean },
  ) => Promise<unknown>;
}

export type ImportPackage = (name: 'pg' | 'pg-boss') => Promise<unknown>;

export const importInstalled: ImportPackage = (name) => (name === 'pg' ? import('pg') : import('pg-boss'));

const PURPOSE = 'the engine postgres';

export async function loadPackages(importPackage: ImportPackage): Promise<Packages> {
  const pg = await loadOptional(PURPOSE, 'pg', () => importPackage('pg'));
  const boss = await loadOptional(PURPOSE, 'pg-boss', () => importPackage('pg-boss'));
  const { Pool } = pg as Pick<Packages, 'Pool'>;
  const { PgBoss } = boss as Pick<Packages, 'PgBoss'>;
  return { Pool, PgBoss };
}

/** pg-boss on its own timers would keep a process alive that has nothing else to do. */
export const BACKGROUND_CLOCK: BossClock = {
  now: () => Date.now(),
  setTimeout: (work, ms) => setTimeout(work, ms).unref(),
  clearTimeout: (timer) => clearTimeout(timer),
  setInterval: (work, ms) => setInterval(work, ms).unref(),
  clearInterval: (timer) => clearInterval(timer),
};
