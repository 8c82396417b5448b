/** Counts failed attempts per address in a window of time. */
export interface AttemptLimit {
  /** Seconds until the address may try again; 0 if it may now. */
  readonly waitOf: (address: string, nowMs: number) => number;
  readonly addFailure: (address: string, nowMs: number) => void;
}

export interface AttemptBounds {
  readonly windowMs: number;
  readonly perAddress: number;
  /** Of all addresses together, so that many addresses don't help. */
  readonly total: number;
}

export function createAttemptLimit({ windowMs, perAddress, total }: AttemptBounds): AttemptLimit {
  let failures: readonly { readonly address: string; readonly atMs: number }[] = [];
  const recent = (nowMs: number) => {
    failures = failures.filter(({ atMs }) => atMs > nowMs - windowMs);
    return failures;
  };
  return {
    waitOf: (address, nowMs) => {
      const all = recent(nowMs);
      const own = all.filter((failure) => failure.address === address);
      const untilMs = [
        own.length < perAddress ? 0 : (own[own.length - perAddress]?.atMs ?? 0) + windowMs,
        all.length < total ? 0 : (all[all.length - total]?.atMs ?? 0) + windowMs,
      ];
      return Math.max(0, Math.ceil((Math.max(...untilMs) - nowMs) / 1_000));
    },
    addFailure: (address, nowMs) => {
      failures = [...recent(nowMs), { address, atMs: nowMs }].slice(-total);
    },
  };
}
