import { ExpectedFailure } from '../../contracts/expected-failure.ts';
import type { EngineAdmin, EngineProblem, MigrationReport } from '../../ports/engine-admin.ts';
import { type Database, type DatabaseDeps, openDatabase, type Query } from './database.ts';
import { createBoss } from './job-queue.ts';
import { importInstalled } from './packages.ts';
import { MIGRATION_LOCK, MIGRATIONS } from './schema.ts';

const LATEST = MIGRATIONS.length;
/** The oldest server that the statements were tested with. */
const MIN_SERVER_VERSION = 130_000;

export function createPostgresAdmin(
  deps: Omit<DatabaseDeps, 'importPackage'> & Partial<Pick<DatabaseDeps, 'importPackage'>>,
): EngineAdmin {
  const database = openDatabase({ importPackage: importInstalled, ...deps });
  return { migrate: () => migrate(database), check: () => check(database), close: database.close };
}

/** A lock makes one process apply the versions; the others wait for it and find nothing to do. */
async function migrate(database: Database): Promise<MigrationReport> {
  return database.transaction(async ({ query }) => {
    await query('select pg_advisory_xact_lock($1, $2)', MIGRATION_LOCK);
    await query('create schema if not exists conductor');
    await query(
      'create table if not exists conductor.versions (version integer primary key, applied_at timestamptz not null default now())',
    );
    const from = await readVersion(query);
    if (from > LATEST) throw new ExpectedFailure(newerMessage(from));
    for (const [index, text] of MIGRATIONS.entries()) {
      if (index < from) continue;
      await query(text);
      await query('insert into conductor.versions (version) values ($1)', [index + 1]);
    }
    // On another connection, but still under the lock: pg-boss takes its own too late to create its schema.
    const boss = await createBoss(database, { migrate: true, supervise: false });
    await boss.start();
    await boss.stop({ graceful: false, close: false });
    return { from, to: LATEST };
  });
}

async function check(database: Database): Promise<readonly EngineProblem[]> {
  const { query } = database;
  const [server] = await query(
    `select current_setting('server_version_num')::integer as version, current_setting('server_encoding') as encoding,
       current_setting('synchronous_commit') as commits, current_setting('fsync') as fsync,
       current_setting('full_page_writes') as pages, pg_is_in_recovery() as is_replica,
       to_regclass('conductor.versions') is not null as has_versions,
       to_regclass('conductor_jobs.version') is not null as has_jobs`,
  );
  if (server === undefined) throw new Error('the server described no settings');
  const version = server.has_versions === true ? await readVersion(query) : 0;
  const findings: readonly (EngineProblem | null)[] = [
    Number(server.version) < MIN_SERVER_VERSION
      ? {
          message: `the server is older than PostgreSQL 13 (${String(server.version)})`,
          help: 'use a later version',
        }
      : null,
    server.encoding === 'UTF8'
      ? null
      : {
          message: `the database has the encoding ${String(server.encoding)}`,
          help: 'create a database with the encoding UTF8',
        },
    server.is_replica === true
      ? { message: 'the server is a replica, which takes no writes', help: 'connect to the primary' }
      : null,
    ...[
      ['fsync', server.fsync],
      ['full_page_writes', server.pages],
      ['synchronous_commit', server.commits],
    ].map(([name, value]) =>
      value === 'off'
        ? {
            message: `${String(name)} is off: events that were acknowledged can be lost`,
            help: `set ${String(name)} to on`,
          }
        : null,
    ),
    describeVersion(version, server.has_jobs === true),
  ];
  return findings.filter((finding) => finding !== null);
}

function describeVersion(version: number, hasJobs: boolean): EngineProblem | null {
  if (version > LATEST) return { message: newerMessage(version), help: 'update conductor on this machine' };
  if (version === LATEST && hasJobs) return null;
  return {
    message:
      version === 0 ? 'the tables are missing' : `the tables have version ${version}, and not ${LATEST}`,
    help: 'run conductor engine up',
  };
}

function newerMessage(version: number): string {
  return `the tables have version ${version}, and this conductor knows only ${LATEST}`;
}

async function readVersion(query: Query): Promise<number> {
  const [row] = await query('select coalesce(max(version), 0)::integer as version from conductor.versions');
  return Number(row?.version);
}
