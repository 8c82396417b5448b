import { MINUTE_MS } from '../contracts/duration.ts';
import { findDayTime } from './day-time.ts';

/** Times are milliseconds since the epoch, so that no result depends on the current time. */

const UNIT_MS: Readonly<Record<string, number>> = {
  d: 86_400_000,
  h: 3_600_000,
  m: MINUTE_MS,
  s: 1_000,
  ms: 1,
};

/** A number this large is in milliseconds; as seconds it would be tens of thousands of years ahead. */
const LEAST_EPOCH_MS = 1e12;

/**
 * The reset time of a limit in a message of a provider or an agent: a Unix timestamp, a date, a duration, a
 * header, or a time of day. Null if there is none; durations and times of day require the current time.
 */
export function resetTimeIn(message: string, nowMs: number | null): number | null {
  const exact = findEpoch(message);
  if (exact !== null) return exact;
  const meant = findMoment(message, RESET_PHRASE);
  if (nowMs === null) return meant ?? findMoment(message, '');
  if (meant !== null && meant > nowMs) return meant;
  // A date without a reset phrase may be the time of the message itself.
  const other = findMoment(message, '');
  return (
    findSpan(message, nowMs) ??
    findDayTime(message, nowMs) ??
    (other !== null && other > nowMs ? other : meant)
  );
}

/** Phrases that announce a reset time. */
const RESET_PHRASE = '(?:resets?|again|after|until|access|renew(?:s|ed)?|available)\\b[^\\n]{0,40}?';

/**
 * `usage limit reached|1762952400`, `"resets_at":1777936568`, `x-ratelimit-reset: 1777936568`, `resets at
 * 1777936568`.
 */
function findEpoch(message: string): number | null {
  const found =
    /(?:\||\b(?:resets?|retry)(?:[_-]?(?:at|time|after|on))?["']?(?:\s+(?:at|on))?\s*[:=]?\s*["']?)\s*(\d{10}|\d{13})(?:\.\d+)?\b/i.exec(
      message,
    );
  return found?.[1] === undefined ? null : epochMs(Number(found[1]));
}

/** Converts a number of seconds or milliseconds. */
function epochMs(number: number): number {
  return number >= LEAST_EPOCH_MS ? number : number * 1_000;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const TIME = '(\\d\\d):(\\d\\d)(?::(\\d\\d))?(?:[.,]\\d+)?';
const ISO = `(\\d{4})-(\\d\\d)-(\\d\\d)(?:T|,? at |,? )${TIME}\\s*(Z|UTC|GMT|[+-]\\d\\d:?\\d\\d)?`;
/** As in `Retry-After: Mon, 16 Nov 2026 13:30:00 GMT`. */
const HTTP = `(\\d{1,2}) (${MONTHS.join('|')})[a-z]* (\\d{4}) ${TIME} (GMT|UTC|[+-]\\d\\d:?\\d\\d)`;

function findMoment(message: string, before: string): number | null {
  const iso = new RegExp(`${before}${ISO}`, 'i').exec(message);
  if (iso !== null) return toMoment(iso.slice(1, 4).map(Number), iso.slice(4, 7), iso[7]);
  const http = new RegExp(`${before}${HTTP}`, 'i').exec(message);
  if (http === null) return null;
  const month = MONTHS.indexOf((http[2] ?? '').toLowerCase()) + 1;
  return toMoment([Number(http[3]), month, Number(http[1])], http.slice(4, 7), http[7]);
}

/** Without a zone it is UTC, which all providers use. */
function toMoment(
  [year = 0, month = 0, day = 0]: readonly number[],
  time: readonly (string | undefined)[],
  zone: string | undefined,
): number {
  const [hour = 0, minute = 0, second = 0] = time.map((part) => Number(part ?? 0));
  const minutes = (daysSinceEpoch(year, month, day) * 24 + hour) * 60 + minute - offsetMinutes(zone ?? 'Z');
  return minutes * MINUTE_MS + second * 1_000;
}

function offsetMinutes(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? [];
  return sign === undefined ? 0 : Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes));
}

const AMOUNT =
  '\\d+(?:\\.\\d+)?\\s*(?:days?|d|hours?|hrs?|hr|h|milliseconds?|ms|minutes?|mins?|min|m|seconds?|secs?|sec|s)(?![a-z])';
const SPAN = `((?:${AMOUNT}[\\s,]*(?:and\\s+)?)+)`;
/**
 * `try again in 2 days 17 hours 14 minutes`, `retry after 6m0s`, `wait 90 seconds`,
 * `x-ratelimit-reset-requests: 1m30s`.
 */
const SPAN_PATTERNS = [
  new RegExp(`\\b(?:again|retry|retrying|resets?|wait|available|access)\\b[\\w\\s:="-]{0,24}?${SPAN}`, 'i'),
  new RegExp(`\\b(?:in|after)\\s+${SPAN}`, 'i'),
];
/** `retry-after: 120`, `"retry_after_ms": 1500`, `"resets_in_seconds":13872`: bare numbers under a name. */
const NUMBER_PATTERN =
  /\b(?:retry[_-]?(?:after|in|delay)|resets?[_-]?(?:in|after))([_-]?(?:ms|millis(?:econds)?|s|secs?|seconds))?["']?\s*[:=]\s*["']?(\d{1,9}(?:\.\d+)?)(?![\w:-])/i;

function findSpan(message: string, nowMs: number): number | null {
  const [, unit = '', bare] = NUMBER_PATTERN.exec(message) ?? [];
  if (bare !== undefined) return nowMs + Math.round(Number(bare) * (/m/i.test(unit) ? 1 : 1_000));
  if (/\bin (?:less than )?a minute\b/i.test(message)) return nowMs + MINUTE_MS;
  const [span] = SPAN_PATTERNS.flatMap((pattern) => pattern.exec(message)?.[1] ?? []);
  if (span === undefined) return null;
  let ms = 0;
  for (const [, amount, word = ''] of span.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi))
    ms += Number(amount) * (UNIT_MS[/^m(?:s|illi)/i.test(word) ? 'ms' : word.charAt(0).toLowerCase()] ?? 0);
  return nowMs + Math.round(ms);
}

/** Days since the epoch in the Gregorian calendar; years start in March, so that the leap day comes last. */
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

/** In ISO 8601, rounded up to the second: a retry that is too early fails again. */
export function isoTimeOf(atMs: number): string {
  const parts = new Map(
    UTC.formatToParts(Math.ceil(atMs / 1_000) * 1_000).map(({ type, value }) => [type, value]),
  );
  const of = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? '00';
  return `${of('year')}-${of('month')}-${of('day')}T${of('hour')}:${of('minute')}:${of('second')}.000Z`;
}
