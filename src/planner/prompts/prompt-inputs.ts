import type { PlannerInput } from '../../contracts/planner/planner-input.ts';

/**
 * The values that a planner prompt can refer to: summaries and references from the envelope, plus `more`, which a
 * run adds for prompts that ask for it.
 */
export function composePromptInputs(
  envelope: PlannerInput,
  more: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const { evidence } = envelope;
  const previous = envelope.provenance_window.findLast((entry) => entry.opcode === 'EVALUATE');
  return {
    ...more,
    run_id: envelope.run_id,
    workflow_id: envelope.workflow_id,
    step_id: envelope.step_id,
    evidence,
    validation: evidence.validation,
    validation_results: evidence.validation,
    diff_summary: evidence.workspace_diff_summary,
    diff: more.diff ?? evidence.workspace_diff_summary,
    harness_report: evidence.harness_report ?? null,
    review_report: evidence.review ?? null,
    policy_events: evidence.policy_events,
    transcript: composeTranscript(evidence.transcript_summary, more.transcript),
    allowed_next_steps: envelope.allowed_next_steps,
    provenance_window: envelope.provenance_window,
    step_intent: envelope.step_intent ?? 'none',
    refinement: envelope.refinement ?? null,
    blockers: previous?.blocker_codes ?? [],
    risk_flags: previous?.risk_flags ?? [],
  };
}

/** Puts the facts first, because an excerpt is only what an agent said. */
function composeTranscript(summary: string, excerpt: unknown): string {
  if (typeof excerpt !== 'string' || excerpt.trim() === '') return summary;
  return `${summary}\n\nThe end of the transcript:\n\n${excerpt}`;
}
