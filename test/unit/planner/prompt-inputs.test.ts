import { describe, expect, it } from 'vitest';
import { composePromptInputs } from '../../../src/planner/prompts/prompt-inputs.ts';
import { envelope, evaluation, report, said } from './envelope-builder.ts';

describe('the inputs of a planner prompt', () => {
  it('are the envelope, with nothing for what it lacks', () => {
    const input = envelope();
    const { evidence } = input;
    expect(composePromptInputs(input)).toEqual({
      run_id: 'run-1',
      workflow_id: 'implement',
      step_id: 'evaluate',
      evidence,
      validation: evidence.validation,
      validation_results: evidence.validation,
      diff_summary: evidence.workspace_diff_summary,
      diff: evidence.workspace_diff_summary,
      harness_report: null,
      review_report: null,
      policy_events: [],
      transcript: 'intent: implementation',
      allowed_next_steps: input.allowed_next_steps,
      provenance_window: [],
      step_intent: 'none',
      refinement: null,
      blockers: [],
      risk_flags: [],
    });
  });

  it('take blockers and flags from the last evaluation, not from the last step', () => {
    const provenance_window = [
      evaluation({ blocker_codes: ['old'], risk_flags: ['ux_error'] }),
      evaluation({ blocker_codes: ['new'], risk_flags: ['flaky_checks'] }),
      evaluation({ opcode: 'RUN_AGENT', blocker_codes: ['none'] }),
    ];
    const harness = report({ a: 'passed' });
    const review = { expected: true, verdict: 'approve', findings: [] } as const;
    const input = envelope(
      { harness_report: harness, review: { ...review, findings: [] } },
      { provenance_window, step_intent: 'add a unit', refinement: { spent: 0, max: 1 } },
    );
    expect(composePromptInputs(input)).toMatchObject({
      blockers: ['new'],
      risk_flags: ['flaky_checks'],
      harness_report: harness,
      review_report: review,
      step_intent: 'add a unit',
      refinement: { spent: 0, max: 1 },
    });
  });

  it('add what the run has, and never replace the evidence by it', () => {
    const input = envelope({ transcript_summary: said('claim: fixed') });
    const more = { diff: 'the whole patch', transcript: 'the end', task: 'do it', run_id: 'forged' };
    expect(composePromptInputs(input, more)).toMatchObject({
      diff: 'the whole patch',
      task: 'do it',
      run_id: 'run-1',
      transcript: 'intent: implementation\nclaim: fixed\n\nThe end of the transcript:\n\nthe end',
    });
    for (const transcript of [' \n', 7, undefined])
      expect(composePromptInputs(input, { transcript }).transcript).toBe(
        'intent: implementation\nclaim: fixed',
      );
  });
});
