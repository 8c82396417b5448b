import { useEffect, useMemo, useReducer } from 'preact/hooks';
import { ApiError } from '../api/http.ts';
import { background } from '../state/background.ts';

/** A long list of which only the pages that are looked at are fetched. */
export interface Ranges<T> {
  /** Undefined until its page has arrived. */
  readonly get: (index: number) => T | undefined;
  /** Null until the first page has arrived. */
  readonly total: number | null;
  readonly error: ApiError | null;
  /** Fetches the pages with these rows, if that is still to be done. */
  readonly need: (first: number, last: number) => void;
  /** Fetches the last page once more, for a list that grows. */
  readonly refetchLast: () => void;
}

export interface RangePage<T> {
  readonly rows: readonly T[];
  readonly total: number;
}

type LoadPage<T> = (offset: number, limit: number) => Promise<RangePage<T>>;

/** Fetches anew when `key` changes, and what was fetched once more, in place, when `version` does. */
export function useRanges<T>(
  key: string,
  version: number | string,
  pageSize: number,
  load: LoadPage<T>,
): Ranges<T> {
  const [, redraw] = useReducer<number, undefined>((count) => count + 1, 0);
  const ranges = useMemo(() => createRanges(pageSize, load, () => redraw(undefined)), [key]);
  useEffect(() => {
    ranges.reload();
    ranges.need(0, 0);
  }, [ranges, version]);
  return ranges;
}

function createRanges<T>(pageSize: number, load: LoadPage<T>, onChange: () => void) {
  const pages = new Map<number, readonly T[]>();
  const pending = new Set<number>();
  let total: number | null = null;
  let error: ApiError | null = null;
  const fetchPage = async (page: number): Promise<void> => {
    if (pending.has(page)) return;
    pending.add(page);
    try {
      const found = await load(page * pageSize, pageSize);
      pages.set(page, found.rows);
      total = found.total;
      error = null;
    } catch (cause) {
      error = cause instanceof ApiError ? cause : new ApiError(0, 'unexpected', String(cause), null);
    }
    pending.delete(page);
    onChange();
  };
  const fetchAll = (numbers: Iterable<number>): void => {
    for (const page of numbers) background(fetchPage(page));
  };
  return {
    get: (index: number): T | undefined => pages.get(Math.floor(index / pageSize))?.[index % pageSize],
    get total() {
      return total;
    },
    get error() {
      return error;
    },
    need: (first: number, last: number): void => {
      const missing: number[] = [];
      for (let page = Math.floor(first / pageSize); page <= Math.floor(last / pageSize); page += 1)
        if (!pages.has(page)) missing.push(page);
      fetchAll(missing);
    },
    refetchLast: (): void => fetchAll([Math.max(0, ...pages.keys())]),
    reload: (): void => fetchAll([...pages.keys()]),
  };
}
