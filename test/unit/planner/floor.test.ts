import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type PlannerDecision,
  plannerDecisionSchema,
} from '../../../src/contracts/planner/planner-decision.ts';
import { PLANNER_STATUSES, type PlannerStatus } from '../../../src/contracts/vocabulary.ts';
import { evaluate } from '../../../src/planner/table/evaluate.ts';
import { applyFloor, excerptReply } from '../../../src/planner/table/floor.ts';
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
      const { decision } = applyFloor(proposal(asked), evaluate(input), input);
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
    const { decision, verdict } = applyFloor(proposed, evaluate(input), input);
    expect(verdict).toBe('taken');
    expect(decision.next_step).toBe('gate');
    expect(decision.blockers.map(({ code }) => code)).toEqual(['data_loss', 'validator_failed:tests']);
    expect(decision.risk_flags).toEqual(['ux_error', 'odd']);
  });

  it('does not take the next step of a proposal that was too mild', () => {
    const input = INPUT_BY_STATUS.unsafe;
    const { decision, verdict } = applyFloor(
      proposal('success', { next_step: 'STOP' }),
      evaluate(input),
      input,
    );
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
    const { decision, verdict } = applyFloor(reply, evaluate(input), input);
    expect(verdict).toBe('refused');
    expect(decision.status).toBe('blocked');
    expect(decision.blockers.map((blocker) => blocker.code)).toEqual([code]);
  });

  it('a reply that does not fit cannot soften an unsafe floor', () => {
    const input = INPUT_BY_STATUS.unsafe;
    const { decision } = applyFloor('fine', evaluate(input), input);
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
        const { decision, verdict } = applyFloor(proposed, evaluate(input), input);
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
    expect(excerptReply(reply)).toBe(shown);
  });

  it('a reply with many errors is reported by the first of them', () => {
    const input = INPUT_BY_STATUS.success;
    const { decision } = applyFloor({ status: 'fine' }, evaluate(input), input);
    expect(decision.blockers[0]?.summary).toMatch(
      /^the planner's reply .*: status: .*; and 2 more; it was: \{"status":"fine"\}$/,
    );
  });
});

describe('the text of the floor', () => {
  const input = INPUT_BY_STATUS.success;
  const refused = (reply: unknown) => applyFloor(reply, evaluate(input), input).decision.blockers;

  it('say that no reply came', () => {
    expect(refused(null)).toEqual([
      {
        code: 'planner_reply_missing',
        summary: 'the planner gave no reply',
        evidence_ref: null,
        severity: 'medium',
      },
    ]);
    expect(refused(undefined)).toEqual(refused(null));
  });

  it('names three reasons and counts the others', () => {
    const [blocker] = refused({});
    expect(blocker?.summary).toMatch(
      /^the planner's reply does not match its schema: status: [^;]+; next_step: [^;]+; fix_instructions: [^;]+; and 2 more; it was: \{\}$/,
    );
    const [one] = refused({ ...proposal('success'), risk_flags: 7 });
    expect(one?.summary).toMatch(/schema: risk_flags: [^;]+; it was: \{"status"/);
    const [three] = refused({ ...proposal('success'), status: 1, next_step: 2, risk_flags: 3 });
    expect(three?.summary).toMatch(/schema: status: [^;]+; next_step: [^;]+; risk_flags: [^;]+; it was: \{/);
    expect(refused('fine')[0]?.summary).toMatch(/schema: [^:]+; it was: fine$/);
  });

  it('name a step that is not allowed', () => {
    expect(refused(proposal('success', { next_step: 'away' }))[0]).toMatchObject({
      code: 'planner_next_step_illegal',
      summary: `the planner names the next step "away", which is not allowed; allowed: ${input.allowed_next_steps.join(', ')}, or null`,
    });
    expect(refused(proposal('success', { next_step: ' ' }))[0]?.summary).toMatch(
      /^the planner names an empty next step, /,
    );
    const nowhere = { ...input, allowed_next_steps: [] };
    const held = applyFloor(proposal('success', { next_step: 'away' }), evaluate(nowhere), nowhere);
    expect(held.decision.blockers[0]?.summary).toMatch(/, which is not allowed; allowed: null$/);
  });

  it('ask for a reason where there is none, for what stops a run alone', () => {
    expect(applyFloor(proposal('unsafe'), evaluate(input), input).decision.blockers).toEqual([
      {
        code: 'planner_judgement',
        summary: 'the planner decided unsafe without giving a reason',
        evidence_ref: null,
        severity: 'high',
      },
    ]);
    for (const status of ['success', 'partial'] as const)
      expect(applyFloor(proposal(status), evaluate(input), input).decision.blockers).toEqual([]);
  });

  it('take a proposal that is as bad as the floor, with its own instructions', () => {
    const partial = INPUT_BY_STATUS.partial;
    const own = {
      objective: 'do it',
      constraints: [],
      edits: [],
      verification: [{ command: 'make', expected_signal: 'ok' }],
    };
    const given = (fix: typeof own | null) =>
      applyFloor(proposal('partial', { fix_instructions: fix }), evaluate(partial), partial);
    expect(given(own)).toMatchObject({ verdict: 'taken', decision: { fix_instructions: own } });
    expect(given({ ...own, verification: [] }).decision.fix_instructions).toEqual({
      ...own,
      verification: [{ command: 'tests', expected_signal: 'exit code 0' }],
    });
    expect(given(null).decision.fix_instructions).toEqual(evaluate(partial).fix_instructions);
  });

  it('make instructions where neither has any', () => {
    const { decision } = applyFloor(proposal('partial'), evaluate(input), input);
    expect(decision.fix_instructions?.objective).toBe('finish the step');
  });

  it('cut an excerpt only where it is too long', () => {
    const exact = 'x'.repeat(200);
    expect(excerptReply(exact)).toBe(exact);
    expect(excerptReply(`${exact}y`)).toBe(`${exact}…`);
    expect(excerptReply(' a \n b ')).toBe('a b');
    expect(excerptReply('  ')).toBe('nothing');
    expect(excerptReply(undefined)).toBe('undefined');
  });
});
