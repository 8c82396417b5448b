import type { RunEvent } from '../../../src/contracts/run/event.ts';
import { createStore } from '../state/store.ts';
import { fetchDocument, refreshDocuments } from './document-cache.ts';
import { access } from './http.ts';
import { repoPath, runPath } from './paths.ts';

/**
 * The one event stream of this tab. The documents on the screen are folds of the record that the server makes; an event
 * says that there is more of the record, and the documents concerned are fetched again. The stream is asked for
 * everything after the last event that was received, and after a break all documents are fetched again, so nothing is missed.
 */
export interface Connection {
  readonly state: 'connecting' | 'live' | 'lost';
  /** When the server was last heard; what the screen shows is as of then. */
  readonly heardAt: Date | null;
}

export const connection = createStore<Connection>({ state: 'connecting', heardAt: null });

/** The server pings every 15 s; two missed pings and a margin mean that the connection is gone. */
const SILENCE_MS = 40_000;
const RETRY_MS = [1_000, 2_000, 4_000, 8_000, 15_000] as const;

interface Target {
  readonly repo: string;
  readonly run: string | null;
}

let target: Target | null = null;
let source: EventSource | null = null;
let lastSeq: number | null = null;
let failures = 0;
let retryTimer = 0;
let silenceTimer = 0;

/**
 * Watches a repository and, within it, at most one run: its events after `after`, the last one that the screen shows.
 */
export function watch(repo: string | null, run: string | null, after: number | null): void {
  if (target?.repo === repo && target.run === run) return;
  target = repo === null ? null : { repo, run };
  lastSeq = after;
  open();
}

/** Tries again at once, such as when a phone is unlocked. */
export function wake(): void {
  if (target === null) return;
  const { state, heardAt } = connection.get();
  const isSilent = heardAt === null || Date.now() - heardAt.getTime() > SILENCE_MS;
  if (state !== 'live' || isSilent || source?.readyState === EventSource.CLOSED) open();
}

function open(): void {
  close();
  if (target === null || access.get() === 'unpaired') return;
  const { repo, run } = target;
  const query = new URLSearchParams();
  if (run !== null) query.set('run', run);
  if (run !== null && lastSeq !== null) query.set('after', String(lastSeq));
  const opened = new EventSource(`${repoPath(repo)}/stream?${query.toString()}`);
  source = opened;
  opened.addEventListener('open', () => {
    const wasLost = connection.get().state === 'lost';
    failures = 0;
    heard();
    // What happened in between is in the documents, whatever became of the events.
    if (wasLost) refreshDocuments(() => true);
  });
  opened.addEventListener('error', () => lose());
  opened.addEventListener('ping', heard);
  opened.addEventListener('run_event', (event) => {
    heard();
    receive(repo, run, JSON.parse(event.data as string) as RunEvent);
  });
  opened.addEventListener('changed', () => {
    heard();
    scheduleRefresh(repo, 'lists');
  });
}

function close(): void {
  source?.close();
  source = null;
  clearTimeout(retryTimer);
  clearTimeout(silenceTimer);
}

function receive(repo: string, run: string | null, event: RunEvent): void {
  if (run === null || (lastSeq !== null && event.seq <= lastSeq)) return;
  lastSeq = event.seq;
  scheduleRefresh(repo, run);
}

function heard(): void {
  connection.set({ state: 'live', heardAt: new Date() });
  clearTimeout(silenceTimer);
  silenceTimer = setTimeout(lose, SILENCE_MS);
}

function lose(): void {
  close();
  connection.set({ state: 'lost', heardAt: connection.get().heardAt });
  // The stream doesn't say why it ended; a refused request does, and ends the session.
  fetchDocument('/api/session');
  const delay = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)];
  failures += 1;
  retryTimer = setTimeout(open, delay);
}

const due = new Set<string>();
let refreshTimer = 0;
/** Several events come together; one refresh serves them all. */
const REFRESH_DELAY_MS = 250;

function scheduleRefresh(repo: string, what: string): void {
  due.add(`${repo}\0${what}`);
  if (refreshTimer !== 0) return;
  refreshTimer = setTimeout(() => {
    refreshTimer = 0;
    const refreshed = [...due].map((key) => key.split('\0') as [string, string]);
    due.clear();
    refreshDocuments((path) => refreshed.some(([of, which]) => concerns(path, of, which)));
  }, REFRESH_DELAY_MS);
}

function concerns(path: string, repo: string, what: string): boolean {
  if (what !== 'lists') return path === runPath(repo, what) || path.startsWith(`${runPath(repo, what)}/`);
  return path.startsWith(`${repoPath(repo)}/`) && !path.startsWith(`${repoPath(repo)}/runs/`);
}

addEventListener('online', wake);
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') wake();
});
access.subscribe(() => {
  if (access.get() === 'unpaired') close();
  else if (source === null) open();
});
