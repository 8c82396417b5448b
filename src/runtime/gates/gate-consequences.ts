import type { GateEvent } from '../../contracts/vocabulary.ts';
import { decide } from '../../kernel/decide.ts';
import type { GateStep, Plan } from '../../kernel/plan.ts';
import type { Effect, KernelDecision } from '../../kernel/protocol.ts';
import type { RunState } from '../../kernel/state.ts';
import type { Consequence } from './gate-request.ts';

export interface Consequences {
  readonly approve: Consequence;
  readonly reject: Consequence;
  /** Null for a gate without a timeout. */
  readonly timeout: Consequence | null;
  readonly [answer: string]: Consequence | null;
}

/** What each answer to a gate leads to. Asks the kernel itself, so that the prediction can't differ from the run. */
export function consequencesOf(plan: Plan, state: RunState, step: GateStep): Consequences {
  const opened = decide(plan, state, {
    kind: 'gate_opened',
    reason: '',
    tree: state.tree ?? '',
    requestSha256: '',
  });
  const after = (answer: GateEvent): Consequence => {
    const given = { kind: 'gate_answered', answer, by: null, comment: null, answeredAt: '' } as const;
    const effect = effectAfter(plan, decide(plan, opened.state, given));
    if (effect === null || effect.kind === 'prepare')
      throw new Error(`gate ${step.id} leads nowhere by ${answer}`);
    if (effect.kind !== 'finish') return { step_id: effect.stepId, opcode: effect.opcode, ends: null };
    const { lifecycle, outcome, termination, reason } = effect.end;
    return {
      step_id: step.routes[answer] ?? 'STOP',
      opcode: 'STOP',
      ends: { lifecycle_state: lifecycle, outcome, termination, reason },
    };
  };
  return {
    approve: after('gate_approved'),
    reject: after('gate_rejected'),
    timeout: step.timeoutMs === null ? null : after('gate_timed_out'),
  };
}

/** Accepting goldens is an intermediate effect; returns the effect that follows it. */
function effectAfter(plan: Plan, { state, effect }: KernelDecision): Effect | null {
  if (effect?.kind !== 'accept_goldens') return effect;
  return decide(plan, state, { kind: 'goldens_accepted', changed: false, tree: null }).effect;
}
