/** Moments are milliseconds since the epoch here, so that nothing depends on when it is asked. */

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

const UNIT_MINUTES: Readonly<Record<string, number>> = { d: DAY_MINUTES, h: 60, m: 1, s: 1 / 60 };

/** A number this large is milliseconds; as seconds it would be a time tens of thousands of years away. */
const LEAST_EPOCH_MS = 1e12;

/**
 * When a limit ends, as messages of providers and agents say it: as a number after a bar, as a moment, as a span,
 * or as a time of day. Null where it can't be read; spans and times of day need to know what time it is.
 */
export function resetTimeIn(message: string, nowMs: number | null): number | null {
  const exact = epochIn(message) ?? momentIn(message);
  if (exact !== null || nowMs === null) return exact;
  return spanIn(message, nowMs) ?? dayTimeIn(message, nowMs);
}

/** `usage limit reached|1762952400`, `"resets_at":1777936568`. */
function epochIn(message: string): number | null {
  const found = /\|\s*(\d{10,13})\b|"?(?:resets?_at|reset_time)"?\s*[:=]\s*"?(\d{10,13})\b/i.exec(message);
  const number = Number(found?.[1] ?? found?.[2] ?? Number.NaN);
  if (Number.isNaN(number)) return null;
  return number >= LEAST_EPOCH_MS ? number : number * 1_000;
}

function momentIn(message: string): number | null {
  const found = /(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s*(?:Z|UTC|\+00:?00)/.exec(
    message,
  );
  if (found === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1)
    .map((part) => Number(part ?? 0));
  return ((daysSinceEpoch(year, month, day) * 24 + hour) * 60 + minute) * MINUTE_MS + second * 1_000;
}

/** `try again in 2 days 17 hours 14 minutes`, `retry after 30s`, `"resets_in_seconds":13872`. */
function spanIn(message: string, nowMs: number): number | null {
  const seconds = /resets?_in_seconds"?\s*[:=]\s*(\d+)/i.exec(message)?.[1];
  if (seconds !== undefined) return nowMs + Number(seconds) * 1_000;
  const span =
    /\b(?:in|after)\s+((?:\d+(?:\.\d+)?\s*(?:days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)\b[\s,]*(?:and\s+)?)+)/i.exec(
      message,
    )?.[1];
  if (span === undefined) return null;
  let minutes = 0;
  for (const [, amount, unit] of span.matchAll(/(\d+(?:\.\d+)?)\s*([dhms])/gi))
    minutes += Number(amount) * (UNIT_MINUTES[(unit ?? '').toLowerCase()] ?? 0);
  return nowMs + Math.round(minutes * MINUTE_MS);
}

/** `resets 4:50am (Europe/Rome)`, `try again at 12:16 PM`, `will reset at Oct 6, 6pm`: the next time the clock shows it. */
function dayTimeIn(message: string, nowMs: number): number | null {
  const found =
    /\b(?:resets?|try again)(?:\s+(?:at|on))?\s+(?:([A-Z][a-z]{2})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(?:\d{4},?\s+)?(?:at\s+)?)?(\d{1,2})(?::(\d\d))?\s*([ap])\.?m\b\.?(?:\s*\(([A-Za-z_+\-/0-9]+)\))?/i.exec(
      message,
    );
  if (found === null) return null;
  const [, month, day, hour, minute, half, zone] = found;
  const clock = clockOf(zone);
  if (clock === null) return null;
  const wanted = ((Number(hour) % 12) + (half?.toLowerCase() === 'p' ? 12 : 0)) * 60 + Number(minute ?? 0);
  const now = clock(nowMs);
  const ahead = (wanted - now.minutes + DAY_MINUTES) % DAY_MINUTES;
  const atMinute = nowMs - (nowMs % MINUTE_MS);
  const first = atMinute + (ahead === 0 ? DAY_MINUTES : ahead) * MINUTE_MS;
  if (month === undefined) return first;
  return nextOnDay(clock, first, `${month.toLowerCase()} ${Number(day)}`);
}

interface ClockFace {
  /** Since midnight. */
  readonly minutes: number;
  /** `oct 6`. */
  readonly day: string;
}

/** What clocks show in a zone; in that of this machine where none is named. Null for a zone that is none. */
function clockOf(zone: string | undefined): ((atMs: number) => ClockFace) | null {
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      ...(zone === undefined ? {} : { timeZone: zone }),
      month: 'short',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    return (atMs) => {
      const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, value]));
      return {
        minutes: Number(parts.get('hour')) * 60 + Number(parts.get('minute')),
        day: `${parts.get('month')?.toLowerCase()} ${parts.get('day')}`,
      };
    };
  } catch {
    return null;
  }
}

/** Limits end within weeks; a day further off was misread. */
const LONGEST_DAYS = 40;

function nextOnDay(clock: (atMs: number) => ClockFace, first: number, day: string): number | null {
  for (let days = -1; days < LONGEST_DAYS; days += 1) {
    const at = first + days * DAY_MINUTES * MINUTE_MS;
    if (clock(at).day === day) return at;
  }
  return null;
}

/** Days of the Gregorian calendar, counted from March so that the leap day comes last. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

const UTC = new Intl.DateTimeFormat('en-US', {
  timeZone: 'UTC',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** As ISO 8601 has it, to the second and rounded up: what is tried too early fails again. */
export function isoTimeOf(atMs: number): string {
  const parts = new Map(
    UTC.formatToParts(Math.ceil(atMs / 1_000) * 1_000).map(({ type, value }) => [type, value]),
  );
  const of = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? '00';
  return `${of('year')}-${of('month')}-${of('day')}T${of('hour')}:${of('minute')}:${of('second')}.000Z`;
}
