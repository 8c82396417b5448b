import { parseDuration } from '../contracts/duration.ts';

/** Parses `12h`, `yesterday`, a date or a time in ISO 8601; null if it is none of these. Days start at local midnight. */
export function parseSince(text: string, now: Date): Date | null {
  if (text === 'yesterday') return new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  const durationMs = parseDuration(text);
  if (durationMs !== null) return new Date(now.getTime() - durationMs);
  const day = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (day !== null) {
    const [year, month, date] = [Number(day[1]), Number(day[2]), Number(day[3])];
    const found = new Date(year, month - 1, date);
    return found.getMonth() === month - 1 && found.getDate() === date ? found : null;
  }
  if (!/^\d{4}-\d\d-\d\dT/.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : new Date(at);
}
