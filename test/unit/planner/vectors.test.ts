import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { plannerInputSchema } from '../../../src/contracts/planner-input.ts';
import { PLANNER_STATUSES } from '../../../src/contracts/vocabulary.ts';
import { judge } from '../../../src/planner/judge.ts';

const folder = new URL('../../fixtures/planner_vectors/', import.meta.url);

const vectorSchema = z.object({
  vector_id: z.string(),
  summary: z.string(),
  input: plannerInputSchema,
  expected: z.object({
    status: z.enum(PLANNER_STATUSES),
    next_step: z.string().nullable().optional(),
    risk_flags: z.array(z.string()),
    blocker_codes: z.array(z.string()).optional(),
  }),
});

const REQUIRED = [
  'vector_blocked_missing_artifact',
  'vector_needs_human_goldens',
  'vector_needs_human_repeat_partial',
  'vector_partial_fixable',
  'vector_partial_transcript_mismatch',
  'vector_success_clean',
  'vector_unsafe_policy_violation',
  'vector_unsafe_report_mismatch',
];

const files = readdirSync(folder).filter((name) => name.endsWith('.json'));

describe('planner vectors', () => {
  it('cover every required situation', () => {
    expect(files.map((name) => name.replace('.json', ''))).toEqual(expect.arrayContaining(REQUIRED));
  });

  it.each(files)('%s is judged as expected', (name) => {
    const vector = vectorSchema.parse(JSON.parse(readFileSync(new URL(name, folder), 'utf8')));
    const { expected, input } = vector;
    const decision = judge(input);
    expect(`${vector.vector_id}.json`).toBe(name);
    expect(decision.status).toBe(expected.status);
    if (decision.next_step !== null) expect(input.allowed_next_steps).toContain(decision.next_step);
    if (expected.next_step !== undefined) expect(decision.next_step).toBe(expected.next_step);
    expect(decision.risk_flags).toEqual(expect.arrayContaining(expected.risk_flags));
    const codes = decision.blockers.map((blocker) => blocker.code);
    if (expected.blocker_codes !== undefined) expect(codes.sort()).toEqual(expected.blocker_codes.sort());
  });
});
