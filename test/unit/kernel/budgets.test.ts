import { describe, expect, it } from 'vitest';
import type { Usage } from '../../../src/contracts/run/agent-result.ts';
import type { EventDraft } from '../../../src/contracts/run/event.ts';
import { findBudgetProblem } from '../../../src/kernel/budgets.ts';
import type { Budgets } from '../../../src/kernel/plan.ts';
import { INITIAL_STATE, type RunState } from '../../../src/kernel/state.ts';
import { agent, evaluate, gate, planOf } from '../../../testing/plans.ts';
import {
  crash,
  ended,
  endOfRun,
  eventsOf,
  finalState,
  goOn,
  inOrder,
  type Played,
  play,
  type Reply,
  resume,
  start,
  trail,
} from './scripted-run.ts';

const OVER = 'failed budget budget';
const WITHIN = 'completed success completed';

const tokens = (limit: number): Budgets => ({ tokens: limit, costUsd: null });
const usd = (limit: number): Budgets => ({ tokens: null, costUsd: limit });
const used = (usage: Usage): Reply => ended('completed', { usage });
const said = (input: number, output = 0): Reply => used({ input_tokens: input, output_tokens: output });
const cost = (amount: number): Reply => used({ cost_usd: amount });

/** a, then b, then STOP */
const pair = (run: Budgets, ofA: Budgets = { tokens: null, costUsd: null }) =>
  planOf([agent('a', { routes: { completed: 'b', error: 'b' }, budgets: ofA }), agent('b')], {
    budgets: run,
  });

describe('the budget of the run', () => {
  it.each<[string, Budgets, readonly Reply[], string]>([
    ['holds at exactly its tokens', tokens(100), [said(30, 20), said(25, 25)], WITHIN],
    ['is broken by one token more, over steps', tokens(100), [said(30, 20), said(25, 26)], OVER],
    ['counts what was read and what was written', tokens(100), [said(51, 50)], OVER],
    ['takes unknown use for none', tokens(1), [used({}), ended('completed')], WITHIN],
    ['counts a known part where the other is unknown', tokens(10), [used({ output_tokens: 11 })], OVER],
    ['counts cost', usd(1), [cost(0.5), cost(0.75)], OVER],
    ['holds at exactly its cost', usd(1), [cost(0.5), cost(0.5)], WITHIN],
    ['adds cents without losing any', usd(0.3), [cost(0.1), cost(0.2)], WITHIN],
    ['of tokens does not bound cost', tokens(1), [cost(99), cost(99)], WITHIN],
    ['of cost does not bound tokens', usd(1), [said(99), said(99)], WITHIN],
    ['counts steps that fail', tokens(10), [ended('killed_timeout', { usage: { input_tokens: 11 } })], OVER],
    ['at zero allows nothing', tokens(0), [said(1)], OVER],
  ])('%s', (_, budgets, replies, expected) => {
    expect(finalState(play(pair(budgets), replies))).toBe(expected);
  });

  it('ends the run before the next step, and says which bound was broken', () => {
    const run = play(pair(tokens(10)), [said(11)]);
    expect(trail(run)).toEqual(['a']);
    expect(eventsOf(run, 'policy_violation').map(({ step_id, payload }) => [step_id, payload])).toEqual([
      ['a', { class: 'budget_exceeded', subject: 'token_budget', message: expect.stringContaining('11') }],
    ]);
    expect(endOfRun(run).reason).toContain('11');
    const other = play(pair(usd(1)), [cost(2)]);
    expect(eventsOf(other, 'policy_violation')[0]?.payload.subject).toBe('cost_budget_usd');
  });

  it('outranks the route that the step would have taken', () => {
    const plan = planOf([agent('a')], { budgets: tokens(10) });
    expect(finalState(play(plan, [ended('killed_policy', { usage: { input_tokens: 11 } })]))).toBe(OVER);
  });

  it('can be reported by the process that stopped the step for it', () => {
    const violations = [{ class: 'budget_exceeded', subject: 'token_budget', message: 'too much' } as const];
    const run = play(pair(tokens(10)), [ended('killed_policy', { violations })]);
    expect(finalState(run)).toBe(OVER);
    expect(trail(run)).toEqual(['a']);
  });
});

