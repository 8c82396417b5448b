import type { AttendantProblem } from '../../contracts/http/run-documents.ts';
import type { BackgroundPrograms } from '../../ports/background-programs.ts';
import type { Clock } from '../../ports/clock.ts';
import { workflowsOfRun } from '../drive/resume-run.ts';
import { openRun } from '../runs/open-run.ts';
import { findUntrustedParts, listParts, TRUST_CONFIGURATION, type TrustRequest } from '../trust.ts';
import { type Attempts, noteAttempt, planAttendance } from './plan-attendance.ts';
import type { RunBoard } from './run-board.ts';
import type { ServedRepository } from './served-repository.ts';

/** Continues runs of the served repositories once they can go on without their user. */
export interface Attendant {
  /** What it could not continue, and why. */
  readonly problems: (repoId: string) => readonly AttendantProblem[];
  readonly close: () => void;
}

export interface AttendantDeps {
  readonly repositories: readonly { readonly repo: ServedRepository; readonly board: RunBoard }[];
  readonly background: BackgroundPrograms;
  readonly clock: Clock;
  /** How many runs it continues at the same time. */
  readonly slots: number;
  /** A line for the terminal. */
  readonly onNote: (text: string) => void;
  readonly onError: (error: unknown) => void;
}

interface Attended {
  readonly repo: ServedRepository;
  readonly board: RunBoard;
  readonly runId: string;
  readonly seq: number;
  readonly awaitsReview: boolean;
}

/** A clock that was set forward, or a machine that slept, must not delay a run for longer than this. */
const LONGEST_WAIT_MS = 60_000;
/** How often a process is started to look for a review; it takes about a second and a few requests. */
const REVIEW_POLL_MS = 120_000;

export function startAttendant(deps: AttendantDeps): Attendant {
  const { repositories, clock, slots } = deps;
  const closed = new AbortController();
  const attempts = new Map<string, Attempts>();
  const problems = new Map<string, { readonly repoId: string; readonly problem: AttendantProblem }>();
  const active = new Set<string>();
  let woken = new AbortController();
  const wake = () => woken.abort();

  const attend = async (key: string, { repo, board, runId, seq, awaitsReview }: Attended) => {
    const problem = await continueRun(deps, repo, runId);
    const read = await openRun(repo.records, runId);
    const hasProgressed = read.ok && (read.run.record.events.at(-1)?.seq ?? -1) > seq;
    if (awaitsReview && problem === null && !hasProgressed) {
      // The forge had no review yet: nothing is wrong, and it is asked again later.
      attempts.set(key, { failures: 0, notBeforeMs: clock.now().getTime() + REVIEW_POLL_MS });
      problems.delete(key);
      active.delete(key);
      wake();
      return;
    }
    const noted = noteAttempt(attempts.get(key), hasProgressed, clock.now().getTime());
    if (noted === null || problem === null) {
      attempts.delete(key);
      problems.delete(key);
    }
    if (noted !== null) {
      attempts.set(key, noted);
      const retryAt = new Date(noted.notBeforeMs).toISOString();
      const reported = problem ?? { kind: 'failed' as const, message: 'the run did not continue' };
      if (problems.get(key)?.problem.message !== reported.message)
        deps.onNote(`run ${runId} of ${repo.name} can't continue: ${reported.message}`);
      problems.set(key, { repoId: repo.id, problem: { ...reported, run_id: runId, retry_at: retryAt } });
    }
    active.delete(key);
    board.refresh(runId);
    wake();
  };

  const loop = async () => {
    while (!closed.signal.aborted) {
      woken = new AbortController();
      const runs = new Map<string, Attended & { readonly dueAt: Date | null; readonly isDriven: boolean }>();
      for (const { repo, board } of repositories)
        for (const { run, seq, dueAt, awaitsReview } of board.live()) {
          const { runId } = run.view;
          const isDriven = run.record.driver !== null;
          runs.set(`${repo.id}/${runId}`, { repo, board, runId, seq, awaitsReview, dueAt, isDriven });
        }
      for (const key of attempts.keys())
        if (!runs.has(key)) {
          attempts.delete(key);
          problems.delete(key);
        }
      const nowMs = clock.now().getTime();
      const { start, wakeAtMs } = planAttendance(
        [...runs].map(([key, { seq, dueAt, isDriven }]) => ({ key, seq, dueAt, isDriven })),
        { attempts, active, slots, nowMs },
      );
      for (const key of start) {
        const run = runs.get(key);
        if (run === undefined) continue;
        active.add(key);
        if (!run.awaitsReview) deps.onNote(`continuing run ${run.runId} of ${run.repo.name}`);
        attend(key, run).catch(deps.onError);
      }
      const waitMs = Math.min(Math.max(0, (wakeAtMs ?? Number.POSITIVE_INFINITY) - nowMs), LONGEST_WAIT_MS);
      await clock.sleep(waitMs, AbortSignal.any([closed.signal, woken.signal]));
    }
  };
  const stops = repositories.map(({ board }) => board.subscribe(wake));
  loop().catch(deps.onError);
  return {
    problems: (repoId) =>
      [...problems.values()].flatMap(({ problem, ...of }) => (of.repoId === repoId ? [problem] : [])),
    close: () => {
      closed.abort();
      for (const stop of stops) stop();
    },
  };
}

type Problem = Pick<AttendantProblem, 'kind' | 'message'>;

/** Null if a process has continued the run. Trust is a question for the user's terminal: nothing is started without it. */
async function continueRun(
  { background }: AttendantDeps,
  { services, root, records }: ServedRepository,
  runId: string,
): Promise<Problem | null> {
  const workflows: TrustRequest['workflows'] = await workflowsOfRun(records.store, runId);
  const trust = await services.openTrust(root, { ...TRUST_CONFIGURATION, workflows });
  if (!trust.ok) return { kind: 'failed', message: trust.obstacle.message };
  const missing = findUntrustedParts(trust.value);
  if (missing.length > 0)
    return {
      kind: 'needs_trust',
      message: `${trust.value.repository} is not trusted with ${listParts(missing)}; run conductor trust there`,
    };
  const { code, message } = await background.resume(root, runId);
  if (code !== null && CONTINUED.has(code)) return null;
  return { kind: 'failed', message: lastLine(message) ?? `the process ended with code ${code ?? 'none'}` };
}

/** Exit codes of a run that went on: it ended in some way, or waits. */
const CONTINUED: ReadonlySet<number> = new Set([0, 3, 4, 5, 6, 7, 130]);

function lastLine(text: string): string | null {
  return (
    text
      .split('\n')
      .map((line) => line.trim())
      .findLast((line) => line !== '') ?? null
  );
}
