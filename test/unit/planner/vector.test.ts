import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../src/planner/table/evaluate.ts';
import { compareWithVector, createVector, parseVector } from '../../../src/planner/vector.ts';
import { envelope, failed } from './envelope-builder.ts';

const input = envelope({ validation: failed }, { route_hints: { partial: 'fix' } });
const decision = evaluate(input);
const vector = createVector('v', 'One.', input, decision);

describe('a vector', () => {
  it('made from an evaluation passes for that evaluation', () => {
    expect(parseVector(JSON.parse(JSON.stringify(vector)))).toEqual({ ok: true, vector });
    expect(compareWithVector(vector, decision)).toEqual([]);
  });

  it.each([
    ['status', { ...decision, status: 'blocked' as const }, 'partial', 'blocked'],
    ['next_step', { ...decision, next_step: null }, 'fix', 'null'],
    ['blocker_codes', { ...decision, blockers: [] }, 'validator_failed:tests', 'none'],
  ])('reports another %s', (field, other, expected, actual) => {
    expect(compareWithVector(vector, other)).toEqual([{ field, expected, actual }]);
  });

  it('asks for its flags and allows others', () => {
    const flagged = { ...vector, expected: { ...vector.expected, risk_flags: ['ux_error'] } };
    expect(compareWithVector(flagged, { ...decision, risk_flags: ['ux_error', 'flaky_checks'] })).toEqual([]);
    expect(compareWithVector(flagged, decision)).toEqual([
      { field: 'risk_flags', expected: 'ux_error', actual: 'none' },
    ]);
  });

  it('without a next step of its own still refuses an illegal one', () => {
    const { next_step: _left, ...expected } = vector.expected;
    const open = { ...vector, expected };
    expect(compareWithVector(open, { ...decision, next_step: 'STOP' })).toEqual([]);
    expect(compareWithVector(open, { ...decision, next_step: 'deploy' })).toEqual([
      { field: 'next_step', expected: 'a legal step', actual: 'deploy' },
    ]);
  });

  it('does not depend on the order of blocker codes', () => {
    const two = { ...vector, expected: { ...vector.expected, blocker_codes: ['b', 'a'] } };
    const blockers = ['a', 'b'].map((code) => ({
      code,
      summary: '',
      evidence_ref: null,
      severity: 'low' as const,
    }));
    expect(compareWithVector(two, { ...decision, blockers })).toEqual([]);
  });

  it.each([
    ['no envelope', { ...vector, input: null }, 'input'],
    ['an unknown status', { ...vector, expected: { status: 'fine', risk_flags: [] } }, 'expected.status'],
    ['no id', { ...vector, vector_id: '' }, 'vector_id'],
  ])('with %s is refused with the place', (_what, value, path) => {
    const parsed = parseVector(value);
    expect(parsed.ok ? [] : parsed.problems.map((problem) => problem.path)).toEqual([path]);
  });
});
