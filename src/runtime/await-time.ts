import type { GateWait } from './await-gate.ts';
import type { DriveContext } from './drive-context.ts';

/** Clocks are put right and machines sleep: what time it is has to be asked again and again. */
const LOOK_MS = 30_000;

/** True when the time has come; false when it has not and nobody is to wait for it here. */
export async function awaitTime(
  { wait }: Pick<GateWait, 'wait'>,
  { deps, signal, stopIfAsked }: DriveContext,
  until: string,
): Promise<boolean> {
  for (;;) {
    const leftMs = Date.parse(until) - deps.clock.now().getTime();
    if (leftMs <= 0) return true;
    if (!wait) return false;
    await deps.clock.sleep(Math.min(leftMs, LOOK_MS), signal);
    await stopIfAsked();
  }
}
