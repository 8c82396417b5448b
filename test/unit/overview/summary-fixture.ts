import type { AgentStart, RunSummary } from '../../../src/contracts/run/run-summary.ts';
import type { ReportRepository } from '../../../src/overview/compose-report.ts';

export const NOW = '2026-11-18T06:00:00.000Z';
export const SINCE = '2026-11-17T18:00:00.000Z';

/** A run that ended with success; the argument changes parts of it. */
export function summaryWith(change: Partial<RunSummary> = {}): RunSummary {
  return {
    schema_version: 2,
    run_id: '0199ab12-0000-7000-8000-000000000001',
    title: 'Add a --quiet flag',
    workflow_id: 'implement',
    workflow_version: 1,
    started_at: '2026-11-18T01:00:00.000Z',
    updated_at: '2026-11-18T02:00:00.000Z',
    ended_at: '2026-11-18T02:00:00.000Z',
    lifecycle_state: 'completed',
    current_step_id: null,
    outcome: 'success',
    termination: 'success',
    reason: null,
    first_cause: null,
    base_ref: 'HEAD',
    base_sha: 'a'.repeat(40),
    head_sha: 'b'.repeat(40),
    branch: 'conductor/run/implement/1',
    salvage_refs: [],
    pull_request_url: null,
    cancel: null,
    awaiting: null,
    parked: null,
    change: { files: 2, insertions: 10, deletions: 3 },
    checks: { step_id: 'check', outcome: 'completed', passed: 2, total: 2, failed: [], cases: null },
    baseline: null,
    claims: { confirmed: 1, contradicted: 0, unverified: 0, contradicted_texts: [] },
    decisions: [],
    approved_after_decision: false,
    last_message: null,
    attempts: 4,
    starts: [],
    ...change,
  };
}

export const UNENDED: Partial<RunSummary> = {
  lifecycle_state: 'running',
  current_step_id: 'implement',
  outcome: null,
  termination: null,
  ended_at: null,
};

export function startWith(change: Partial<AgentStart> = {}): AgentStart {
  return {
    step_id: 'implement',
    opcode: 'RUN_AGENT',
    attempt: 1,
    try: 1,
    agent: 'claude',
    family: 'claude-code',
    model: null,
    prompt: null,
    started_at: '2026-11-18T01:00:00.000Z',
    termination: 'completed',
    duration_ms: 60_000,
    usage: { input_tokens: 1_000, output_tokens: 200, cost_usd: 0.41 },
    ...change,
  };
}

export function repositoryWith(change: Partial<ReportRepository> = {}): ReportRepository {
  return {
    name: 'shop',
    repoOption: null,
    runs: [],
    shortId: (runId) => runId.slice(0, 8),
    questions: [],
    baselineRuns: [],
    diskUse: null,
    unreadable: [],
    ...change,
  };
}
