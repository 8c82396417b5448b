import { describe, expect, it } from 'vitest';
import { plannerDecisionSchema } from '../../../src/contracts/planner-decision.ts';
import { promptInputs } from '../../../src/planner/prompt-inputs.ts';
import { proposalSchema } from '../../../src/planner/proposal-schema.ts';
import { RUNTIME_INPUTS } from '../../../src/workflow/runtime-inputs.ts';
import { envelope, evaluation, failed } from './envelope-builder.ts';

describe('the inputs of a planner prompt', () => {
  const input = envelope(
    { validation: failed, policy_events: ['note: x'] },
    {
      provenance_window: [evaluation({ blocker_codes: ['old'], risk_flags: ['odd'] })],
      refinement: { spent: 1, max: 2 },
    },
  );

  it('are summaries and references of the envelope', () => {
    expect(promptInputs(input)).toMatchObject({
      run_id: 'run-1',
      step_id: 'evaluate',
      evidence: input.evidence,
      validation: input.evidence.validation,
      validation_results: input.evidence.validation,
      diff_summary: input.evidence.workspace_diff_summary,
      policy_events: ['note: x'],
      transcript: 'intent: implementation',
      harness_report: null,
      review_report: null,
      refinement: { spent: 1, max: 2 },
      blockers: ['old'],
      risk_flags: ['odd'],
    });
  });

  it('hold a transcript after the facts, where a run gives one', () => {
    expect(promptInputs(input, { transcript: 'I ran it.' }).transcript).toBe(
      'intent: implementation\n\nThe end of the transcript:\n\nI ran it.',
    );
  });

  it('can not be overruled by what a person gave', () => {
    const given = promptInputs(input, { evidence: 'all is well', task: 'Tidy up.' });
    expect(given).toMatchObject({ evidence: input.evidence, task: 'Tidy up.' });
  });

  it('are all that the runtime promises, but for what only agents and runs have', () => {
    const names = Object.keys(promptInputs(input));
    const left = RUNTIME_INPUTS.filter((name) => !names.includes(name));
    expect(left).toEqual(['component_kind', 'eval_profile', 'fix_instructions', 'human_feedback']);
  });
});

describe('the schema that a model is held to', () => {
  it('lets it name an allowed step or none', () => {
    expect(proposalSchema(['fix', 'STOP'])).toMatchObject({
      type: 'object',
      additionalProperties: false,
      required: Object.keys(plannerDecisionSchema.shape),
      properties: { next_step: { anyOf: [{ enum: ['fix', 'STOP'] }, { type: 'null' }] } },
    });
  });

  it('lets it name none where none is allowed', () => {
    expect(proposalSchema([])).toMatchObject({ properties: { next_step: { type: 'null' } } });
  });

  it('leaves no object open, as strict endpoints demand', () => {
    const objects = JSON.stringify(proposalSchema(['fix'])).match(/"type":"object"/g) ?? [];
    const closed = JSON.stringify(proposalSchema(['fix'])).match(/"additionalProperties":false/g) ?? [];
    expect(objects.length).toBeGreaterThanOrEqual(4);
    expect(closed.length).toBe(objects.length);
  });
});
