import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type Libsql from 'libsql';
import { describeFailure, ExpectedFailure } from '../../contracts/expected-failure.ts';
import { hasErrorCode } from '../../text/error-code.ts';
import { describeDatabaseFailure } from './database-failure.ts';
import { SCHEMA_STEPS, SCHEMA_VERSION } from './schema.ts';

/** How long a writer waits for other processes: far longer than the largest write takes. */
const BUSY_TIMEOUT_MS = 10_000;

export type Value = string | number | null;
export type Row = Readonly<Record<string, unknown>>;

/** Statements within one transaction. */
export interface Tables {
  readonly all: (sql: string, ...values: readonly Value[]) => readonly Row[];
  /** Returns the number of changed rows. */
  readonly run: (sql: string, ...values: readonly Value[]) => number;
}

export interface WorkDatabase {
  readonly path: string;
  /** Reads a consistent snapshot while other processes write. Null if the database does not exist yet. */
  readonly read: <T>(look: (tables: Tables) => T) => Promise<T | null>;
  /** Atomic, and durable when it resolves. Creates the file and its folder if they are missing. */
  readonly write: <T>(change: (tables: Tables) => T) => Promise<T>;
  readonly close: () => Promise<void>;
}

/** Opens the database on first use, so that reading from a repository without work items creates no files. */
export function createWorkDatabase(path: string): WorkDatabase {
  let opened: Promise<Libsql.Database> | null = null;
  const open = (): Promise<Libsql.Database> => {
    opened ??= openDatabase(path).catch((error: unknown) => {
      opened = null;
      throw error;
    });
    return opened;
  };
  return {
    path,
    read: async (look) => {
      if (opened === null && !existsSync(path)) return null;
      return transact(path, await open(), 'BEGIN', look);
    },
    write: async (change) => {
      if (opened === null) await createFolder(dirname(path));
      return transact(path, await open(), 'BEGIN IMMEDIATE', change);
    },
    close: async () => {
      const closing = opened;
      opened = null;
      (await closing)?.close();
    },
  };
}

/**
 * Creates a folder with a `.gitignore` that covers itself too, so that it does not show up in the status of
 * the user's checkout.
 */
export async function createFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    const { message, fix } = describeFailure(error);
    if (fix !== null) throw error;
    throw new ExpectedFailure(
      `the folder ${folder} can't be created (${message}): move away the file in its place`,
      { cause: error },
    );
  });
  await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx' }).catch((error: unknown) => {
    if (!hasErrorCode(error, 'EEXIST')) throw error;
  });
}

export async function connect(path: string, timeoutMs: number): Promise<Libsql.Database> {
  // Loaded on demand: it is native code that few commands need.
  const { default: Database } = await import('libsql');
  return new Database(path, { timeout: timeoutMs });
}

async function openDatabase(path: string): Promise<Libsql.Database> {
  try {
    const database = await connect(path, BUSY_TIMEOUT_MS);
    try {
      database.pragma('journal_mode = WAL');
      database.pragma('synchronous = FULL');
      database.pragma('foreign_keys = ON');
      upgrade(path, database);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    throw describeDatabaseFailure(path, error);
  }
}

/** Checks the version without a lock first, because it is almost always current. */
function upgrade(path: string, database: Libsql.Database): void {
  if (readVersion(path, database) === SCHEMA_VERSION) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    for (const step of SCHEMA_STEPS.slice(readVersion(path, database))) database.exec(step);
    database.pragma(`user_version = ${SCHEMA_VERSION}`);
    database.exec('COMMIT');
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function readVersion(path: string, database: Libsql.Database): number {
  const [row] = tablesOf(database).all('PRAGMA user_version');
  const version = Number(row?.user_version);
  if (version > SCHEMA_VERSION)
    throw new ExpectedFailure(
      `${path} was written by a newer conductor (its schema_version is ${version}, this conductor supports ${SCHEMA_VERSION}): update conductor`,
    );
  return version;
}

function transact<T>(path: string, database: Libsql.Database, begin: string, work: (tables: Tables) => T): T {
  try {
    database.exec(begin);
    try {
      const result = work(tablesOf(database));
      database.exec('COMMIT');
      return result;
    } catch (error) {
      // SQLite may have ended the transaction itself, for example on a full disk.
      if (database.inTransaction) database.exec('ROLLBACK');
      throw error;
    }
  } catch (error) {
    throw describeDatabaseFailure(path, error);
  }
}

function tablesOf(database: Libsql.Database): Tables {
  const prepared = new Map<string, Libsql.Statement<unknown[]>>();
  const statement = (sql: string): Libsql.Statement<unknown[]> => {
    const known = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, known);
    return known;
  };
  return {
    // Rows have unknown values; callers parse them.
    all: (sql, ...values) => statement(sql).all(...values) as Row[],
    run: (sql, ...values) => statement(sql).run(...values).changes,
  };
}
