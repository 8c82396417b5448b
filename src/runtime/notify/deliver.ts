import type { NotifyKind } from '../../contracts/config/notify-config.ts';
import { nextTryMs, type SendResult } from '../../notify/retry.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Notifier } from '../../ports/notifier.ts';

export interface DeliveryDeps {
  readonly clock: Clock;
  readonly chance: () => number;
}

export interface Delivered {
  readonly ok: boolean;
  /** Why it failed; null if it was sent. */
  readonly message: string | null;
}

/** How long a command that is otherwise done waits for its notifications. */
export const SETTLE_MS = 15_000;

/** Sends with retries, until it succeeds, fails for good, or the signal fires. */
export async function deliver(
  { clock, chance }: DeliveryDeps,
  send: (signal: AbortSignal) => Promise<SendResult>,
  signal: AbortSignal,
): Promise<Delivered> {
  for (let tries = 1; ; tries += 1) {
    const result = await send(signal);
    if (result.ok) return { ok: true, message: null };
    const delayMs = signal.aborted ? null : nextTryMs(result, tries, chance());
    if (delayMs !== null) await clock.sleep(delayMs, signal);
    if (delayMs === null || signal.aborted)
      return { ok: false, message: tries === 1 ? result.message : `${result.message} (${tries} tries)` };
  }
}

/** The targets that want an event; each gets it once, even if several of its kinds match. */
export function targetsFor(notifier: Notifier, kinds: readonly NotifyKind[]): readonly string[] {
  return notifier.targets.filter(({ on }) => kinds.some((kind) => on.includes(kind))).map(({ name }) => name);
}
