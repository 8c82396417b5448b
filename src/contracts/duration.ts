export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
const UNIT_MS = { s: 1_000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS } as const;

/** Digits, an optional fraction, one unit; zero is not allowed. Also used in the JSON Schemas. */
export const DURATION_PATTERN = /^(?=.*[1-9])\d+(?:\.\d+)?[smhd]$/;

/** Parses a duration to milliseconds; null if it is malformed. A plain number means seconds. */
export function parseDuration(value: unknown): number | null {
  if (typeof value === 'number') return value > 0 ? toWholeMs(value * UNIT_MS.s) : null;
  if (typeof value !== 'string' || !DURATION_PATTERN.test(value)) return null;
  const unit = value.at(-1);
  if (unit !== 's' && unit !== 'm' && unit !== 'h' && unit !== 'd') return null;
  return toWholeMs(Number(value.slice(0, -1)) * UNIT_MS[unit]);
}

/** Rounds up, so that a positive duration never becomes zero. Subtracting 1e-6 compensates for floating-point error. */
function toWholeMs(ms: number): number | null {
  const whole = Math.ceil(ms - 1e-6);
  return Number.isSafeInteger(whole) ? Math.max(1, whole) : null;
}
