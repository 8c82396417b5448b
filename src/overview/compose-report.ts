import {
  REPORT_SECTIONS,
  type Report,
  type ReportDisk,
  type ReportLine,
  type ReportNews,
  type ReportQuestion,
  type ReportSectionId,
  type SpendGroup,
} from '../contracts/cli/cli-report-document.ts';
import type { AgentStart, RunSummary } from '../contracts/run/run-summary.ts';
import { CONTRADICTION_FLAGS } from '../planner/table/severity.ts';
import { quoteWord } from '../text/shell-words.ts';
import { compareBaselines } from './compare-baselines.ts';
import type { ShortId } from './short-ids.ts';
import { spendOfStart, sumSpend } from './spend.ts';

/** A run with its summary, and whether a process drives it now. */
export interface SummarizedRun {
  readonly summary: RunSummary;
  readonly isDriven: boolean;
}

/** What a report says about one repository. */
export interface ReportRepository {
  readonly name: string;
  /** `--repo` for the commands that the report suggests; null if they work without it. */
  readonly repoOption: string | null;
  /** Newest first. */
  readonly runs: readonly SummarizedRun[];
  readonly shortId: ShortId;
  readonly questions: readonly ItemQuestion[];
  /** Runs with a baseline of a commit on the default branch, newest first. */
  readonly baselineRuns: readonly RunSummary[];
  readonly diskUse: DiskUse | null;
  /** What can't be read, such as `run 0199ab12`, and why. */
  readonly unreadable: readonly { readonly subject: string; readonly problem: string }[];
}

/** The bytes on disk of a repository's runs. */
export type DiskUse = Pick<ReportDisk, 'runs_bytes' | 'workspaces_bytes' | 'is_complete'>;

/** A work item that waits for a user. */
export interface ItemQuestion {
  readonly itemId: string;
  readonly title: string;
  readonly status: string;
  readonly question: string;
  readonly commands: readonly string[];
}

/** Runs since a time, and all that have not ended; or exactly these runs. */
export type ReportScope =
  | { readonly kind: 'since'; readonly since: string }
  | { readonly kind: 'runs'; readonly runIds: ReadonlySet<string> };

/** All times are in ISO 8601 with `Z`, so that they can be compared as texts. */
export interface ReportInput {
  readonly now: string;
  readonly scope: ReportScope;
  readonly repositories: readonly ReportRepository[];
}

/** Composes the report: every run in exactly one section, and totals that are the sums of its lines. */
export function composeReport({ now, scope, repositories }: ReportInput): Report {
  const placed = repositories.flatMap((repository) =>
    repository.runs
      .filter((run) => isInScope(run, scope))
      .map((run) => ({
        section: chooseSection(run, now),
        run,
        line: composeLine(run, repository, now),
      })),
  );
  const questions =
    scope.kind === 'runs'
      ? []
      : repositories.flatMap((repository) => repository.questions.map((each) => askIn(repository, each)));
  const sections = REPORT_SECTIONS.map((id) => ({
    id,
    runs: placed.filter(({ section }) => section === id).map(({ line }) => line),
    questions: id === 'needs_you' ? questions : [],
  })).filter((section) => section.runs.length + section.questions.length > 0);
  const summaries = placed.map(({ run }) => run.summary);
  return {
    generated_at: now,
    since: scope.kind === 'since' ? scope.since : null,
    sections,
    news:
      scope.kind === 'runs'
        ? []
        : repositories.flatMap((repository) => findNews(repository, scope.since) ?? []),
    spent: {
      total: sumSpend(placed.map(({ line }) => line.spend)),
      by_agent: groupSpend(summaries, ({ agent }) => agent),
      by_workflow: groupSpend(summaries, (_start, { workflow_id: workflow }) => workflow),
    },
    disk: repositories.flatMap(({ name, diskUse }) =>
      diskUse === null ? [] : [{ repository: name, ...diskUse }],
    ),
    unreadable: repositories.flatMap(({ name, unreadable }) =>
      unreadable.map((each) => ({ repository: name, ...each })),
    ),
  };
}

export function isInScope({ summary }: Pick<SummarizedRun, 'summary'>, scope: ReportScope): boolean {
  return scope.kind === 'runs'
    ? scope.runIds.has(summary.run_id)
    : summary.outcome === null || summary.updated_at >= scope.since;
}

/** Flags of an evaluation that cast doubt on what the run shows. */
const DOUBTS: readonly string[] = [...CONTRADICTION_FLAGS, 'judge_changed', 'fewer_checks'];

/** The first section that fits. Verdicts come from recorded decisions only. */
export function chooseSection(run: SummarizedRun, now: string): ReportSectionId {
  const { outcome, awaiting, claims } = run.summary;
  if (awaiting !== null || isOverdue(run, now)) return 'needs_you';
  if (outcome === null) return 'running';
  if (outcome === 'unverified') return 'claimed_not_shown';
  if (claims.contradicted > 0 || doubtsOf(run.summary).length > 0) return 'claimed_not_shown';
  return outcome === 'success' ? 'done' : 'failed';
}

