import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { RunPage } from '../../../../src/contracts/http/run-page.ts';
import { navigate } from '../../state/navigation.ts';
import type { Route } from '../../state/routes.ts';
import { formatAbsolute, formatClock } from '../../text/time.ts';
import { Icon } from '../../ui/icon.tsx';

type RunRoute = Extract<Route, { screen: 'run' }>;

const SETTLE_MS = 120;

/** Moves through the events of a run. The rest of the screen shows the run as it stood after the chosen one. */
export function TimeSlider({
  route,
  current,
  shown,
}: {
  readonly route: RunRoute;
  readonly current: RunPage;
  readonly shown: RunPage;
}): JSX.Element | null {
  const last = current.last_seq;
  const [dragged, setDragged] = useState<number | null>(null);
  const timer = useRef(0);
  useEffect(() => setDragged(null), [route.at]);
  if (last < 1) return null;
  const at = dragged ?? Math.min(route.at ?? last, last);
  const go = (seq: number): void => {
    const next = Math.max(0, Math.min(last, seq));
    setDragged(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(
      () => navigate({ ...route, at: next === last ? null : next }, 'replace'),
      SETTLE_MS,
    );
  };
  const isPast = route.at !== null && route.at < last;
  return (
    <div class={`slider${isPast ? ' is-past' : ''}`}>
      <button type="button" class="button-quiet" disabled={at <= 0} onClick={() => go(at - 1)}>
        <Icon name="back" />
        <span class="sr-only">One event back</span>
      </button>
      <input
        type="range"
        min={0}
        max={last}
        value={at}
        aria-label="Event"
        aria-valuetext={`after event ${at + 1} of ${last + 1}`}
        onInput={(event) => go(Number(event.currentTarget.value))}
      />
      <button type="button" class="button-quiet" disabled={at >= last} onClick={() => go(at + 1)}>
        <Icon name="chevron" />
        <span class="sr-only">One event forward</span>
      </button>
      <span class="slider-text number">
        as of event {at + 1} of {last + 1}
        <span class="muted"> · </span>
        <time class="muted" dateTime={shown.as_of} title={formatAbsolute(new Date(shown.as_of))}>
          {formatClock(new Date(shown.as_of))}
        </time>
      </span>
      {isPast ? (
        <button type="button" class="button" onClick={() => navigate({ ...route, at: null }, 'replace')}>
          Back to now
        </button>
      ) : null}
    </div>
  );
}
