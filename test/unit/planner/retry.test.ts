import { describe, expect, it } from 'vitest';
import { DEFAULT_RETRY, parseRetryAfter, retryDelayMs } from '../../../src/adapters/planner/retry.ts';

const POLICY = {
  ...DEFAULT_RETRY,
  retries: 3,
  firstDelayMs: 1_000,
  longestDelayMs: 3_000,
  longestRetryAfterMs: 10_000,
};

describe('another attempt at a model', () => {
  it.each([
    { what: 'a network that fails', status: null },
    { what: 'a request that took too long there', status: 408 },
    { what: 'too many requests', status: 429 },
    { what: 'a server that fails', status: 500 },
    { what: 'a gateway that fails', status: 503 },
    { what: 'a model that is overloaded', status: 529 },
  ])('is made after $what', ({ status }) => {
    expect(retryDelayMs({ status, retryAfterMs: null }, 1, POLICY, 1)).toBe(1_000);
  });

  it.each([400, 401, 403, 404, 413, 422])('is not made after status %i', (status) => {
    expect(retryDelayMs({ status, retryAfterMs: 0 }, 1, POLICY, 0.5)).toBeNull();
  });

  it.each([
    { attempt: 1, chance: 0, waits: 500 },
    { attempt: 1, chance: 1, waits: 1_000 },
    { attempt: 2, chance: 0, waits: 1_000 },
    { attempt: 2, chance: 1, waits: 2_000 },
    { attempt: 3, chance: 1, waits: 3_000 },
    { attempt: 4, chance: 1, waits: null },
  ])('number $attempt waits $waits ms at a chance of $chance', ({ attempt, chance, waits }) => {
    expect(retryDelayMs({ status: 500, retryAfterMs: null }, attempt, POLICY, chance)).toBe(waits);
  });

  it.each([
    { retryAfterMs: 4_000, waits: 4_000 },
    { retryAfterMs: 1, waits: 1_000 },
    { retryAfterMs: 10_000, waits: 10_000 },
    { retryAfterMs: 10_001, waits: null },
  ])('after a server said $retryAfterMs ms waits $waits ms', ({ retryAfterMs, waits }) => {
    expect(retryDelayMs({ status: 429, retryAfterMs }, 1, POLICY, 1)).toBe(waits);
  });
});

describe('what a server says about coming back', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each<[string, Record<string, string> | undefined, number | null]>([
    ['nothing without headers', undefined, null],
    ['nothing without the header', { server: 'x' }, null],
    ['seconds', { 'retry-after': '2' }, 2_000],
    ['parts of a second', { 'retry-after': '0.5' }, 500],
    ['milliseconds before seconds', { 'retry-after-ms': '250', 'retry-after': '2' }, 250],
    ['a date', { 'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT' }, 5_000],
    ['a date that has passed', { 'retry-after': 'Wed, 31 Dec 2025 23:00:00 GMT' }, 0],
    ['nothing where it is no time', { 'retry-after': 'soon' }, null],
  ])('is %s', (_what, headers, expected) => {
    expect(parseRetryAfter(headers, now)).toBe(expected);
  });
});
