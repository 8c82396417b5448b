import type { Clock } from '../../ports/clock.ts';
import type { Claim, Engine, WorkerProblem, WorkerReport } from '../../ports/engine.ts';
import { messageOf } from '../../text/error-message.ts';
import { type Attempts, noteAttempt } from '../page/plan-attendance.ts';
import type { ClaimEnd } from './drive-claim.ts';

export interface WorkerRequest {
  readonly engine: Pick<Engine, 'claim' | 'join'>;
  readonly clock: Clock;
  readonly name: string;
  readonly labels: readonly string[];
  /** How many runs it drives at the same time. */
  readonly slots: number;
  /** Whether to return once no run is due. */
  readonly once: boolean;
  readonly drive: (claim: Claim, turn: ClaimTurn) => Promise<ClaimEnd>;
  /** Aborting drains the worker: it takes no run, interrupts those that it drives, and gives them back. */
  readonly signal: AbortSignal;
  readonly onTaken: (runId: string, isNew: boolean) => void;
  readonly onEnd: (runId: string, end: ClaimEnd) => void;
  /** The engine failed, for example because the database is away. The worker keeps trying. */
  readonly onTrouble: (message: string) => void;
}

export interface ClaimTurn {
  readonly signal: AbortSignal;
  /** When the run is due again if this attempt fails. */
  readonly retryAtMs: (nowMs: number) => number;
}

/** How often a worker with free slots looks for runs. */
const POLL_MS = 500;
/** How often it reports that it is alive; engines forget a worker after a multiple of this. */
const REPORT_MS = 5_000;

/** Takes runs from the queue and drives them, until it is drained or, with `once`, until no run is due. */
export async function work(request: WorkerRequest): Promise<void> {
  const { engine, clock, slots, signal, once } = request;
  const active = new Set<Promise<void>>();
  let freed = new AbortController();
  const attempts = new Map<string, Attempts>();
  const problems = new Map<string, WorkerProblem>();
  const describe = (): WorkerReport => {
    const { name, labels } = request;
    return { name, labels, slots, problems: [...problems.values()] };
  };
  const drive = async (claim: Claim): Promise<void> => {
    const { runId } = claim.run.directory;
    request.onTaken(runId, claim.run.events.length === 0);
    const before = attempts.get(runId);
    const end = await request.drive(claim, {
      signal,
      retryAtMs: (nowMs) => noteAttempt(before, false, nowMs)?.notBeforeMs ?? nowMs,
    });
    request.onEnd(runId, end);
    if (end.kind === 'driven') {
      attempts.delete(runId);
      problems.delete(runId);
      return;
    }
    const noted = noteAttempt(before, false, clock.now().getTime());
    if (noted !== null) attempts.set(runId, noted);
    problems.set(runId, { runId, message: end.message, retryAt: end.retryAt });
  };
  const take = async (): Promise<boolean> => {
    const claim = await engine.claim(request.labels);
    if (claim === null) return false;
    const driving = drive(claim)
      .catch((error: unknown) => request.onTrouble(messageOf(error)))
      .finally(() => {
        active.delete(driving);
        freed.abort();
      });
    active.add(driving);
    return true;
  };
  const membership = await engine.join(describe());
  try {
    for (let reportedMs = clock.now().getTime(); !signal.aborted; ) {
      const isIdle = await fillSlots(request, active, take);
      if (once && isIdle && active.size === 0) break;
      await clock.sleep(POLL_MS, AbortSignal.any([signal, freed.signal]));
      freed = new AbortController();
      if (clock.now().getTime() - reportedMs < REPORT_MS) continue;
      reportedMs = clock.now().getTime();
      await membership.report(describe()).catch((error: unknown) => request.onTrouble(messageOf(error)));
    }
  } finally {
    await Promise.all(active);
    await membership.leave().catch((error: unknown) => request.onTrouble(messageOf(error)));
  }
}

/** Takes runs until all slots are in use or no run is due. True if no run was due. */
async function fillSlots(
  { slots, signal, onTrouble }: WorkerRequest,
  active: ReadonlySet<Promise<void>>,
  take: () => Promise<boolean>,
): Promise<boolean> {
  try {
    while (active.size < slots && !signal.aborted) if (!(await take())) return true;
  } catch (error) {
    onTrouble(messageOf(error));
  }
  return false;
}
