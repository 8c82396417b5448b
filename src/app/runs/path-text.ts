import type { RunView, StepView } from '../../runtime/record/run-view.ts';

/** Step states that the path omits, because the headline has them or a reader expects them. */
const EXPECTED_STATES: ReadonlySet<string> = new Set(['completed', 'waiting', 'running']);

/** `implement → validate (error) → evaluate (partial) → …`: each step, with its state unless a reader expects it. */
export function describePath(view: RunView, driven: boolean): string {
  const parts = view.steps
    .filter((step) => step.opcode !== 'STOP')
    .map((step) => {
      const how = stepState(view, step, driven);
      return EXPECTED_STATES.has(how) ? step.stepId : `${step.stepId} (${how})`;
    });
  if (parts.length === 0) return 'no step has started';
  return view.end === null ? parts.join(' → ') : [...parts, 'STOP'].join(' → ');
}

/** How a step ended; for an attempt without an end, whether it waits, is parked, runs or was interrupted. */
export function stepState(view: RunView, step: StepView, driven: boolean): string {
  if (step.termination !== null) return step.termination;
  if (view.awaiting?.stepId === step.stepId && view.awaiting.attempt === step.attempt) return 'waiting';
  if (step.parked) return 'parked';
  return driven && step === view.steps.at(-1) ? 'running' : 'interrupted';
}
