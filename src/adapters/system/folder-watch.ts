import { type FSWatcher, watch } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { FolderWatch } from '../../ports/folder-watch.ts';

/** More would use up what the system allows a user; the other folders are polled. */
const MAX_WATCHED = 256;
const POLL_MS = 2_000;
/** In a folder with more entries, only their number and the time of the folder are compared. */
const MAX_COMPARED = 64;

/** Uses the system's notifications, and polls where there are none: some network file systems, or too many watches. */
export function createFolderWatch(isPolling = false): FolderWatch {
  const stops = new Set<() => void>();
  let watched = 0;
  return {
    watch: (path, onChange) => {
      let stopPolling: (() => void) | null = null;
      let watcher: FSWatcher | null = null;
      const release = () => {
        if (watcher === null) return;
        watcher.close();
        watcher = null;
        watched -= 1;
      };
      const poll = () => {
        stopPolling ??= pollFolder(path, onChange);
      };
      if (isPolling || watched >= MAX_WATCHED) poll();
      else
        try {
          watcher = watch(path, { persistent: false }, () => onChange());
          watched += 1;
          watcher.on('error', () => {
            release();
            poll();
          });
        } catch {
          poll();
        }
      const stop = () => {
        release();
        stopPolling?.();
        stops.delete(stop);
      };
      stops.add(stop);
      return stop;
    },
    close: () => {
      for (const stop of stops) stop();
    },
  };
}

function pollFolder(path: string, onChange: () => void): () => void {
  let before: string | null = null;
  const look = async () => {
    const now = await describeFolder(path);
    if (before !== null && now !== before) onChange();
    before = now;
  };
  const stopped = new AbortController();
  const poll = async () => {
    while (!stopped.signal.aborted) {
      await look();
      await delay(POLL_MS, undefined, { signal: stopped.signal, ref: false }).catch(() => {});
    }
  };
  poll().catch(() => {});
  return () => stopped.abort();
}

async function describeFolder(path: string): Promise<string> {
  try {
    const { mtimeMs } = await stat(path);
    const names = await readdir(path);
    const compared = names.length > MAX_COMPARED ? [] : names;
    const entries = await Promise.all(
      compared.map(async (name) => {
        const found = await stat(join(path, name)).catch(() => null);
        return `${name} ${found?.size ?? ''} ${found?.mtimeMs ?? ''}`;
      }),
    );
    return [mtimeMs, names.length, ...entries].join('\n');
  } catch {
    return 'missing';
  }
}
