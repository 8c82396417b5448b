import type { PathPart } from '../../contracts/http/run-page.ts';
import type { Termination } from '../../contracts/vocabulary.ts';
import type { RunView, StepView } from '../../runtime/record/run-view.ts';
import { attemptName } from '../runs/open-run.ts';

type Tone = PathPart['tone'];

const TONES: Readonly<Record<Termination, Tone>> = {
  completed: 'success',
  success: 'success',
  gate_approved: 'success',
  partial: 'attention',
  blocked: 'attention',
  needs_human: 'attention',
  gate_rejected: 'attention',
  gate_timed_out: 'attention',
  cancelled: 'attention',
  error: 'danger',
  killed_idle: 'danger',
  killed_timeout: 'danger',
  killed_policy: 'danger',
  unsafe: 'danger',
  workflow_error: 'danger',
  budget: 'danger',
};

/** The path of a run for a reader: `implement → checks failed → evaluate: partial → implement → … → success`. */
export function describePathParts(view: RunView, driven: boolean): PathPart[] {
  const steps = view.steps.filter(({ opcode }) => opcode !== 'STOP');
  const parts = steps.map((step, at) => describeStep(view, step, driven && at === steps.length - 1));
  const { end } = view;
  if (end === null) return parts;
  return [...parts, { kind: 'end', text: end.outcome, key: null, tone: toneOfOutcome(end.outcome) }];
}

export function joinPath(parts: readonly PathPart[]): string {
  return parts.length === 0 ? 'no step has started' : parts.map(({ text }) => text).join(' → ');
}

function toneOfOutcome(outcome: NonNullable<RunView['end']>['outcome']): Tone {
  switch (outcome) {
    case 'success':
      return 'success';
    case 'unsafe':
    case 'policy':
    case 'budget':
    case 'error':
      return 'danger';
    case 'unverified':
    case 'partial':
    case 'blocked':
    case 'needs_human':
    case 'rejected':
    case 'timed_out':
    case 'cancelled':
      return 'attention';
  }
}

function describeStep(view: RunView, step: StepView, isDriven: boolean): PathPart {
  const key = attemptName(step);
  const { termination, stepId } = step;
  if (termination === null) {
    const how = describeUnended(view, step, isDriven);
    return { kind: 'step', text: how === 'running' ? stepId : `${stepId} ${how}`, key, tone: 'current' };
  }
  const tone = TONES[termination];
  const text = describeEnd(step, termination);
  return {
    kind: 'step',
    text,
    key,
    tone: tone === 'success' && step.opcode !== 'EVALUATE' ? 'neutral' : tone,
  };
}

function describeUnended(view: RunView, step: StepView, isDriven: boolean): string {
  if (view.awaiting?.stepId === step.stepId && view.awaiting.attempt === step.attempt)
    return 'waiting for an answer';
  if (step.parked) return 'parked';
  return isDriven ? 'running' : 'interrupted';
}

/** An agent that completed is only named: that it ran is all that this says. */
function describeEnd({ opcode, stepId }: StepView, termination: Termination): string {
  switch (opcode) {
    case 'EVALUATE':
      return `${stepId}: ${termination}`;
    case 'GATE':
      return `${stepId} ${termination.replace('gate_', '').replace('_', ' ')}`;
    case 'RUN_VALIDATION':
      if (termination === 'completed') return `${stepId} passed`;
      return termination === 'error' ? `${stepId} failed` : `${stepId} ${termination}`;
    case 'RUN_AGENT':
    case 'ROLLBACK':
    case 'STOP':
      return termination === 'completed' ? stepId : `${stepId} (${termination})`;
  }
}
