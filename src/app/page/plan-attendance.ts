/** A run as the attendant sees it. */
export interface AttendedRun {
  /** Repository and run. */
  readonly key: string;
  /** The last event of its log. */
  readonly seq: number;
  /** From when on it can continue without its user; null if it can't. */
  readonly dueAt: Date | null;
  readonly isDriven: boolean;
}

/** What came of the last attempts to continue a run. */
export interface Attempts {
  /** Attempts in a row that left the log as it was. */
  readonly failures: number;
  readonly notBeforeMs: number;
}

export interface AttendancePlan {
  /** Runs to continue now, the one that waits longest first. */
  readonly start: readonly string[];
  /** When to look again, although nothing changes; null if nothing becomes due. */
  readonly wakeAtMs: number | null;
}

const FIRST_DELAY_MS = 30_000;
const LONGEST_DELAY_MS = 30 * 60_000;

/** Chooses which runs to continue. A run that another process drives, or that this one has started, is left alone. */
export function planAttendance(
  runs: readonly AttendedRun[],
  {
    attempts,
    active,
    slots,
    nowMs,
  }: {
    readonly attempts: ReadonlyMap<string, Attempts>;
    readonly active: ReadonlySet<string>;
    /** How many may run at the same time. */
    readonly slots: number;
    readonly nowMs: number;
  },
): AttendancePlan {
  const waiting = runs
    .filter(({ key, isDriven }) => !isDriven && !active.has(key))
    .flatMap(({ key, dueAt }) =>
      dueAt === null ? [] : [{ key, atMs: Math.max(dueAt.getTime(), attempts.get(key)?.notBeforeMs ?? 0) }],
    )
    .sort((a, b) => a.atMs - b.atMs);
  const due = waiting.filter(({ atMs }) => atMs <= nowMs);
  const later = waiting.find(({ atMs }) => atMs > nowMs);
  return {
    start: due.slice(0, Math.max(0, slots - active.size)).map(({ key }) => key),
    wakeAtMs: later?.atMs ?? null,
  };
}

/** After an attempt: progress forgets earlier failures, another failure doubles the delay. Null forgets the run. */
export function noteAttempt(
  before: Attempts | undefined,
  hasProgressed: boolean,
  nowMs: number,
): Attempts | null {
  if (hasProgressed) return null;
  const failures = (before?.failures ?? 0) + 1;
  const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), LONGEST_DELAY_MS);
  return { failures, notBeforeMs: nowMs + delayMs };
}
