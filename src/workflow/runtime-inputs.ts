/** Inputs that the runtime provides. `task` is not one of them: the user provides it. */
export const RUNTIME_INPUTS = [
  'run_id',
  'workflow_id',
  'step_id',
  'diff',
  'component_kind',
  'eval_profile',
  'harness_report',
  'fix_instructions',
  'review_report',
  'validation',
  'allowed_next_steps',
  'evidence',
  'provenance_window',
  'policy_events',
  'step_intent',
  'transcript',
  'diff_summary',
  'validation_results',
  'blockers',
  'risk_flags',
  'human_feedback',
  'refinement',
] as const;

const RUNTIME = new Set<string>(RUNTIME_INPUTS);

export function isRuntimeInput(name: string): boolean {
  return RUNTIME.has(name);
}
