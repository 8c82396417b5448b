/**
 * Each entry upgrades a database from the previous version; the first one creates it. Texts from users and
 * agents are stored as JSON, because SQLite truncates a text at its first NUL.
 */
export const SCHEMA_STEPS: readonly string[] = [
  `
  CREATE TABLE items (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL,
    fields TEXT NOT NULL,
    created_at TEXT NOT NULL
  ) STRICT;

  CREATE TABLE links (
    item_id TEXT NOT NULL REFERENCES items (id),
    position INTEGER NOT NULL,
    blocker_id TEXT NOT NULL REFERENCES items (id),
    PRIMARY KEY (item_id, position)
  ) STRICT;

  CREATE TABLE revisions (
    id TEXT PRIMARY KEY,
    item_id TEXT NOT NULL UNIQUE REFERENCES items (id),
    head_sha TEXT NOT NULL,
    head_ref TEXT NOT NULL,
    fields TEXT NOT NULL,
    pipeline TEXT NOT NULL
  ) STRICT;

  CREATE TABLE reviews (
    id TEXT PRIMARY KEY,
    revision_id TEXT NOT NULL UNIQUE REFERENCES revisions (id),
    head_sha TEXT NOT NULL,
    review TEXT NOT NULL
  ) STRICT;

  CREATE TABLE summaries (
    item_id TEXT NOT NULL REFERENCES items (id),
    run_id TEXT NOT NULL,
    summary TEXT NOT NULL,
    PRIMARY KEY (item_id, run_id)
  ) STRICT;

  CREATE TABLE labels (
    name TEXT PRIMARY KEY,
    description TEXT NOT NULL,
    color TEXT NOT NULL
  ) STRICT;

  CREATE TABLE seen_keys (
    key TEXT PRIMARY KEY,
    content_sha256 TEXT NOT NULL,
    answer TEXT NOT NULL
  ) STRICT;

  CREATE TABLE journal (
    seq INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    event TEXT NOT NULL,
    prev_sha256 TEXT NOT NULL
  ) STRICT;

  CREATE TRIGGER journal_is_never_changed BEFORE UPDATE ON journal
  BEGIN SELECT RAISE(ABORT, 'the journal is never changed'); END;

  CREATE TRIGGER journal_is_never_cut BEFORE DELETE ON journal
  BEGIN SELECT RAISE(ABORT, 'the journal is never cut'); END;

  CREATE TRIGGER journal_has_no_gap BEFORE INSERT ON journal
  WHEN NEW.seq IS NOT (SELECT COALESCE(MAX(seq), 0) + 1 FROM journal)
  BEGIN SELECT RAISE(ABORT, 'the journal has no gap'); END;
  `,
];

/** The schema version that this conductor writes. */
export const SCHEMA_VERSION = SCHEMA_STEPS.length;
