import { useEffect, useLayoutEffect, useReducer, useState } from 'preact/hooks';
import { ApiError, getJson } from './http.ts';

/** What is known of a document: its last good state stays while it is fetched again, or can't be. */
export interface Loaded<T> {
  readonly data: T | null;
  /** When `data` was fetched. */
  readonly loadedAt: Date | null;
  readonly error: ApiError | null;
  readonly isLoading: boolean;
}

interface Entry {
  state: Loaded<unknown>;
  /** Something changed while a fetch was under way, so its answer may be out of date. */
  isDirty: boolean;
  readonly listeners: Set<() => void>;
}

const NOTHING: Loaded<unknown> = { data: null, loadedAt: null, error: null, isLoading: false };
/** Documents that no screen shows are kept, so that going back shows them at once. */
const MAX_ENTRIES = 80;
const entries = new Map<string, Entry>();

function entryOf(path: string): Entry {
  const known = entries.get(path);
  if (known !== undefined) return known;
  const entry: Entry = { state: NOTHING, isDirty: false, listeners: new Set() };
  entries.set(path, entry);
  for (const [oldest, { listeners }] of entries) {
    if (entries.size <= MAX_ENTRIES) break;
    if (listeners.size === 0 && oldest !== path) entries.delete(oldest);
  }
  return entry;
}

function update(entry: Entry, state: Loaded<unknown>): void {
  entry.state = state;
  for (const listener of Array.from(entry.listeners)) listener();
}

/** Fetches a document, or once more afterwards if it is being fetched already. */
export function fetchDocument(path: string): void {
  const entry = entryOf(path);
  if (entry.state.isLoading) {
    entry.isDirty = true;
    return;
  }
  entry.isDirty = false;
  update(entry, { ...entry.state, isLoading: true });
  getJson(path).then(
    (data) => finish(path, entry, { data, loadedAt: new Date(), error: null, isLoading: false }),
    (cause: unknown) => finish(path, entry, { ...entry.state, error: asApiError(cause), isLoading: false }),
  );
}

function finish(path: string, entry: Entry, state: Loaded<unknown>): void {
  update(entry, state);
  if (entry.isDirty) fetchDocument(path);
}

function asApiError(cause: unknown): ApiError {
  return cause instanceof ApiError ? cause : new ApiError(0, 'unexpected', String(cause), null);
}

/** Fetches the matching documents that a screen shows again, and forgets the others. */
export function refreshDocuments(matches: (path: string) => boolean): void {
  for (const [path, entry] of Array.from(entries)) {
    if (!matches(path)) continue;
    if (entry.listeners.size > 0) fetchDocument(path);
    else entries.delete(path);
  }
}

/** Forgets everything, for a session that has ended. */
export function forgetDocuments(): void {
  for (const entry of entries.values()) update(entry, NOTHING);
  entries.clear();
}

/** The document at a path of the API; null fetches nothing. */
export function useDocument<T>(path: string | null): Loaded<T> {
  const [, redraw] = useReducer<number, undefined>((count) => count + 1, 0);
  const drawn = path === null ? NOTHING : entryOf(path).state;
  useLayoutEffect(() => {
    if (path === null) return undefined;
    const entry = entryOf(path);
    const listener = (): void => redraw(undefined);
    entry.listeners.add(listener);
    if (entry.state !== drawn) listener();
    return () => entry.listeners.delete(listener);
  }, [path]);
  useEffect(() => {
    if (path !== null) fetchDocument(path);
  }, [path]);
  return drawn as Loaded<T>;
}

/** Keeps the last value while the next one is fetched, so that a screen doesn't blink. */
export function useLast<T>(value: T | null): T | null {
  const [last, setLast] = useState(value);
  useEffect(() => {
    if (value !== null) setLast(value);
  }, [value]);
  return value ?? last;
}
