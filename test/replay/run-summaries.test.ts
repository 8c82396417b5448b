import { expect, test } from 'vitest';
import { createSummaryReader } from '../../src/runtime/record/read-summary.ts';
import { openRecord, RECORDED_RUNS, recordedRun } from './recorded-runs.ts';

async function summarize(name: string) {
  const { record } = await openRecord(recordedRun(name));
  return createSummaryReader()(record);
}

const NOTHING_REPORTED = { input_tokens: null, output_tokens: null, cost_usd: null };

test('the summary of a refined run has what its log and its evidence say', async () => {
  // Written by hand from events.ndjson, claim_ledger.json, final.md and diff.patch of the record.
  expect(await summarize('v2/prepared-again')).toEqual({
    schema_version: 2,
    run_id: '01a1e5be-b3a4-714e-8691-9c9841b788f6',
    title: 'The first answer is wrong, and one revision puts it right.',
    workflow_id: 'refined',
    workflow_version: 1,
    started_at: '2026-11-16T19:04:02.756Z',
    updated_at: '2026-11-16T19:04:04.753Z',
    ended_at: '2026-11-16T19:04:04.753Z',
    lifecycle_state: 'completed',
    current_step_id: null,
    outcome: 'success',
    termination: 'success',
    reason: 'the answer is right',
    first_cause: null,
    base_ref: 'HEAD',
    base_sha: 'ab4a5c45e0dfc74b6e634d10bbe4564a58caf9af',
    head_sha: '9e34428ff978e620d549e5d5c127b07cfb9194a6',
    branch: 'conductor/run/refined/01a1e5be-b3a4-714e-8691-9c9841b788f6',
    salvage_refs: [],
    pull_request_url: null,
    cancel: null,
    awaiting: null,
    parked: null,
    change: { files: 1, insertions: 1, deletions: 0 },
    checks: { step_id: 'check', outcome: 'completed', passed: 1, total: 1, failed: [], cases: null },
    baseline: {
      outcome: 'off',
      recorded_at: '2026-11-16T19:04:03.691Z',
      cached: false,
      cases: null,
      validators: [],
      reason: null,
    },
    claims: { confirmed: 1, contradicted: 0, unverified: 0, contradicted_texts: [] },
    decisions: [
      {
        step_id: 'judge',
        attempt: 1,
        status: 'partial',
        planner: 'rules',
        reason: 'the validator tests exited with 1',
        risk_flags: [],
        contradictions: 0,
      },
      {
        step_id: 'judge',
        attempt: 2,
        status: 'success',
        planner: 'rules',
        reason: null,
        risk_flags: [],
        contradictions: 0,
      },
    ],
    approved_after_decision: false,
    last_message: { step_id: 'revise', lines: ['Implemented the answer.'], more: 0 },
    // implement, check, judge, revise, check, judge, done.
    attempts: 7,
    starts: [
      {
        step_id: 'implement',
        opcode: 'RUN_AGENT',
        attempt: 1,
        try: 1,
        agent: 'actor',
        family: 'command',
        model: null,
        prompt: null,
        started_at: '2026-11-16T19:04:03.746Z',
        termination: 'completed',
        duration_ms: 52,
        usage: { input_tokens: 1200, output_tokens: null, cost_usd: 0.25 },
      },
      {
        step_id: 'revise',
        opcode: 'RUN_AGENT',
        attempt: 1,
        try: 1,
        agent: 'actor',
        family: 'command',
        model: null,
        prompt: null,
        started_at: '2026-11-16T19:04:04.223Z',
        termination: 'completed',
        duration_ms: 54,
        usage: { input_tokens: 800, output_tokens: null, cost_usd: 0.15 },
      },
    ],
  });
});

test('a publication after the end is part of the summary, and changes neither its end nor its times', async () => {
  expect(await summarize('v2/published')).toMatchObject({
    outcome: 'success',
    termination: 'gate_approved',
    updated_at: '2026-11-16T19:04:00.935Z',
    ended_at: '2026-11-16T19:04:00.935Z',
    pull_request_url: 'https://git.example/repo/pulls/7',
    baseline: {
      outcome: 'red',
      cases: { passed: 12, failed: 2, total: 14 },
      validators: [{ id: 'tests', failed: true }],
    },
    awaiting: null,
    starts: [{ step_id: 'implement', duration_ms: 61, usage: NOTHING_REPORTED }],
  });
});

test('a run that could not be prepared names the failed command as its first cause', async () => {
  expect(await summarize('v2/unprepared')).toMatchObject({
    outcome: 'error',
    reason: 'npm ci exited with 1: npm error missing: left-pad@1.3.0',
    first_cause: 'npm ci exited with 1: npm error missing: left-pad@1.3.0',
    branch: null,
    starts: [],
  });
});

test.each(RECORDED_RUNS)('the starts of $name add up to the usage that the kernel counts', async (run) => {
  const { record, view } = await openRecord(run);
  const summary = await createSummaryReader()(record);
  const sum = (key: 'input_tokens' | 'output_tokens' | 'cost_usd') => {
    const known = (summary?.starts ?? []).flatMap(({ usage }) => usage[key] ?? []);
    return known.length === 0 ? null : Number(known.reduce((total, each) => total + each, 0).toFixed(9));
  };
  const { inputTokens, outputTokens, costUsd } = view.state.usage;
  expect([sum('input_tokens'), sum('output_tokens'), sum('cost_usd')]).toEqual([
    inputTokens,
    outputTokens,
    costUsd,
  ]);
});
