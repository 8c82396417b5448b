import type { PlannerDecision } from '../contracts/planner-decision.ts';
import type { PlannerInput } from '../contracts/planner-input.ts';
import { type PlannerVector, plannerVectorSchema } from '../contracts/planner-vector.ts';
import { type Problem, problemsOf } from './problems.ts';

export type ParsedVector =
  | { readonly ok: true; readonly vector: PlannerVector }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export function parseVector(value: unknown): ParsedVector {
  const parsed = plannerVectorSchema.safeParse(value);
  if (parsed.success) return { ok: true, vector: parsed.data };
  return { ok: false, problems: problemsOf(parsed.error) };
}

export interface Drift {
  readonly field: 'status' | 'next_step' | 'risk_flags' | 'blocker_codes';
  readonly expected: string;
  readonly actual: string;
}

/** Where a judgement leaves what its vector expects; empty where it holds. */
export function driftOf({ expected, input }: PlannerVector, decision: PlannerDecision): Drift[] {
  const codes = codesOf(decision);
  const missing = expected.risk_flags.filter((flag) => !decision.risk_flags.includes(flag));
  const legal = decision.next_step === null || input.allowed_next_steps.includes(decision.next_step);
  return [
    ...differ('status', expected.status, decision.status),
    ...(expected.next_step === undefined
      ? differ('next_step', 'a legal step', legal ? 'a legal step' : String(decision.next_step))
      : differ('next_step', String(expected.next_step), String(decision.next_step))),
    ...(missing.length === 0
      ? []
      : differ('risk_flags', missing.join(', '), decision.risk_flags.join(', ') || 'none')),
    ...(expected.blocker_codes === undefined
      ? []
      : differ('blocker_codes', listed(expected.blocker_codes), listed(codes))),
  ];
}

function differ(field: Drift['field'], expected: string, actual: string): Drift[] {
  return expected === actual ? [] : [{ field, expected, actual }];
}

function listed(codes: readonly string[]): string {
  return [...new Set(codes)].sort().join(', ') || 'none';
}

function codesOf(decision: PlannerDecision): string[] {
  return decision.blockers.map(({ code }) => code);
}

/** A judgement that was made becomes one that has to be made again. */
export function vectorFrom(
  vectorId: string,
  summary: string,
  input: PlannerInput,
  decision: PlannerDecision,
): PlannerVector {
  return {
    vector_id: vectorId,
    summary,
    input,
    expected: {
      status: decision.status,
      next_step: decision.next_step,
      risk_flags: decision.risk_flags,
      blocker_codes: [...new Set(codesOf(decision))],
    },
  };
}
