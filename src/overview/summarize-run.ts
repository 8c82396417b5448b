import type { LedgerEntry } from '../contracts/planner/claim-ledger.ts';
import type { EventPayload, RunEvent } from '../contracts/run/event.ts';
import {
  type AgentStart,
  type CaseCounts,
  type ClaimCounts,
  RUN_SUMMARY_VERSION,
  type RunSummary,
} from '../contracts/run/run-summary.ts';
import { evolve } from '../kernel/evolve.ts';
import { INITIAL_STATE, type RunState } from '../kernel/state.ts';
import { formatLedgerEntry } from '../planner/claims/ledger.ts';
import { CONTRADICTION_FLAGS } from '../planner/table/severity.ts';
import { foldAgentStarts } from './agent-starts.ts';

/** What the fold needs from files that the log names. Missing files count as empty. */
export interface SummaryEvidence {
  /** The claims that each evaluation checked, by `attemptKey`. */
  readonly ledgers: ReadonlyMap<string, readonly LedgerEntry[]>;
  /** The model of each agent step, by `attemptKey`; missing if it is not recorded. */
  readonly models: ReadonlyMap<string, string>;
  /** The referenced prompt of each step; missing for inline prompts. */
  readonly prompts: ReadonlyMap<string, string>;
  readonly lastMessage: RunSummary['last_message'];
  readonly change: RunSummary['change'];
  /** The cases of the last validation. */
  readonly cases: CaseCounts | null;
  /** The failing cases of the baseline, by validator. */
  readonly failingAtBase: ReadonlyMap<string, readonly string[]>;
  /** When the open gate expires; null without a timeout. */
  readonly expiresAt: string | null;
  readonly answer: NonNullable<RunSummary['awaiting']>['answer'];
}

export function attemptKey(stepId: string, attempt: number): string {
  return `${stepId}@${attempt}`;
}

/** How many failing cases of a baseline a summary names, for each validator. */
const MAX_FAILING_CASES = 100;

type Draft = { -readonly [K in keyof RunSummary]: RunSummary[K] };

/** Flags for a contradiction; a repeated one only restates an earlier one. */
const COUNTED_FLAGS = CONTRADICTION_FLAGS.filter((flag) => flag !== 'repeated_contradiction');

/** Null if the log has no `run_started`. */
export function summarizeRun(events: readonly RunEvent[], evidence: SummaryEvidence): RunSummary | null {
  let draft: Draft | null = null;
  let state = INITIAL_STATE;
  for (const event of events) {
    if (event.event_type === 'run_started') draft ??= startOf(event, event.payload, evidence);
    if (draft === null) continue;
    const hadEnded = state.stage.kind === 'ended';
    state = evolve(state, event);
    if (!hadEnded) draft.updated_at = event.timestamp;
    if (event.event_type === 'step_started') draft.attempts += 1;
    foldAgentStarts(draft.starts, event, state.stage, (stepId, attempt) => ({
      model: evidence.models.get(attemptKey(stepId, attempt)) ?? null,
      prompt: parsePromptReference(evidence.prompts.get(stepId)),
    }));
    foldCause(draft, event);
    foldRest(draft, event, evidence);
  }
  if (draft === null) return null;
  const notices = events.flatMap((event) => (event.event_type === 'notice_recorded' ? [event.payload] : []));
  return close(draft, state, { cases: evidence.cases, notices });
}

/** The ref in the user's repository that points to the result; null if the run committed nothing. */
export function findResultRef(run: {
  readonly headSha: string | null;
  readonly baseSha: string;
  readonly branchName: string;
  readonly notices: readonly EventPayload<'notice_recorded'>[];
}): string | null {
  if (run.headSha === null || run.headSha === run.baseSha) return null;
  const leftAlone = run.notices.findLast(
    ({ kind, new: commit }) => kind === 'branch_left_alone' && commit === run.headSha,
  );
  return leftAlone?.salvage_ref ?? run.branchName;
}

