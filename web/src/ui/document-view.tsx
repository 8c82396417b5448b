import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Loaded } from '../api/document-cache.ts';
import type { ApiError } from '../api/http.ts';
import { formatClock } from '../text/time.ts';

const SLOW_MS = 5_000;

/** Shows a document once it is there: before, the structure of the screen; after a failure, what is known as of when. */
export function DocumentView<T>({
  of,
  what,
  lines = 6,
  children,
}: {
  readonly of: Loaded<T>;
  /** Completes "Loading …" and "… can’t be loaded". */
  readonly what: string;
  readonly lines?: number;
  readonly children: (data: T) => ComponentChildren;
}): JSX.Element {
  if (of.data !== null)
    return (
      <>
        {of.error === null || of.error.status === 401 ? null : (
          <Stale error={of.error} what={what} loadedAt={of.loadedAt} />
        )}
        {children(of.data)}
      </>
    );
  if (of.error !== null) return <Failure error={of.error} what={what} />;
  return <Skeleton what={what} lines={lines} />;
}

export function Skeleton({ what, lines }: { readonly what: string; readonly lines: number }): JSX.Element {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="skeleton" aria-busy="true">
      <p class={isSlow ? 'muted' : 'sr-only'} role="status">
        {isSlow ? `Still loading ${what}. The server has not answered for five seconds.` : `Loading ${what}`}
      </p>
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} class={`skeleton-line skeleton-${index % 3}`} />
      ))}
    </div>
  );
}

export function Failure({ error, what }: { readonly error: ApiError; readonly what: string }): JSX.Element {
  return (
    <div class="notice tone-danger-edge" role="alert">
      <p>
        <strong>{error.status === 404 ? 'Not found.' : `Can’t show ${what}.`}</strong> {error.message}
      </p>
      {error.help === null ? null : <p class="muted">{error.help}</p>}
    </div>
  );
}

function Stale({
  error,
  what,
  loadedAt,
}: {
  readonly error: ApiError;
  readonly what: string;
  readonly loadedAt: Date | null;
}): JSX.Element {
  return (
    <p class="notice tone-attention-edge">
      As of {loadedAt === null ? 'earlier' : formatClock(loadedAt)}: {what} can’t be updated, {error.message}.
    </p>
  );
}
