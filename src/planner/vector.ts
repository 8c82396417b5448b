import type { PlannerDecision } from '../contracts/planner/planner-decision.ts';
import type { PlannerInput } from '../contracts/planner/planner-input.ts';
import { type PlannerVector, plannerVectorSchema } from '../contracts/planner/planner-vector.ts';
import { type Problem, toProblems } from './table/problems.ts';

export type ParsedVector =
  | { readonly ok: true; readonly vector: PlannerVector }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export function parseVector(value: unknown): ParsedVector {
  const parsed = plannerVectorSchema.safeParse(value);
  if (parsed.success) return { ok: true, vector: parsed.data };
  return { ok: false, problems: toProblems(parsed.error) };
}

export interface Drift {
  readonly field: 'status' | 'next_step' | 'risk_flags' | 'blocker_codes';
  readonly expected: string;
  readonly actual: string;
}

/** The differences between a decision and its vector; empty if they match. */
export function compareWithVector({ expected, input }: PlannerVector, decision: PlannerDecision): Drift[] {
  const codes = codesOf(decision);
  const missing = expected.risk_flags.filter((flag) => !decision.risk_flags.includes(flag));
  const legal = decision.next_step === null || input.allowed_next_steps.includes(decision.next_step);
  return [
    ...compareField('status', expected.status, decision.status),
    ...(expected.next_step === undefined
      ? compareField('next_step', 'a legal step', legal ? 'a legal step' : String(decision.next_step))
      : compareField('next_step', String(expected.next_step), String(decision.next_step))),
    ...(missing.length === 0
      ? []
      : compareField('risk_flags', missing.join(', '), decision.risk_flags.join(', ') || 'none')),
    ...(expected.blocker_codes === undefined
      ? []
      : compareField('blocker_codes', formatCodes(expected.blocker_codes), formatCodes(codes))),
  ];
}

function compareField(field: Drift['field'], expected: string, actual: string): Drift[] {
  return expected === actual ? [] : [{ field, expected, actual }];
}

function formatCodes(codes: readonly string[]): string {
  return [...new Set(codes)].sort().join(', ') || 'none';
}

function codesOf(decision: PlannerDecision): string[] {
  return decision.blockers.map(({ code }) => code);
}

/** Turns a decision into a test vector that expects the same decision again. */
export function createVector(
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
