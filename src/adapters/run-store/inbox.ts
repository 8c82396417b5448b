import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { refuseByTime } from '../../contracts/run/post-terms.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Inbox, RunDirectory } from '../../ports/run-store.ts';
import { createOnce } from './durable-file.ts';
import type { RunQueue } from './run-queue.ts';

interface InboxDeps {
  readonly clock: Clock;
  readonly queue: Pick<RunQueue, 'noteMessage'>;
}

/**
 * The inbox of a run in its directory: each message is a file that exactly one process creates. The driver's own posts
 * call `expectHeld` first; other processes hold no lease.
 */
export function createInbox(
  directory: RunDirectory,
  { clock, queue }: InboxDeps,
  expectHeld: () => void = () => {},
): Inbox {
  return {
    read: (key) => directory.read(key),
    post: async (key, message, terms) => {
      expectHeld();
      const path = directory.resolve(key);
      await mkdir(dirname(path), { recursive: true });
      const refused = refuseByTime(clock.now().getTime(), terms ?? {});
      if (refused !== null) return refused;
      if (!(await createOnce(path, message))) return 'taken';
      await queue.noteMessage(directory.runId);
      return 'posted';
    },
    now: () => Promise.resolve(clock.now()),
  };
}
