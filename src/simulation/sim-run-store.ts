import { FIRST_PREV } from '../contracts/run/event.ts';
import { refuseByTime } from '../contracts/run/post-terms.ts';
import { type Status, stepFolderOf } from '../contracts/run/run-files.ts';
import type { Driver } from '../contracts/run/run-lease.ts';
import { sha256Hex } from '../node/sha256.ts';
import type { DrivenRun, Inbox, NewRun, RunDirectory, RunStore } from '../ports/run-store.ts';
import type { Life } from './sim-life.ts';
import { formatLogLines, readSimLog, type SimLogReading } from './sim-log.ts';
import { logPath, runPath, type SimWorld } from './sim-world.ts';

/** Called with the lines of an append just before they are written. */
export type OnAppend = (lines: readonly string[]) => void;

/** The run store on the disk of a simulated world, as one process sees it. */
export function createSimRunStore(world: SimWorld, life: Life, onAppend: OnAppend): RunStore {
  return {
    locate: (runId) => runPath(runId),
    create: async (runId) => {
      await life.point('create');
      world.runId = runId;
      world.disk.write(logPath(runId), '', true);
      world.driver = life;
      const run = createDrivenRun(world, life, onAppend, runId, EMPTY_LOG);
      const discard = async () => {
        await life.point('discard');
        world.disk.removeBelow(runPath(runId));
        world.driver = null;
      };
      return { ...run, discard } satisfies NewRun;
    },
    drive: async (runId) => {
      await life.point('drive');
      if (world.driver?.isAlive() === true)
        return { ok: false, problem: { kind: 'driven', driver: simDriver(world.driver) } };
      const opened = openLog(world, runId);
      if (!opened.ok) return opened;
      const { text, reading } = opened;
      world.driver = life;
      if (reading.completeText !== text) {
        world.disk.write(`${logPath(runId)}.torn`, text.slice(reading.completeText.length), false);
        world.disk.write(logPath(runId), reading.completeText, true);
      }
      return { ok: true, run: createDrivenRun(world, life, onAppend, runId, reading) };
    },
    read: async (runId) => {
      await life.point('read');
      const opened = openLog(world, runId);
      if (!opened.ok) return opened;
      const directory = createSimDirectory(world, life, runId);
      const inbox = createSimInbox(world, life, directory);
      const driver = world.driver === null ? null : simDriver(world.driver);
      return { ok: true, run: { directory, inbox, events: opened.reading.events, driver } };
    },
    match: async (prefix) => [world.runId ?? ''].filter((runId) => runId !== '' && runId.startsWith(prefix)),
    listAbandoned: async () => [],
    list: async () =>
      world.runId === null
        ? []
        : [
            {
              runId: world.runId,
              path: runPath(world.runId),
              status: readStatus(world, world.runId),
              driver: world.driver === null ? null : simDriver(world.driver),
            },
          ],
  };
}

function openLog(world: SimWorld, runId: string) {
  const text = world.disk.read(logPath(runId));
  if (text === null) return { ok: false, problem: { kind: 'missing' } } as const;
  const reading = readSimLog(text);
  if (!reading.ok) return { ok: false, problem: { kind: 'corrupt', ...reading } } as const;
  return { ok: true, text, reading } as const;
}

/** Answers and cancel requests, on the same disk as the files of the run. */
function createSimInbox(world: SimWorld, life: Life, { read, resolve }: RunDirectory): Inbox {
  const { disk } = world;
  return {
    read: (key) => read(key),
    post: async (key, message, terms = {}) => {
      await life.point('write');
      const refused = refuseByTime(world.time, terms);
      if (refused !== null) return refused;
      if (disk.read(resolve(key)) !== null) return 'taken';
      disk.write(resolve(key), message, true);
      await life.point('written');
      return 'posted';
    },
    now: () => Promise.resolve(new Date(world.time)),
  };
}

export function simDriver({ id }: Life): Driver {
  return { worker: null, pid: id, host: '', leaseUntil: null };
}

type ReadableLog = Extract<SimLogReading, { ok: true }>;

