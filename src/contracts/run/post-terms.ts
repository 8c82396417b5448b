/** When a message to a run counts, in milliseconds since the epoch by the clock of the engine. */
export interface PostTerms {
  /** From this time on, the message is refused as `too_late`. */
  readonly beforeMs?: number;
  /** Until this time, the message is refused as `too_early`. */
  readonly notBeforeMs?: number;
}

/** `taken`: an earlier message counts. */
export type PostResult = 'posted' | 'taken' | 'too_late' | 'too_early';

/** Null if the time allows the message. */
export function refuseByTime(
  nowMs: number,
  { beforeMs = Number.POSITIVE_INFINITY, notBeforeMs = Number.NEGATIVE_INFINITY }: PostTerms,
): 'too_late' | 'too_early' | null {
  if (nowMs >= beforeMs) return 'too_late';
  return nowMs < notBeforeMs ? 'too_early' : null;
}
