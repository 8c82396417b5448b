import type { RunOutcome } from '../contracts/vocabulary.ts';
import type { Clock } from '../ports/clock.ts';
import type { RunRecord, RunStore } from '../ports/run-store.ts';
import { type CancelRequest, submitCancelRequest } from './cancel-request.ts';
import { type ResumeProblem, resumeRun } from './resume-run.ts';
import type { RunDeps } from './run-context.ts';
import { viewRun } from './run-view.ts';

/** How long to wait for the process that drives the run to stop it: its step may need its grace time. */
const DRIVER_PATIENCE_MS = 30_000;
const POLL_MS = 100;

const SILENT = { onEvents: () => {}, onLine: () => {} };

export type CancelResult =
  /** `note` says what was wrong with the record and did not keep the run from being ended. */
  | { readonly kind: 'cancelled'; readonly note: string | null }
  /** It had ended before. */
  | { readonly kind: 'ended'; readonly outcome: RunOutcome | null }
  /** The process has not stopped it yet; the request stands. */
  | { readonly kind: 'driven'; readonly pid: number }
  | { readonly kind: 'problem'; readonly problem: ResumeProblem };

interface CancelCall {
  readonly record: RunRecord;
  readonly store: RunStore;
  readonly clock: Clock;
  readonly request: CancelRequest;
  /** Asked only where nobody drives the run. */
  readonly deps: () => Promise<RunDeps>;
}

/** Ends a run for good: by the process that drives it, or here where none does. */
export async function cancelRun(call: CancelCall): Promise<CancelResult> {
  const { record, request } = call;
  const { runId } = record.directory;
  await submitCancelRequest(record.directory, request);
  const driver = record.driverPid === null ? 'gone' : await waitForDriver(call, runId);
  let note: string | null = null;
  if (driver === 'stays') return { kind: 'driven', pid: record.driverPid ?? 0 };
  if (driver === 'gone') {
    const resumed = await cancelHere(call, runId, (message) => {
      note = message;
    });
    if (!resumed.ok) return { kind: 'problem', problem: resumed.problem };
  }
  const read = await call.store.read(runId);
  const outcome = (read.ok ? viewRun(read.run.events) : null)?.end?.outcome ?? null;
  return outcome === 'cancelled' ? { kind: 'cancelled', note } : { kind: 'ended', outcome };
}

async function cancelHere({ deps, request }: CancelCall, runId: string, onDamage: (message: string) => void) {
  return resumeRun({
    deps: await deps(),
    runId,
    wait: false,
    signal: new AbortController().signal,
    observer: SILENT,
    onGate: null,
    onPlan: () => {},
    onDamage,
    first: { kind: 'cancel', ...request },
  });
}

/**
 * Whether the process that drives the run ended it, went away without doing so, or still drives it. Who has ended it lets go
 * of it when the whole record is written.
 */
async function waitForDriver(
  { store, clock }: CancelCall,
  runId: string,
): Promise<'ended' | 'gone' | 'stays'> {
  const never = new AbortController().signal;
  let hasEnded = false;
  for (let waited = 0; waited < DRIVER_PATIENCE_MS; waited += POLL_MS) {
    const read = await store.read(runId);
    hasEnded = read.ok && viewRun(read.run.events)?.end != null;
    if (read.ok && read.run.driverPid === null) return hasEnded ? 'ended' : 'gone';
    await clock.sleep(POLL_MS, never);
  }
  return hasEnded ? 'ended' : 'stays';
}