function startOf(
  { run_id, timestamp }: RunEvent,
  started: EventPayload<'run_started'>,
  evidence: SummaryEvidence,
): Draft {
  return {
    schema_version: RUN_SUMMARY_VERSION,
    run_id,
    title: started.title ?? null,
    workflow_id: started.workflow_id,
    workflow_version: started.workflow_version,
    started_at: timestamp,
    updated_at: timestamp,
    ended_at: null,
    lifecycle_state: 'running',
    current_step_id: null,
    outcome: null,
    termination: null,
    reason: null,
    first_cause: null,
    base_ref: started.base_ref,
    base_sha: started.base_sha,
    head_sha: null,
    branch: started.branch_name,
    salvage_refs: [],
    pull_request_url: null,
    cancel: null,
    awaiting: null,
    parked: null,
    change: evidence.change,
    checks: null,
    baseline: null,
    claims: { confirmed: 0, contradicted: 0, unverified: 0, contradicted_texts: [] },
    decisions: [],
    approved_after_decision: false,
    last_message: evidence.lastMessage,
    attempts: 0,
    starts: [],
  };
}

function close(
  draft: Draft,
  { stage }: RunState,
  rest: {
    readonly cases: CaseCounts | null;
    readonly notices: readonly EventPayload<'notice_recorded'>[];
  },
): RunSummary {
  const isAt = stage.kind === 'running' || stage.kind === 'evaluated';
  const isHalted = stage.kind === 'waiting' || stage.kind === 'parked';
  if (draft.outcome === null) {
    draft.lifecycle_state = isHalted ? 'waiting' : 'running';
    draft.current_step_id = isAt || isHalted ? stage.stepId : null;
  }
  draft.branch = findResultRef({
    headSha: draft.head_sha,
    baseSha: draft.base_sha,
    branchName: draft.branch ?? '',
    notices: rest.notices,
  });
  if (stage.kind === 'parked')
    draft.parked = { step_id: stage.stepId, until: stage.until, reason: stage.reason };
  if (draft.outcome === 'success' || draft.outcome === 'unverified') draft.first_cause = null;
  if (draft.checks !== null) draft.checks = { ...draft.checks, cases: rest.cases };
  draft.salvage_refs = [...new Set(draft.salvage_refs)];
  return draft;
}

/** `coder.implement.v2` is version 2 of the prompt `coder.implement`. */
function parsePromptReference(reference: string | undefined): AgentStart['prompt'] {
  if (reference === undefined) return null;
  const found = /^(?<id>.+)\.v(?<version>[1-9]\d{0,8})$/.exec(reference)?.groups;
  return found === undefined
    ? { id: reference, version: null }
    : { id: found.id ?? reference, version: Number(found.version) };
}

/** Remembers the first failure since the last agent step: later ones mostly follow from it. */
function foldCause(draft: Draft, event: RunEvent): void {
  if (event.event_type === 'step_started' && event.payload.opcode === 'RUN_AGENT') draft.first_cause = null;
  draft.first_cause ??= causeIn(event);
}

function causeIn(event: RunEvent): string | null {
  switch (event.event_type) {
    case 'step_failed':
      return event.payload.reason ?? `step ${event.step_id ?? ''}: ${event.payload.outcome}`;
    case 'policy_violation':
    case 'workflow_error':
      return event.payload.message;
    case 'setup_completed':
      return event.payload.outcome === 'error' ? (event.payload.reason ?? 'the setup failed') : null;
    case 'decision_recorded':
      return event.payload.status === 'success'
        ? null
        : (event.payload.reason ?? `evaluation ${event.step_id ?? ''}: ${event.payload.status}`);
    case 'gate_rejected':
      return `rejected by ${event.payload.by ?? 'unknown'}${event.payload.comment === null ? '' : `: ${event.payload.comment}`}`;
    case 'gate_timed_out':
      return `gate ${event.step_id ?? ''} was not answered in time`;
    case 'run_completed':
      return event.payload.reason;
    default:
      return null;
  }
}

