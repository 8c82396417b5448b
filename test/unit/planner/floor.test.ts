import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PlannerDecision, plannerDecisionSchema } from '../../../src/contracts/planner-decision.ts';
import { PLANNER_STATUSES, type PlannerStatus } from '../../../src/contracts/vocabulary.ts';
import { applyFloor, excerptOf } from '../../../src/planner/floor.ts';
import { judge } from '../../../src/planner/judge.ts';
import { envelope, failed } from './envelope-builder.ts';

const hints = { success: 'STOP', partial: 'fix', blocked: 'STOP', needs_human: 'gate', unsafe: 'rollback' };
const ORDER: readonly PlannerStatus[] = ['success', 'partial', 'blocked', 'needs_human', 'unsafe'];

const INPUT_BY_STATUS = {
  success: envelope({}, { route_hints: hints }),
  partial: envelope({ validation: failed }, { route_hints: hints }),
  blocked: envelope({ review: { expected: true } }, { route_hints: hints }),
  needs_human: envelope({ policy_events: ['requires_approval: x'] }, { route_hints: hints }),
  unsafe: envelope({ policy_events: ['outside_workspace: /etc'] }, { route_hints: hints }),
} as const;

function proposal(status: PlannerStatus, fields: Partial<PlannerDecision> = {}): PlannerDecision {
  return { status, next_step: null, fix_instructions: null, blockers: [], risk_flags: [], ...fields };
}

const matrix = PLANNER_STATUSES.flatMap((asked) => PLANNER_STATUSES.map((floor) => ({ asked, floor })));

describe('the severity floor', () => {
  it.each(matrix)(
    'a proposal of $asked over a floor of $floor gives the worse of the two',
    ({ asked, floor }) => {
      const input = INPUT_BY_STATUS[floor];
      const { decision } = applyFloor(proposal(asked), judge(input), input);
      const worse = ORDER[Math.max(ORDER.indexOf(asked), ORDER.indexOf(floor))];
      expect(plannerDecisionSchema.parse(decision)).toEqual(decision);
      expect(decision.status).toBe(worse);
      expect(decision.next_step).toBe(hints[decision.status]);
      expect(decision.fix_instructions !== null).toBe(worse === 'partial');
      if (worse === 'partial') expect(decision.fix_instructions?.verification.length).toBeGreaterThan(0);
      else if (worse !== 'success') expect(decision.blockers.length).toBeGreaterThan(0);
    },
  );

  it('keeps what both found, worst first', () => {
    const input = INPUT_BY_STATUS.partial;
    const grave = {
      code: 'data_loss',
      summary: 'rows are dropped',
      evidence_ref: null,
      severity: 'high',
    } as const;
    const proposed = proposal('unsafe', {
      blockers: [grave],
      risk_flags: ['odd', 'ux_error'],
      next_step: 'gate',
    });
    const { decision, verdict } = applyFloor(proposed, judge(input), input);
    expect(verdict).toBe('taken');
    expect(decision.next_step).toBe('gate');
    expect(decision.blockers.map(({ code }) => code)).toEqual(['data_loss', 'validator_failed:tests']);
    expect(decision.risk_flags).toEqual(['ux_error', 'odd']);
  });

  it('does not take the next step of a proposal that was too mild', () => {
    const input = INPUT_BY_STATUS.unsafe;
    const { decision, verdict } = applyFloor(proposal('success', { next_step: 'STOP' }), judge(input), input);
    expect(verdict).toBe('raised_to_floor');
    expect(decision.next_step).toBe('rollback');
  });

  it.each([
    { name: 'no reply', reply: undefined, code: 'planner_reply_missing' },
    { name: 'a text', reply: 'looks good to me', code: 'planner_reply_invalid' },
    {
      name: 'an unknown status',
      reply: { ...proposal('success'), status: 'ok' },
      code: 'planner_reply_invalid',
    },
    { name: 'an extra key', reply: { ...proposal('success'), confidence: 1 }, code: 'planner_reply_invalid' },
    {
      name: 'an illegal next step',
      reply: proposal('success', { next_step: 'deploy' }),
      code: 'planner_next_step_illegal',
    },
  ])('$name is blocked with a blocker that says so', ({ reply, code }) => {
    const input = INPUT_BY_STATUS.success;
    const { decision, verdict } = applyFloor(reply, judge(input), input);
    expect(verdict).toBe('refused');
    expect(decision.status).toBe('blocked');
    expect(decision.blockers.map((blocker) => blocker.code)).toEqual([code]);
  });

  it('a reply that does not fit cannot soften an unsafe floor', () => {
    const input = INPUT_BY_STATUS.unsafe;
    const { decision } = applyFloor('fine', judge(input), input);
    expect(decision.status).toBe('unsafe');
    expect(decision.blockers.map(({ code }) => code)).toEqual(['outside_workspace', 'planner_reply_invalid']);
  });

  it('whatever is proposed, the status is never milder than that of the rules', () => {
    const decided = fc.record({
      status: fc.constantFrom(...PLANNER_STATUSES),
      next_step: fc.constantFrom(null, 'fix', 'gate', 'deploy'),
      fix_instructions: fc.constant(null),
      blockers: fc.constant([]),
      risk_flags: fc.subarray(['ux_error', 'odd']),
    });
    const reply = fc.oneof(decided, fc.jsonValue(), fc.constant(undefined));
    fc.assert(
      fc.property(reply, fc.constantFrom(...ORDER), (proposed, status) => {
        const input = INPUT_BY_STATUS[status];
        const { decision, verdict } = applyFloor(proposed, judge(input), input);
        expect(ORDER.indexOf(decision.status)).toBeGreaterThanOrEqual(ORDER.indexOf(status));
        if (verdict === 'refused') expect(decision.status).not.toBe('success');
        expect(plannerDecisionSchema.parse(decision)).toEqual(decision);
      }),
    );
  });

  it.each([
    ['a text', 'Looks  good\nto me', 'Looks good to me'],
    ['an object', { a: 1 }, '{"a":1}'],
    ['nothing', '  ', 'nothing'],
    ['a long text', 'x'.repeat(500), `${'x'.repeat(200)}…`],
  ])('%s is shown in one short line', (_what, reply, shown) => {
    expect(excerptOf(reply)).toBe(shown);
  });

  it('a reply with many faults is told by the first of them', () => {
    const input = INPUT_BY_STATUS.success;
    const { decision } = applyFloor({ status: 'fine' }, judge(input), input);
    expect(decision.blockers[0]?.summary).toMatch(
      /^the reply .*: status: .*; and 2 more; it was: \{"status":"fine"\}$/,
    );
  });
});
