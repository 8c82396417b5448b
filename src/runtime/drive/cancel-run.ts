import type { Driver } from '../../contracts/run/run-lease.ts';
import type { RunOutcome } from '../../contracts/vocabulary.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RunRecord, RunStore } from '../../ports/run-store.ts';
import { createUnabortedSignal } from '../never-aborted.ts';
import { viewRun } from '../record/run-view.ts';
import type { RunDeps } from '../run-context.ts';
import { type CancelRequest, submitCancelRequest } from './cancel-request.ts';
import { type ResumeProblem, resumeRun } from './resume-run.ts';

/** How long to wait for the process that drives the run. The program of its step may use its whole grace period. */
const DRIVER_TIMEOUT_MS = 30_000;
const POLL_MS = 100;

const SILENT = { onEvents: () => {}, onLine: () => {} };

export type CancelResult =
  /** `note` names damage in the record that did not prevent the cancellation. */
  | { readonly kind: 'cancelled'; readonly note: string | null }
  /** The run had already ended. */
  | { readonly kind: 'ended'; readonly outcome: RunOutcome | null }
  /** The driving process has not stopped the run yet; the request stays in place. */
  | { readonly kind: 'driven'; readonly driver: Driver }
  /** No worker has taken the run since; the request stays in place. */
  | { readonly kind: 'queued' }
  | { readonly kind: 'problem'; readonly problem: ResumeProblem };

interface CancelCall {
  readonly record: RunRecord;
  readonly store: RunStore;
  readonly clock: Clock;
  readonly request: CancelRequest;
  /** Called only if no process drives the run. Null if workers drive it, which the request makes do so. */
  readonly openDeps: (() => Promise<RunDeps>) | null;
}

/** Cancels a run: through the process that drives it, or here if there is none. */
export async function cancelRun(call: CancelCall): Promise<CancelResult> {
  const { record, request, openDeps } = call;
  const { runId } = record.directory;
  await submitCancelRequest(record.inbox, request);
  const isWaitNeeded = record.driver !== null || openDeps === null;
  const waited = isWaitNeeded ? await waitForDriver(call, runId) : 'exited';
  if (waited !== 'ended' && waited !== 'exited') return { kind: 'driven', driver: waited };
  if (waited === 'exited' && openDeps === null) return { kind: 'queued' };
  const here =
    waited === 'exited' && openDeps !== null ? await cancelHere(openDeps, request, runId) : NOT_NEEDED;
  if (!here.ok) return { kind: 'problem', problem: here.problem };
  const read = await call.store.read(runId);
  const outcome = (read.ok ? viewRun(read.run.events) : null)?.end?.outcome ?? null;
  return outcome === 'cancelled' ? { kind: 'cancelled', note: here.note } : { kind: 'ended', outcome };
}

type CancelledHere =
  | { readonly ok: true; readonly note: string | null }
  | { readonly ok: false; readonly problem: ResumeProblem };

/** The driving process has ended the run itself. */
const NOT_NEEDED: CancelledHere = { ok: true, note: null };

async function cancelHere(
  openDeps: () => Promise<RunDeps>,
  request: CancelRequest,
  runId: string,
): Promise<CancelledHere> {
  let note: string | null = null;
  const resumed = await resumeRun({
    deps: await openDeps(),
    runId,
    wait: false,
    signal: createUnabortedSignal(),
    observer: SILENT,
    onGate: null,
    onPlan: () => {},
    onDamage: (message) => {
      note = message;
    },
    first: { kind: 'cancel', ...request },
  });
  return resumed.ok ? { ok: true, note } : resumed;
}

/**
 * Whether the driving process ended the run (`ended`) or exited without doing so (`exited`); the driver if it still
 * drives the run. A driver that ends a run releases the lease only after the whole record is written.
 */
async function waitForDriver(
  { store, clock, openDeps }: CancelCall,
  runId: string,
): Promise<'ended' | 'exited' | Driver> {
  const never = createUnabortedSignal();
  let hasEnded = false;
  let driver: Driver | null = null;
  for (let waited = 0; waited < DRIVER_TIMEOUT_MS; waited += POLL_MS) {
    const read = await store.read(runId);
    hasEnded = read.ok && viewRun(read.run.events)?.end != null;
    driver = read.ok ? read.run.driver : driver;
    if (read.ok && driver === null && (hasEnded || openDeps !== null)) return hasEnded ? 'ended' : 'exited';
    await clock.sleep(POLL_MS, never);
  }
  if (!hasEnded && driver === null && openDeps === null) return 'exited';
  return hasEnded || driver === null ? 'ended' : driver;
}