/** The time that a parked run waits for has passed, and no process resumes it. */
function isOverdue({ summary: { parked }, isDriven }: SummarizedRun, now: string): boolean {
  return parked !== null && !isDriven && parked.until <= now;
}

function doubtsOf({ decisions }: RunSummary): string[] {
  return (decisions.at(-1)?.risk_flags ?? []).filter((flag) => DOUBTS.includes(flag));
}

function composeLine(run: SummarizedRun, repository: ReportRepository, now: string): ReportLine {
  const { summary, isDriven } = run;
  const { awaiting, parked, checks, claims, cancel } = summary;
  const isInterrupted = summary.lifecycle_state === 'running' && !isDriven;
  const id = repository.shortId(summary.run_id);
  return {
    run_id: summary.run_id,
    id,
    repository: repository.name,
    title: summary.title,
    workflow_id: summary.workflow_id,
    state: isInterrupted ? 'interrupted' : summary.lifecycle_state,
    outcome: summary.outcome,
    started_at: summary.started_at,
    updated_at: summary.updated_at,
    ended_at: summary.ended_at,
    reason: summary.reason,
    first_cause: summary.first_cause,
    cancelled_by: cancel?.by ?? null,
    gate: awaiting && {
      step_id: awaiting.step_id,
      reason: awaiting.reason,
      requested_at: awaiting.requested_at,
      expires_at: awaiting.expires_at,
      answer: awaiting.answer ?? (isExpired(awaiting.expires_at, now) ? 'gate_timed_out' : null),
    },
    parked,
    current_step_id: summary.current_step_id,
    change: summary.change,
    checks: checks && {
      passed: checks.passed,
      total: checks.total,
      failed: checks.failed,
      cases: checks.cases,
    },
    claims,
    flags: doubtsOf(summary),
    approved: summary.approved_after_decision,
    last_message: summary.last_message,
    branch: summary.branch,
    salvage_refs: summary.salvage_refs,
    pull_request_url: summary.pull_request_url,
    spend: sumSpend(summary.starts.map(spendOfStart)),
    commands: commandsFor(run, id, now).map((command) => addRepo(command, repository)),
  };
}

function isExpired(expiresAt: string | null, now: string): boolean {
  return expiresAt !== null && expiresAt <= now;
}

function commandsFor(run: SummarizedRun, id: string, now: string): string[] {
  const { awaiting, lifecycle_state: state } = run.summary;
  if (awaiting !== null)
    return awaiting.answer !== null || isExpired(awaiting.expires_at, now)
      ? [`conductor resume ${id}`]
      : [
          `conductor show ${id}`,
          `conductor approve ${id} --resume`,
          `conductor reject ${id} --comment "…" --resume`,
        ];
  if (isOverdue(run, now) || (state === 'running' && !run.isDriven)) return [`conductor resume ${id}`];
  switch (chooseSection(run, now)) {
    case 'claimed_not_shown':
    case 'failed':
      return [`conductor show ${id}`];
    default:
      return [];
  }
}

function addRepo(command: string, { repoOption }: ReportRepository): string {
  return repoOption === null ? command : `${command} --repo ${quoteWord(repoOption)}`;
}

function askIn(repository: ReportRepository, question: ItemQuestion): ReportQuestion {
  return {
    repository: repository.name,
    item_id: question.itemId,
    title: question.title,
    status: question.status,
    question: question.question,
    commands: question.commands.map((command) => addRepo(command, repository)),
  };
}

/** Compares the latest baseline of the default branch with the one before, of another commit. */
function findNews(repository: ReportRepository, since: string): ReportNews | null {
  const [latest, ...earlier] = repository.baselineRuns;
  const before = earlier.find(({ base_sha: sha }) => sha !== latest?.base_sha);
  if (latest?.baseline == null || before?.baseline == null || latest.baseline.recorded_at < since)
    return null;
  const changes = compareBaselines(latest.baseline, before.baseline);
  if (changes === null) return null;
  return {
    repository: repository.name,
    run_id: latest.run_id,
    id: repository.shortId(latest.run_id),
    base_sha: latest.base_sha,
    before_sha: before.base_sha,
    outcome: latest.baseline.outcome,
    before_outcome: before.baseline.outcome,
    newly_failing: [...changes.newlyFailing],
    fixed: [...changes.fixed],
  };
}

/** The most expensive group first; groups of the same cost by time and name. */
function groupSpend(
  summaries: readonly RunSummary[],
  nameOf: (start: AgentStart, run: RunSummary) => string,
): SpendGroup[] {
  const groups = new Map<string, { runs: Set<string>; starts: AgentStart[] }>();
  for (const run of summaries)
    for (const start of run.starts) {
      const name = nameOf(start, run);
      const group = groups.get(name) ?? { runs: new Set(), starts: [] };
      group.runs.add(run.run_id);
      group.starts.push(start);
      groups.set(name, group);
    }
  return [...groups]
    .map(([name, { runs, starts }]) => ({
      name,
      runs: runs.size,
      spend: sumSpend(starts.map(spendOfStart)),
    }))
    .sort(
      (one, other) =>
        other.spend.cost_usd - one.spend.cost_usd ||
        other.spend.agent_ms - one.spend.agent_ms ||
        (one.name < other.name ? -1 : 1),
    );
}