function foldRest(draft: Draft, event: RunEvent, evidence: SummaryEvidence): void {
  switch (event.event_type) {
    case 'baseline_recorded':
      draft.baseline = baselineOf(event.payload, event.timestamp, evidence.failingAtBase);
      return;
    case 'step_completed':
    case 'step_failed':
      foldChecks(draft, event.step_id ?? '', event.payload);
      return;
    case 'decision_recorded':
      foldDecision(draft, event.step_id ?? '', event.payload, evidence);
      return;
    case 'gate_requested':
      draft.awaiting = {
        step_id: event.step_id ?? '',
        gate: event.payload.gate,
        reason: event.payload.reason,
        requested_at: event.timestamp,
        expires_at: evidence.expiresAt,
        answer: evidence.answer,
      };
      return;
    case 'gate_approved':
      draft.approved_after_decision = true;
      draft.awaiting = null;
      return;
    case 'gate_rejected':
    case 'gate_timed_out':
      draft.awaiting = null;
      return;
    case 'run_cancelled':
      draft.awaiting = null;
      draft.cancel = event.payload;
      return;
    case 'rollback_completed':
      draft.salvage_refs.push(event.payload.salvage_ref);
      return;
    case 'salvage_recorded':
      draft.salvage_refs.push(event.payload.ref);
      return;
    case 'notice_recorded':
      if (event.payload.salvage_ref !== null) draft.salvage_refs.push(event.payload.salvage_ref);
      return;
    case 'run_published':
      draft.pull_request_url = event.payload.url;
      return;
    case 'run_completed':
      draft.ended_at = event.timestamp;
      draft.lifecycle_state = event.payload.lifecycle_state;
      draft.outcome = event.payload.outcome;
      draft.termination = event.payload.termination;
      draft.reason = event.payload.reason;
      draft.head_sha = event.payload.head_sha;
      return;
    default:
      return;
  }
}

function baselineOf(
  { outcome, cached, validators, cases, reason }: EventPayload<'baseline_recorded'>,
  recordedAt: string,
  failingAtBase: SummaryEvidence['failingAtBase'],
): RunSummary['baseline'] {
  return {
    outcome,
    recorded_at: recordedAt,
    cached,
    cases: cases && { passed: cases.passing, failed: cases.failing, total: cases.total },
    validators: validators
      .filter(({ ran }) => ran)
      .map(({ id, outcome: end }) => {
        const failing = [...new Set(failingAtBase.get(id))].sort();
        return {
          id,
          failed: end !== 'completed',
          failing_cases: failing.slice(0, MAX_FAILING_CASES),
          more_failing_cases: Math.max(0, failing.length - MAX_FAILING_CASES),
        };
      }),
    reason,
  };
}

/** Only validations have validators. */
function foldChecks(draft: Draft, stepId: string, end: EventPayload<'step_completed'>): void {
  if (end.validators.length === 0) return;
  const failed = end.validators.filter(({ outcome }) => outcome !== 'completed').map(({ id }) => id);
  draft.checks = {
    step_id: stepId,
    outcome: end.outcome,
    passed: end.validators.length - failed.length,
    total: end.validators.length,
    failed,
    cases: null,
  };
}

function foldDecision(
  draft: Draft,
  stepId: string,
  { attempt, status, planner, reason, risk_flags: flags }: EventPayload<'decision_recorded'>,
  { ledgers }: SummaryEvidence,
): void {
  const claims = countClaims(ledgers.get(attemptKey(stepId, attempt)) ?? []);
  const flagged = flags.filter((flag) => COUNTED_FLAGS.includes(flag)).length;
  draft.claims = claims;
  draft.approved_after_decision = false;
  draft.decisions.push({
    step_id: stepId,
    attempt,
    status,
    planner,
    reason,
    risk_flags: [...flags],
    contradictions: Math.max(claims.contradicted, flagged),
  });
}

function countClaims(entries: readonly LedgerEntry[]): ClaimCounts {
  const contradicted = entries.filter(({ holds }) => holds === false);
  return {
    confirmed: entries.filter(({ holds }) => holds === true).length,
    contradicted: contradicted.length,
    unverified: entries.filter(({ holds }) => holds === null).length,
    contradicted_texts: contradicted.map(formatLedgerEntry),
  };
}
