import type { JSX } from 'preact';
import { createStore, useStore } from '../state/store.ts';
import { describeAge, formatAbsolute, formatAge, formatAgo, formatDuration } from '../text/time.ts';

/** Ticks for everything that shows how long ago something was, or how long it has been going on. */
const minutes = createStore(new Date());
const seconds = createStore(new Date());
setInterval(() => minutes.set(new Date()), 20_000);
setInterval(() => {
  if (document.visibilityState === 'visible') seconds.set(new Date());
}, 1_000);

export function useMinutes(): Date {
  return useStore(minutes);
}

function useSeconds(): Date {
  return useStore(seconds);
}

/** A relative time. The absolute one is its tooltip and part of its accessible name. */
export function Ago({
  at,
  isPoint = false,
}: {
  readonly at: string;
  /** For a point in time, "6 h ago", as opposed to how long something takes already, "6 h". */
  readonly isPoint?: boolean;
}): JSX.Element {
  const now = useMinutes();
  const date = new Date(at);
  const absolute = formatAbsolute(date);
  return (
    <time dateTime={at} title={absolute} class="number">
      <span aria-hidden="true">{isPoint ? formatAgo(date, now) : formatAge(date, now)}</span>
      <span class="sr-only">{`${describeAge(date, now)}, ${absolute}`}</span>
    </time>
  );
}

/** The time since a step started, counting while it runs. */
export function Elapsed({ since }: { readonly since: string }): JSX.Element {
  const now = useSeconds();
  return <span class="number">{formatDuration(Math.max(0, now.getTime() - Date.parse(since)))}</span>;
}
