import type { PlannerInput, WindowEntry } from '../../../src/contracts/planner/planner-input.ts';

type Evidence = PlannerInput['evidence'];

/** A clean envelope; a case changes only what it is about. */
export function envelope(
  evidence: Omit<Partial<Evidence>, 'validation'> & { validation?: Partial<Evidence['validation']> } = {},
  top: Partial<Omit<PlannerInput, 'evidence'>> = {},
): PlannerInput {
  const { validation, ...others } = evidence;
  return {
    run_id: 'run-1',
    workflow_id: 'implement',
    step_id: 'evaluate',
    evaluate_prompt: 'planner.evaluate.v1',
    allowed_next_steps: ['fix', 'gate', 'rollback', 'STOP'],
    provenance_window: [],
    ...top,
    evidence: {
      transcript_summary: 'intent: implementation',
      workspace_diff_summary: CHANGED,
      artifacts: [],
      policy_events: [],
      ...others,
      validation: { mechanical_outcome: 'completed', exit_codes: { tests: 0 }, timeouts: [], ...validation },
    },
  };
}

export const CHANGED = 'files: 1 insertions: 8 deletions: 1\nM src/a.ts +8 -1\nfingerprint: aaaa';
export const UNCHANGED = 'no changes\nfingerprint: aaaa';

export function evaluation(entry: Partial<WindowEntry> = {}): WindowEntry {
  return {
    step_id: 'evaluate',
    opcode: 'EVALUATE',
    status: 'partial',
    diff_summary: 'files: 1 insertions: 1 deletions: 0\nM src/a.ts +1 -0\nfingerprint: bbbb',
    risk_flags: [],
    blocker_codes: [],
    ...entry,
  };
}

type CaseStatus = 'passed' | 'failed' | 'skipped' | 'flaky';

/** A report of version 1 that adds up. */
export function report(cases: Record<string, CaseStatus>, fields: Record<string, unknown> = {}) {
  const listed = Object.entries(cases).map(([id, status]) => ({ id, status, repro: `run ${id}` }));
  const count = (status: CaseStatus) => listed.filter((item) => item.status === status).length;
  const summary = { passed: count('passed'), failed: count('failed'), flaky: count('flaky') };
  return { suite_id: 'suite', version: '1.0.0', cases: listed, summary, ...fields };
}

export const error = { mechanical_outcome: 'error' } as const;
export const failed = { ...error, exit_codes: { tests: 1 } };
export const said = (...lines: string[]) => ['intent: implementation', ...lines].join('\n');
