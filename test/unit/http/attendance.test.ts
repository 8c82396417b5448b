import { describe, expect, it } from 'vitest';
import { noteAttempt, planAttendance } from '../../../src/app/page/plan-attendance.ts';

const NOW = 1_000_000;
const run = (key: string, dueMs: number | null, isDriven = false) => ({
  key,
  seq: 1,
  dueAt: dueMs === null ? null : new Date(dueMs),
  isDriven,
});
const idle = { attempts: new Map(), active: new Set<string>(), slots: 2, nowMs: NOW };

const CASES = [
  { what: 'an answered run', runs: [run('a', 0)], start: ['a'], wakeAtMs: null },
  { what: 'a run that waits for its user', runs: [run('a', null)], start: [], wakeAtMs: null },
  { what: 'a run that another process drives', runs: [run('a', 0, true)], start: [], wakeAtMs: null },
  { what: 'a parked run', runs: [run('a', NOW + 5)], start: [], wakeAtMs: NOW + 5 },
  { what: 'a run whose parking has just ended', runs: [run('a', NOW)], start: ['a'], wakeAtMs: null },
  {
    what: 'more runs than there are slots',
    runs: [run('c', 3), run('a', 1), run('b', 2)],
    start: ['a', 'b'],
    wakeAtMs: null,
  },
];

describe('the attendant', () => {
  it.each(CASES)('chooses which runs to continue: $what', ({ runs, start, wakeAtMs }) => {
    expect(planAttendance(runs, idle)).toEqual({ start, wakeAtMs });
  });

  it('leaves a run alone that it has started, and counts it as a slot', () => {
    const active = new Set(['a']);
    const runs = [run('a', 0), run('b', 1), run('c', 2)];
    expect(planAttendance(runs, { ...idle, active }).start).toEqual(['b']);
  });

  it('tries a run that failed later and later, and forgets failures after progress', () => {
    const first = noteAttempt(undefined, false, NOW);
    expect(first).toEqual({ failures: 1, notBeforeMs: NOW + 30_000 });
    const second = noteAttempt(first ?? undefined, false, NOW);
    expect(second).toEqual({ failures: 2, notBeforeMs: NOW + 60_000 });
    const attempts = new Map([['a', { failures: 20, notBeforeMs: NOW + 7 }]]);
    expect(planAttendance([run('a', 0)], { ...idle, attempts })).toEqual({ start: [], wakeAtMs: NOW + 7 });
    expect(noteAttempt({ failures: 20, notBeforeMs: 0 }, false, NOW)?.notBeforeMs).toBe(NOW + 30 * 60_000);
    expect(noteAttempt({ failures: 20, notBeforeMs: 0 }, true, NOW)).toBeNull();
  });
});
