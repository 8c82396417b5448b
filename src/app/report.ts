import { basename } from 'node:path';
import type { Report } from '../contracts/cli/cli-report-document.ts';
import type { RunSummary } from '../contracts/run/run-summary.ts';
import {
  composeReport,
  type DiskUse,
  type ItemQuestion,
  type ReportRepository,
  type ReportScope,
  type SummarizedRun,
} from '../overview/compose-report.ts';
import { shortIdsOf } from '../overview/short-ids.ts';
import type { Opened, Records } from './opened.ts';
import { explainRecordProblem } from './runs/record-problem.ts';
import { summarizeRuns } from './runs/summaries.ts';

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
  const read: ReportRepository[] = [];
  for (const repository of repositories) read.push(await readRepository(repository, scope));
  return composeReport({ now: now.toISOString(), scope, repositories: read });
}

async function readRepository(repository: ReportedRepository, scope: ReportScope): Promise<ReportRepository> {
  const { records, repoOption } = repository;
  const all = await records.store.match('');
  const shortId = shortIdsOf(all);
  const isWhole = scope.kind === 'since';
  const wanted = isWhole ? null : all.filter((runId) => scope.runIds.has(runId));
  const { runs, unreadable } = await summarizeRuns(records, wanted);
  const questions = isWhole ? await repository.readQuestions() : { ok: true as const, value: [] };
  return {
    name: basename(records.repoRoot),
    repoOption,
    runs,
    shortId,
    questions: questions.ok ? questions.value : [],
    baselineRuns: isWhole ? await findBaselineRuns(repository, runs) : [],
    diskUse: isWhole ? await repository.diskUse() : null,
    unreadable: [
      ...unreadable.map(({ runId, problem }) => ({
        subject: `run ${shortId(runId)}`,
        problem: explainRecordProblem(runId, problem).message,
      })),
      ...(questions.ok ? [] : [{ subject: 'work items', problem: questions.obstacle.message }]),
    ],
  };
}

/** The latest run with a baseline of the default branch, and the latest one with another base. */
async function findBaselineRuns(
  { isOnDefaultBranch }: OpenReport,
  runs: readonly SummarizedRun[],
): Promise<RunSummary[]> {
  const found: RunSummary[] = [];
  const seen = new Set<string>();
  for (const { summary } of runs) {
    if (summary.baseline === null || !COMPARABLE.has(summary.baseline.outcome)) continue;
    if (seen.has(summary.base_sha)) continue;
    seen.add(summary.base_sha);
    if (await isOnDefaultBranch(summary.base_sha)) found.push(summary);
    if (found.length === 2) break;
  }
  return found;
}

const COMPARABLE: ReadonlySet<string> = new Set(['green', 'red', 'unable']);
