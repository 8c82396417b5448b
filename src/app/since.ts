import { parseDuration } from '../contracts/duration.ts';

/** Parses `12h`, `yesterday`, a date or a time in ISO 8601; null if it is none of these. Days start at local midnight. */
export function parseSince(text: string, now: Date): Date | null {
  if (text === 'yesterday') return new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  const durationMs = parseDuration(text);
  if (durationMs !== null) return new Date(now.getTime() - durationMs);
  const [, year, month, date, time = ''] = /^(\d{4})-(\d\d)-(\d\d)(T.*)?$/.exec(text) ?? [];
  const midnight = new Date(Number(year), Number(month) - 1, Number(date));
  // `Date` takes 30 February for 2 March.
  const isDay = midnight.getMonth() === Number(month) - 1 && midnight.getDate() === Number(date);
  if (!isDay || time === '') return isDay ? midnight : null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : new Date(at);
}
