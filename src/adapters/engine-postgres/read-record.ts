import type { RunEvent } from '../../contracts/run/event.ts';
import type { RunDirectory, RunRecord } from '../../ports/run-store.ts';
import { createInbox, readMessage } from './inbox.ts';
import type { OpenEngine } from './open-engine.ts';
import { readFiles, STATUS_FILE, type StoredFile } from './record-files.ts';
import type { RunRow } from './run-rows.ts';

/** A run as a process reads it that does not drive it. */
export function openRecord(engine: OpenEngine, row: RunRow, events: readonly RunEvent[]): RunRecord {
  const { query } = engine.database;
  return {
    directory: openStoredDirectory(engine, row),
    inbox: createInbox(row.run_id, { query }),
    events,
    driver: row.driver,
  };
}

/**
 * Reads stored files from the store, wherever they were written, and other files from this machine: the driver may be
 * here, and may not have stored them yet. Writes go to this machine.
 */
function openStoredDirectory(
  { database, blobs, folders }: OpenEngine,
  { run_id: runId, status }: RunRow,
): RunDirectory {
  const local = folders.open(runId, folders.indexed(runId));
  let loading: Promise<ReadonlyMap<string, StoredFile>> | null = null;
  const stored = () => {
    loading ??= readFiles(database.query, runId).then(
      (files) => new Map(files.map((file) => [file.path, file])),
    );
    return loading;
  };
  return {
    ...local,
    read: async (path, options) => {
      if (path === STATUS_FILE) return status;
      const file = (await stored()).get(path);
      if (file !== undefined) return blobs.read(file.sha256, options?.firstBytes);
      return (await readMessage(database.query, runId, path)) ?? local.read(path, options);
    },
    list: async (folder) => {
      const prefix = folder === '.' ? '' : `${folder}/`;
      const names = [...(await stored()).keys()].filter((path) => path.startsWith(prefix));
      return [...new Set([...names, ...(await local.list(folder))])].sort();
    },
    digest: async (absolutePath) => {
      const path = absolutePath.slice(local.path.length + 1);
      const file = (await stored()).get(path);
      return file ?? local.digest(absolutePath);
    },
  };
}
