import type { Report } from '../contracts/cli/cli-report-document.ts';
import type { RunSummary } from '../contracts/run/run-summary.ts';
import {
  composeReport,
  type DiskUse,
  type ItemQuestion,
  isInScope,
  type ReportRepository,
  type ReportScope,
  type SummarizedRun,
} from '../overview/compose-report.ts';
import { shortIdsOf } from '../overview/short-ids.ts';
import type { Opened, Records } from './opened.ts';
import { explainRecordProblem } from './runs/record-problem.ts';
import { type SummarizedRuns, visitSummaries } from './runs/summaries.ts';

/** A repository, opened for a report. */
export interface OpenReport {
  readonly records: Records;
  /** The questions of work items; empty if the repository has none. */
  readonly readQuestions: () => Promise<Opened<readonly ItemQuestion[]>>;
  readonly isOnDefaultBranch: (commit: string) => Promise<boolean>;
  readonly diskUse: () => Promise<DiskUse>;
}

export interface ReportedRepository extends OpenReport {
  /** `--repo` for the commands that the report suggests; null if they work without it. */
  readonly repoOption: string | null;
}

/** The least time that a report covers by default. */
const SHORTEST_MS = 12 * 60 * 60 * 1_000;

/** When a report starts by default: at the last printed one, or earlier if that is less than 12 hours ago. */
export function defaultSince(lastPrinted: string | null, now: Date): Date {
  const shortest = now.getTime() - SHORTEST_MS;
  const last = lastPrinted === null ? shortest : Date.parse(lastPrinted);
  return new Date(Math.min(last, shortest));
}

/** Reads the runs of the repositories and composes their report. */
export async function reportRuns(
  repositories: readonly ReportedRepository[],
  scope: ReportScope,
  now: Date,
): Promise<Report> {
  const names = nameRepositories(repositories.map(({ records }) => records.repoRoot));
  const read: ReportRepository[] = [];
  for (const repository of repositories) {
    const { repoRoot } = repository.records;
    read.push({ ...(await readRepository(repository, scope)), name: names.get(repoRoot) ?? repoRoot });
  }
  return composeReport({ now: now.toISOString(), scope, repositories: read });
}

async function readRepository(
  repository: ReportedRepository,
  scope: ReportScope,
): Promise<Omit<ReportRepository, 'name'>> {
  const { records, repoOption } = repository;
  const all = await records.store.match('');
  const shortId = shortIdsOf(all);
  const isWhole = scope.kind === 'since';
  const wanted = isWhole ? all : all.filter((runId) => scope.runIds.has(runId));
  const { runs, baselines, unreadable } = await readRuns(records, wanted, scope);
  // Folders without a log are left out of a report, unless the user names them.
  const empty = isWhole ? [] : listUnread(wanted, { runs, unreadable });
  const questions = isWhole ? await repository.readQuestions() : { ok: true as const, value: [] };
  return {
    repoOption,
    runs,
    shortId,
    questions: questions.ok ? questions.value : [],
    baselineRuns: isWhole ? await findBaselineRuns(repository, baselines) : [],
    diskUse: isWhole ? await repository.diskUse() : null,
    unreadable: [
      ...[...unreadable, ...empty].map(({ runId, problem }) => ({
        subject: `run ${shortId(runId)}`,
        problem: explainRecordProblem(runId, problem).message,
      })),
      ...(questions.ok ? [] : [{ subject: 'work items', problem: questions.obstacle.message }]),
    ],
  };
}

function listUnread(
  wanted: readonly string[],
  { runs, unreadable }: SummarizedRuns,
): SummarizedRuns['unreadable'] {
  const read = new Set([
    ...runs.map(({ summary }) => summary.run_id),
    ...unreadable.map(({ runId }) => runId),
  ]);
  return wanted
    .filter((runId) => !read.has(runId))
    .map((runId) => ({ runId, problem: { kind: 'missing' } as const }));
}

/** Names each repository by its folder, with as many of the folders above as make the name unique. */
export function nameRepositories(roots: readonly string[]): ReadonlyMap<string, string> {
  const tail = (root: string, length: number) => root.split(/[/\\]/).slice(-length).join('/');
  return new Map(
    roots.map((root) => {
      let length = 1;
      while (
        tail(root, length) !== tail(root, length + 1) &&
        roots.some((other) => other !== root && tail(other, length) === tail(root, length))
      )
        length += 1;
      return [root, tail(root, length)];
    }),
  );
}

interface ReadRuns extends SummarizedRuns {
  /** The newest run with a comparable baseline of each base, newest first. */
  readonly baselines: readonly RunSummary[];
}

/** Keeps only what the report shows: with ten thousand runs, all summaries would take too much memory. */
async function readRuns(
  records: OpenReport['records'],
  runIds: readonly string[],
  scope: ReportScope,
): Promise<ReadRuns> {
  const found = new Map<string, SummarizedRun>();
  const newest = new Map<string, RunSummary>();
  const unreadable = await visitSummaries(records, runIds, (run) => {
    const { summary } = run;
    if (isInScope(run, scope)) found.set(summary.run_id, run);
    if (summary.baseline === null || !COMPARABLE.has(summary.baseline.outcome)) return;
    const known = newest.get(summary.base_sha);
    if (known === undefined || known.run_id < summary.run_id) newest.set(summary.base_sha, summary);
  });
  return {
    runs: runIds.flatMap((runId) => found.get(runId) ?? []),
    baselines: [...newest.values()].sort((one, other) => (one.run_id < other.run_id ? 1 : -1)),
    unreadable,
  };
}

/** The latest run with a baseline of the default branch, and the latest one with another base. */
async function findBaselineRuns(
  { isOnDefaultBranch }: OpenReport,
  baselines: readonly RunSummary[],
): Promise<RunSummary[]> {
  const found: RunSummary[] = [];
  for (const summary of baselines) {
    if (await isOnDefaultBranch(summary.base_sha)) found.push(summary);
    if (found.length === 2) break;
  }
  return found;
}

const COMPARABLE: ReadonlySet<string> = new Set(['green', 'red', 'unable']);