describe('the budget of a step', () => {
  const loop = planOf([
    agent('a', { routes: { completed: 'b' }, budgets: tokens(10) }),
    agent('b', { routes: { completed: 'a' }, maxVisits: 2 }),
  ]);

  it('is over all its entries, and over nothing else', () => {
    const run = play(loop, [said(5), said(1_000), said(6)]);
    expect(finalState(run)).toBe(OVER);
    expect(trail(run)).toEqual(['a', 'b', 'a']);
    expect(endOfRun(run).reason).toContain('"a"');
  });

  it.each<[string, readonly Reply[], string]>([
    ['holds at exactly its tokens', [said(10), said(1_000)], WITHIN],
    ['is broken by one more', [said(11)], OVER],
  ])('%s', (_, replies, expected) => {
    expect(finalState(play(pair({ tokens: null, costUsd: null }, tokens(10)), replies))).toBe(expected);
  });

  it('of cost is kept too', () => {
    expect(finalState(play(pair(tokens(100), usd(1)), [cost(1.01)]))).toBe(OVER);
  });
});

describe('over a resume', () => {
  const plan = planOf(
    [
      agent('a', { routes: { completed: 'ask' } }),
      gate('ask', { routes: { gate_approved: 'b' } }),
      agent('b', { budgets: tokens(50) }),
    ],
    { budgets: tokens(100) },
  );
  const script = inOrder([said(60), { kind: 'answered', answer: 'gate_approved' }, said(41)]);

  it('what was used before is not forgotten', () => {
    const uncut = goOn(start(plan), script);
    expect(finalState(uncut)).toBe(OVER);
    const waiting = uncut.events.findIndex(({ event_type }) => event_type === 'step_waiting') + 1;
    expect(finalState(goOn(resume(crash(uncut, waiting)), script))).toBe(OVER);
  });

  it.each<[string, number | null, string]>([
    ['reported before the process died counts against the run', 70, OVER],
    ['that nobody reported counts for none', null, WITHIN],
  ])('the use of an interrupted attempt %s', (_, reported, expected) => {
    const alone = planOf([agent('a')], { budgets: tokens(100) });
    const died = afterRunner(start(alone), reported);
    expect(finalState(goOn(resume(died), inOrder([said(40)])))).toBe(expected);
  });

  it('the usage of an ended attempt counts once, however often it is reported', () => {
    const alone = planOf([agent('a')], { budgets: tokens(100) });
    const reported = afterRunner(start(alone), 60);
    const run = goOn({ ...reported, effect: start(alone).effect }, inOrder([said(60)]));
    expect(finalState(run)).toBe(WITHIN);
    expect(run.state.usage.inputTokens).toBe(60);
  });
});

describe('the budget of an evaluation', () => {
  const judge = (limit: number) => planOf([evaluate('judge', { budgets: tokens(limit) })]);
  const spentBy = (stepId: string): RunState => ({
    ...INITIAL_STATE,
    usageByStep: { [stepId]: { inputTokens: 60, outputTokens: 40, costUsd: null } },
  });

  it.each<[string, number, string, string | null]>([
    ['holds at exactly its tokens', 100, 'judge', null],
    ['is broken by one token more', 99, 'judge', 'step "judge" used 100 tokens of 99'],
    ['does not count what another step used', 99, 'other', null],
  ])('%s', (_, limit, spender, expected) => {
    expect(findBudgetProblem(judge(limit), spentBy(spender), 'judge')?.message ?? null).toBe(expected);
  });
});

/** The runner of the first step is done and has reported its use; the end of the step is not on record. */
function afterRunner(run: Played, inputTokens: number | null): Played {
  const completed: EventDraft = {
    event_type: 'runner_completed',
    step_id: 'a',
    payload: {
      name: 'scripted',
      attempt: 1,
      termination: 'completed',
      exit_code: 0,
      duration_ms: 1,
      usage: inputTokens === null ? null : { input_tokens: inputTokens },
    },
  };
  return crash({ ...run, events: [...run.events, completed] });
}
