/**
 * The tables of the engine, in versions that are applied in order. A version never changes once it has been released.
 *
 * `runs.epoch` is the fence: each claim raises it and sets a `holder` that no other claim has. Every write of a driver
 * names both. After a failover that lost transactions an epoch can be given out twice, a holder can't.
 */
export const JOB_SCHEMA = 'conductor_jobs';

export const MIGRATIONS: readonly string[] = [
  `
  create table conductor.runs (
    run_id text primary key,
    repository text not null,
    artifacts_dir text,
    created_at timestamptz not null default clock_timestamp(),
    -- The log: the number of its events and the SHA-256 of its last line.
    seq integer not null default 0,
    head text not null,
    has_ended boolean not null default false,
    status text,
    -- The driver.
    epoch integer not null default 0,
    holder uuid,
    driver_worker text,
    driver_pid integer,
    driver_host text,
    lease_until timestamptz,
    -- The queue. A queued run is due at due_at, or since a message came.
    is_queued boolean not null default false,
    needs text[] not null default '{}',
    request text not null default '',
    due_at timestamptz,
    has_message boolean not null default false,
    queue text,
    job_id uuid
  );
  create index runs_by_repository on conductor.runs (repository, run_id);
  create index runs_queued on conductor.runs (repository, run_id) where is_queued;
  create table conductor.events (
    run_id text not null references conductor.runs on delete cascade,
    seq integer not null,
    line text not null,
    primary key (run_id, seq)
  );
  create table conductor.inbox (
    run_id text not null references conductor.runs on delete cascade,
    key text not null,
    message text not null,
    -- Tells a sender whose answer was lost whether the message is its own.
    post_id uuid not null,
    posted_at timestamptz not null,
    posted_by text not null default session_user,
    primary key (run_id, key)
  );
  create table conductor.files (
    run_id text not null references conductor.runs on delete cascade,
    path text not null,
    sha256 text not null,
    bytes bigint not null,
    primary key (run_id, path)
  );
  create table conductor.workers (
    worker_id uuid primary key,
    repository text not null,
    name text not null,
    host text not null,
    pid integer not null,
    labels text[] not null,
    slots integer not null,
    problems jsonb not null,
    seen_at timestamptz not null
  );
  `,
];

/** Any two numbers that no other program on the database uses for its locks. */
export const MIGRATION_LOCK = [0x636f6e64, 0x75637431] as const;
