import { setTimeout as sleep } from 'node:timers/promises';
import { ExpectedFailure } from '../../contracts/expected-failure.ts';
import { messageOf } from '../../text/error-message.ts';
import {
  type BossDatabase,
  type ImportPackage,
  loadPackages,
  type Packages,
  type Pool,
  type Row,
} from './packages.ts';

export interface Database {
  readonly packages: () => Promise<Packages>;
  /** One statement, sent once. */
  readonly send: Query;
  /** Statements of pg-boss outside of a transaction. */
  readonly db: BossDatabase;
  /** A statement that may be executed twice: sent again if the connection is lost, for a limited time. */
  readonly query: Query;
  /** Executed again as a whole if the connection is lost: its effect must be the same the second time. */
  readonly transaction: <T>(work: (transaction: Transaction) => Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
}

export type Query = (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

export interface Transaction {
  readonly query: Query;
  /** For pg-boss, so that its statements are part of this transaction. */
  readonly db: BossDatabase;
}

export interface DatabaseDeps {
  /** With user and password, so it never goes into a message. */
  readonly url: string;
  readonly importPackage: ImportPackage;
  /** How long a statement that may be repeated is repeated. */
  readonly patienceMs?: number;
}

const CONNECT_TIMEOUT_MS = 5000;
/** The server may be gone without a word: a cut cable. */
const QUERY_TIMEOUT_MS = 10_000;
const IDLE_MS = 30_000;
const MAX_CONNECTIONS = 8;
/** Longer than a lease, so that a driver learns first that its lease is lost. */
const PATIENCE_MS = 20_000;
const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 1000;

export function openDatabase({ url, importPackage, patienceMs = PATIENCE_MS }: DatabaseDeps): Database {
  let loading: Promise<Packages> | null = null;
  let pool: Pool | null = null;
  let isClosed = false;
  const packages = () => {
    loading ??= loadPackages(importPackage);
    return loading;
  };
  const open = async (): Promise<Pool> => {
    const { Pool } = await packages();
    if (isClosed) throw new Error('the engine is closed');
    pool ??= createPool(Pool, url);
    return pool;
  };
  const explained = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw explainError(error, describePlace(url));
    }
  };
  const send: Query = (text, values) =>
    explained(async () => (await (await open()).query(text, values)).rows);
  const patiently = <T>(work: () => Promise<T>) => retryWhileLost(work, patienceMs, describePlace(url));
  return {
    packages,
    send,
    db: { executeSql: (text, values) => explained(async () => (await open()).query(text, values)) },
    query: (text, values) => patiently(() => send(text, values)),
    transaction: (work) => patiently(() => explained(async () => inTransaction(await open(), work))),
    close: async () => {
      isClosed = true;
      await pool?.end();
    },
  };
}

function createPool(create: Packages['Pool'], url: string): Pool {
  const pool = new create({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    application_name: 'conductor',
    allowExitOnIdle: true,
  });
  // The server ended an idle connection. The pool opens another one.
  pool.on('error', () => {});
  return pool;
}

async function inTransaction<T>(pool: Pool, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // The pool listens only to idle connections. The next statement fails with the same error.
  const ignore = () => {};
  client.on('error', ignore);
  const query: Query = async (text, values) => (await client.query(text, values)).rows;
  const db: BossDatabase = { executeSql: (text, values) => client.query(text, values) };
  try {
    await client.query('begin');
    const result = await work({ query, db });
    await client.query('commit');
    client.off('error', ignore);
    client.release();
    return result;
  } catch (error) {
    const isRolledBack = await client.query('rollback').then(
      () => true,
      () => false,
    );
    if (isRolledBack) client.off('error', ignore);
    client.release(isRolledBack ? undefined : new Error('the connection is in an unknown state'));
    throw error;
  }
}

async function retryWhileLost<T>(work: () => Promise<T>, patienceMs: number, place: string): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(2 * waitMs, MAX_RETRY_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      if (performance.now() + waitMs > deadline)
        throw new ExpectedFailure(
          `PostgreSQL at ${place} doesn't answer: ${messageOf(error)}; check that it runs and that this machine can reach it`,
          { cause: error },
        );
      await sleep(waitMs);
    }
  }
}

/** SQLSTATE classes of a server that is starting, stopping or overloaded, and codes of a lost connection. */
const LOST = [
  /^08/,
  /^57P0[1-5]$/,
  /^53300$/,
  /^40001$/,
  /^40P01$/,
  /^E(?:CONN|PIPE|HOST|NET|TIMEDOUT|NOENT|AI_AGAIN)/,
];

/** Whether the same statement may succeed later. It may have been executed: the answer can be lost too. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isConnectionLost);
  const code = 'code' in error ? String(error.code) : '';
  if (code !== '') return LOST.some((pattern) => pattern.test(code));
  return /connection terminated|connection ended|not queryable|query read timeout|timeout exceeded when trying to connect|connection timeout|client has encountered a connection error/i.test(
    error.message,
  );
}

/** What the operator can do about it, by SQLSTATE. */
const FIXES: readonly (readonly [code: RegExp, problem: string, fix: string])[] = [
  [/^(?:42P01|3F000)$/, 'has no tables of conductor', 'run conductor engine up'],
  [/^42703$/, 'has tables of another version of conductor', 'run conductor engine up'],
  [/^28/, 'refuses the user', 'check user and password in the connection string'],
  [/^3D000$/, "doesn't exist", 'create it, or correct the connection string'],
  [/^42501$/, 'refuses this to the user', 'grant the role what docs/guide/operations/postgres.md lists'],
  [/^(?:25006|57P04)$/, 'takes no writes', 'connect to the primary'],
];

function explainError(error: unknown, place: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const found = FIXES.find(([pattern]) => pattern.test(code));
  if (found === undefined) return error;
  const [, problem, fix] = found;
  return new ExpectedFailure(`the database ${place} ${problem} (${messageOf(error)}); ${fix}`, {
    cause: error,
  });
}

/** Host and database of a connection string, without its credentials. */
function describePlace(url: string): string {
  try {
    const { host, pathname, searchParams } = new URL(url);
    return `${searchParams.get('host') ?? host}${pathname}`;
  } catch {
    return 'the configured address';
  }
}
