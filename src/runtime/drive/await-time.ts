import type { GateWait } from './await-gate.ts';
import type { DriveContext } from './drive-context.ts';

/** The clock may be adjusted and the machine may be suspended, so the time is checked again this often. */
const POLL_MS = 30_000;

/** Whether `until` has passed; false only if `wait` is false. */
export async function awaitTime(
  { wait }: Pick<GateWait, 'wait'>,
  { deps, signal, stopIfAsked }: DriveContext,
  until: string,
): Promise<boolean> {
  for (;;) {
    const leftMs = Date.parse(until) - deps.clock.now().getTime();
    if (leftMs <= 0) return true;
    if (!wait) return false;
    await deps.clock.sleep(Math.min(leftMs, POLL_MS), signal);
    await stopIfAsked();
  }
}
