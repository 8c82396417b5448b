import type { RunPage, StepLine } from '../../contracts/http/run-page.ts';
import type { AgentStart } from '../../contracts/run/run-summary.ts';
import { spendOfStart, sumSpend } from '../../overview/spend.ts';
import { collectFindings } from '../../runtime/evidence/findings.ts';
import { allNotes } from '../../runtime/evidence/standing-checks.ts';
import { lifecycleOf } from '../../runtime/record/derived-files.ts';
import { createSummaryReader } from '../../runtime/record/read-summary.ts';
import { findParked, type RunView, type StepView, viewRun } from '../../runtime/record/run-view.ts';
import { findResultBranch } from '../runs/next-commands.ts';
import { attemptName, type OpenRun } from '../runs/open-run.ts';
import { runDocument } from '../runs/run-document.ts';
import { durationOf } from './evidence/step-page.ts';
import { describePathParts, joinPath } from './path-parts.ts';

/** The run as it was after an event: as if its log ended there. Null if it had not started. */
export function rewindRun(run: OpenRun, seq: number): OpenRun | null {
  const events = run.record.events.filter((event) => event.seq <= seq);
  const view = viewRun(events);
  return view === null ? null : { ...run, record: { ...run.record, events, driver: null }, view };
}

export interface RunPageFacts {
  readonly shortId: string;
  /** The last event of the log, which may be later than those of the run. */
  readonly lastSeq: number;
  /** Whether the run is shown as it was: a process may have driven it then. */
  readonly isPast: boolean;
  readonly commands: readonly string[];
}

/** The document of `conductor show --json`, with where the run stands. */
export async function composeRunState(run: OpenRun, facts: RunPageFacts): Promise<RunPage> {
  const { view, record } = run;
  const { directory, events } = record;
  const driven = facts.isPast || record.driver !== null;
  const summary = await createSummaryReader()(record);
  const starts = summary?.starts ?? [];
  const parked = findParked(view);
  const path = describePathParts(view, driven);
  const lifecycle = lifecycleOf(view);
  const last = events.at(-1);
  return {
    schema_version: 1,
    ...(runDocument(view, directory.path, await collectFindings(directory, view.steps)) as CliFields),
    run_id: view.runId,
    short_id: facts.shortId,
    reason: view.end?.reason ?? null,
    started_at: view.startedAt,
    updated_at: view.updatedAt,
    ended_at: view.endedAt,
    state: lifecycle === 'running' && !driven ? 'interrupted' : lifecycle,
    driver_pid: record.driver?.pid ?? null,
    waiting_until: parked?.until ?? null,
    branch: findResultBranch(view),
    base_ref: view.started.base_ref,
    base_sha: view.started.base_sha,
    head_sha: view.headSha,
    inputs: Object.entries(view.started.inputs).map(([name, value]) => ({ name, value })),
    as_of_seq: last?.seq ?? -1,
    as_of: last?.timestamp ?? view.startedAt,
    last_seq: facts.lastSeq,
    path_text: joinPath(path),
    path,
    awaiting: describeAwaiting(view),
    parked: parked === null ? null : { step_id: parked.stepId, until: parked.until, reason: parked.reason },
    steps: view.steps.map((step) => describeStep(view, step, driven, starts)),
    answers: view.answers.map(({ stepId, answer, attempt, by, comment, answered_at, from }) => ({
      step_id: stepId,
      attempt,
      answer,
      by,
      comment,
      answered_at,
      from: from ?? null,
    })),
    notices: view.notices.map(({ stepId, ...notice }) => ({ step_id: stepId, ...notice })),
    violations: view.violations.map(({ stepId, ...violation }) => ({ step_id: stepId, ...violation })),
    findings: await collectFindings(directory, view.steps),
    notes: [...(await allNotes({ directory, view: () => view }))],
    spend: sumSpend(starts.map(spendOfStart)),
    pull_request_url: summary?.pull_request_url ?? null,
    commands: [...facts.commands],
  };
}

/** The keys of the document of `show` that the page takes as they are. */
type CliFields = Pick<
  RunPage,
  | 'title'
  | 'workflow_id'
  | 'lifecycle_state'
  | 'outcome'
  | 'termination'
  | 'last_step_id'
  | 'usage'
  | 'run_directory'
  | 'setup'
  | 'baseline'
>;

function describeAwaiting({ awaiting }: RunView): RunPage['awaiting'] {
  if (awaiting === null) return null;
  const { stepId, attempt, gate, reason, approvers, requestedAt, expiresAt } = awaiting;
  return {
    step_id: stepId,
    key: attemptName({ stepId, attempt }),
    attempt,
    gate,
    reason,
    approvers,
    requested_at: requestedAt,
    expires_at: expiresAt,
  };
}

function describeStep(
  view: RunView,
  step: StepView,
  driven: boolean,
  starts: readonly AgentStart[],
): StepLine {
  const own = starts.filter(
    ({ step_id, attempt, opcode }) =>
      step_id === step.stepId && attempt === step.attempt && opcode === step.opcode,
  );
  return {
    key: attemptName(step),
    step_id: step.stepId,
    opcode: step.opcode,
    attempt: step.attempt,
    visit: step.visit,
    recovery: step.recovery,
    started_at: step.startedAt,
    ended_at: step.endedAt,
    duration_ms: durationOf(step),
    termination: step.termination,
    state: stateOf(view, step, driven),
    reason: step.reason,
    spend: own.length === 0 ? null : sumSpend(own.map(spendOfStart)),
  };
}

function stateOf(view: RunView, step: StepView, driven: boolean): StepLine['state'] {
  if (step.termination !== null) return 'ended';
  if (view.awaiting?.stepId === step.stepId && view.awaiting.attempt === step.attempt) return 'waiting';
  if (step.parked) return 'parked';
  return driven && view.end === null && step === view.steps.at(-1) ? 'running' : 'interrupted';
}
