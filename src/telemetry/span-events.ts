import type { Usage } from '../contracts/run/agent-result.ts';
import type { RunEvent, ValidatorEnd } from '../contracts/run/event.ts';
import type { Attributes, AttributeValue } from './span.ts';

type Named = { readonly name: string; readonly attributes: Attributes };
type Maybe = Readonly<Record<string, AttributeValue | null | undefined>>;

/** Leaves out what is unknown: an attribute has no null. */
export function attributesOf(values: Maybe): Attributes {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, AttributeValue] => entry[1] != null),
  );
}

/** Tokens under the names that OpenTelemetry's conventions give them; they have none for a cost. */
export function usageAttributes(usage: Usage | null): Maybe {
  return {
    'gen_ai.usage.input_tokens': usage?.input_tokens,
    'gen_ai.usage.output_tokens': usage?.output_tokens,
    'conductor.usage.cost_usd': usage?.cost_usd === undefined ? null : { double: usage.cost_usd },
  };
}

/**
 * The events of the log that become events of a span; the others become spans and attributes. Text that people, agents
 * or programs wrote is included only with `payloads`.
 */
export function listSpanEvents(event: RunEvent, payloads: boolean): readonly Named[] {
  const make = (values: Maybe, texts: Maybe = {}): Named => ({
    name: `conductor.${event.event_type}`,
    attributes: attributesOf({ ...values, ...(payloads ? texts : {}) }),
  });
  switch (event.event_type) {
    case 'runner_started': {
      const { family, name, try: start } = event.payload;
      return [make({ 'conductor.runner.family': family, 'conductor.runner.name': name, ...startOf(start) })];
    }
    case 'runner_completed': {
      const { name, termination, exit_code, duration_ms, usage, try: start, failure } = event.payload;
      return [
        make({
          'conductor.runner.name': name,
          ...startOf(start),
          'conductor.termination': termination,
          'conductor.exit_code': exit_code,
          'conductor.duration_ms': Math.round(duration_ms),
          'conductor.failure': failure,
          ...usageAttributes(usage),
        }),
      ];
    }
    case 'step_completed':
    case 'step_failed':
      return event.payload.validators.map(describeValidator);
    case 'step_waiting':
      return [make({ 'conductor.until': event.payload.until }, { 'conductor.reason': event.payload.reason })];
    case 'gate_requested':
      return [make({ 'conductor.gate': event.payload.gate }, { 'conductor.reason': event.payload.reason })];
    case 'gate_approved':
    case 'gate_rejected':
    case 'gate_timed_out':
      return [make({}, { 'conductor.by': event.payload.by, 'conductor.comment': event.payload.comment })];
    case 'decision_recorded': {
      const { planner, status, risk_flags, blocker_codes, reason } = event.payload;
      return [
        make(
          {
            'conductor.planner': planner,
            'conductor.status': status,
            'conductor.risk_flags': risk_flags,
            'conductor.blocker_codes': blocker_codes,
          },
          { 'conductor.reason': reason },
        ),
      ];
    }
    case 'policy_violation': {
      const { class: violation, subject, message } = event.payload;
      return [
        make(
          { 'conductor.violation': violation },
          { 'conductor.subject': subject, 'conductor.message': message },
        ),
      ];
    }
    case 'route_selected':
      return [make({ 'conductor.route.key': event.payload.key, 'conductor.route.to': event.payload.to })];
    case 'setup_completed': {
      const { checkout, cache_hit, outcome, commands, reason } = event.payload;
      const lines = commands.map(({ command }) => command);
      return [
        make(
          { 'conductor.checkout': checkout, 'conductor.cache_hit': cache_hit, 'conductor.outcome': outcome },
          { 'conductor.commands': lines, 'conductor.reason': reason },
        ),
      ];
    }
    case 'baseline_recorded': {
      const { outcome, cached, reason } = event.payload;
      return [
        make({ 'conductor.outcome': outcome, 'conductor.cache_hit': cached }, { 'conductor.reason': reason }),
      ];
    }
    case 'rollback_completed':
      return [make({ 'conductor.rollback.target': event.payload.target })];
    case 'refinement_spent':
      return [
        make({
          'conductor.refinement.spent': event.payload.spent,
          'conductor.refinement.max': event.payload.max,
        }),
      ];
    case 'run_resumed':
      return [make({}, { 'conductor.reason': event.payload.reason })];
    case 'run_cancelled':
      return [make({}, { 'conductor.by': event.payload.by, 'conductor.reason': event.payload.reason })];
    case 'workflow_error':
      return [make({}, { 'conductor.message': event.payload.message })];
    case 'status_updated':
      return payloads || event.payload.bound !== undefined
        ? [make({ 'conductor.bound': event.payload.bound }, { 'conductor.message': event.payload.note })]
        : [];
    default:
      return [];
  }
}

function describeValidator({ id, outcome, exit_code, tries, flaky }: ValidatorEnd): Named {
  return {
    name: 'conductor.validator_completed',
    attributes: attributesOf({
      'conductor.validator': id,
      'conductor.outcome': outcome,
      'conductor.exit_code': exit_code,
      'conductor.tries': tries,
      'conductor.flaky': flaky,
    }),
  };
}

/** The first start of an agent has no number in the log. */
function startOf(start: number | undefined): Maybe {
  return { 'conductor.try': start };
}