const EMPTY_LOG: ReadableLog = { ok: true, events: [], completeText: '', head: FIRST_PREV };

export function readStatus(world: SimWorld, runId: string): Status | null {
  const text = world.disk.read(`${runPath(runId)}/status.json`);
  return text === null ? null : (JSON.parse(text) as Status);
}

/** A failed append leaves the end of the log unknown, so later appends are refused. */
function createDrivenRun(
  world: SimWorld,
  life: Life,
  onAppend: OnAppend,
  runId: string,
  reading: ReadableLog,
): DrivenRun {
  const path = logPath(runId);
  let { head } = reading;
  let seq = reading.events.length;
  let failure: Error | null = null;
  const directory = createSimDirectory(world, life, runId);
  return {
    // Time does not pass by itself in the simulation, so a lease never expires.
    lease: { lost: new AbortController().signal, expectHeld: () => {} },
    directory,
    inbox: createSimInbox(world, life, directory),
    events: reading.events,
    append: async (drafts, flush = 'now') => {
      if (drafts.length === 0) return [];
      if (failure !== null) throw failure;
      const timestamp = new Date(world.time).toISOString();
      const written = formatLogLines(drafts, { seq, head, runId, timestamp });
      const text = written.lines.join('');
      try {
        await life.point('append');
      } catch (error) {
        failure = error instanceof Error ? error : new Error(String(error));
        world.disk.append(path, text.slice(0, Math.floor(text.length / 2)));
        throw failure;
      }
      if (world.driver !== life)
        world.violations.push(`process ${life.id} appends and does not drive the run`);
      onAppend(written.lines);
      world.disk.append(path, text);
      await life.point('append:written');
      // Nothing flushes later by itself: code that relies on it is detected.
      if (flush === 'now') {
        // A flush is slower than everything else, so code that does not wait for it is detected.
        world.flushes += 1;
        await new Promise((resolve) => setImmediate(resolve));
        world.flushes -= 1;
        await life.point('append:flush');
        world.disk.flush(path);
        await life.point('append:flushed');
      }
      seq += drafts.length;
      head = written.head;
      return written.events;
    },
    release: async () => {
      await life.point('release');
      if (world.driver === life) world.driver = null;
    },
  };
}

function createSimDirectory(world: SimWorld, life: Life, runId: string): RunDirectory {
  const { disk } = world;
  const path = runPath(runId);
  const resolve = (relativePath: string) => `${path}/${relativePath}`;
  const digest = (absolutePath: string, content: string) => ({
    path: absolutePath.slice(path.length + 1),
    sha256: sha256Hex(content),
    bytes: Buffer.byteLength(content),
  });
  return {
    runId,
    path,
    resolve,
    makeStepFolder: async (stepId, attempt) => {
      await life.point('write');
      return stepFolderOf(stepId, attempt);
    },
    write: async (relativePath, content, options) => {
      await life.point('write');
      const text = typeof content === 'string' ? content : Buffer.from(content).toString('utf8');
      disk.write(resolve(relativePath), text, options?.durable ?? false);
      return digest(resolve(relativePath), text);
    },
    read: async (relativePath, options) => {
      await life.point('read');
      const content = disk.read(resolve(relativePath));
      if (content === null || options?.firstBytes === undefined) return content;
      return Buffer.from(content).subarray(0, options.firstBytes).toString();
    },
    list: async (relativePath) => {
      await life.point('read');
      return disk.list(resolve(relativePath)).map((found) => found.slice(path.length + 1));
    },
    digest: async (absolutePath) => {
      await life.point('read');
      const content = disk.read(absolutePath);
      if (content === null) throw systemError('ENOENT', `no such file, open '${absolutePath}'`);
      return digest(absolutePath, content);
    },
    sync: async (relativePaths) => {
      for (const relativePath of relativePaths) {
        await life.point('sync');
        disk.flush(resolve(relativePath));
      }
    },
    appendText: async (relativePath, text) => {
      await life.point('write');
      disk.append(resolve(relativePath), text);
    },
  };
}

/** An error like those of the operating system. */
export function systemError(code: 'ENOENT' | 'ENOSPC' | 'EIO', message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code });
}
