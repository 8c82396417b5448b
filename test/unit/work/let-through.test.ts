import { describe, expect, it } from 'vitest';
import type { WorkEvent } from '../../../src/contracts/work/work-event.ts';
import type { WorkCommand } from '../../../src/work/engine/command.ts';
import { createRefusalEvents } from '../../../src/work/engine/refusal.ts';
import { created, ended, inReview, moved, stateOf } from './fixtures.ts';

import {
  ANN,
  approved,
  atWork,
  ENGINE,
  implement,
  move,
  PLANNER,
  plan,
  planned,
  ready,
  refused,
  result,
  review,
  reviewing,
  verdict,
} from './guarded-commands.ts';

describe('a command is let through', () => {
  it.each<[string, WorkEvent[], WorkCommand, typeof ENGINE | typeof ANN]>([
    ['work on what is ready', [ready('1')], implement('1'), ENGINE],
    [
      'work that a person asks for beyond the places',
      [...atWork('1'), ...atWork('2'), ready('3')],
      implement('3'),
      ANN,
    ],
    ['a review', inReview('1', 'success'), review('1'), ENGINE],
    ['a merge of what was approved', approved('1'), { kind: 'merge', itemId: '1' }, ANN],
    [
      'a merge of what a person approved',
      [...inReview('1', 'success'), moved('1', 'review', 'approved', 'ann')],
      { kind: 'merge', itemId: '1' },
      ANN,
    ],
    [
      'the way out of needs-refinement by a person',
      [created({ id: '1', status: 'needs-refinement' })],
      move('1', 'pending'),
      ANN,
    ],
    [
      'a question that a person closes',
      [created({ id: '1', status: 'ready', type: 'refinement' })],
      move('1', 'closed'),
      ANN,
    ],
    ['a person who takes an item from an agent', atWork('1'), move('1', 'closed'), ANN],
    ['a result', atWork('1'), result('1'), ENGINE],
    ["a person's result for what nobody took up", [ready('1')], result('1'), ANN],
    ['a review of the head', reviewing('1'), verdict('1'), ENGINE],
    ['a plan that points forward', [PLANNER], plan({ create: [planned('a', ['b']), planned('b')] }), ENGINE],
    ["a person's plan without a run", [ready('1')], plan({ close: ['1'] }), ANN],
  ])('when it is %s', (_, events, command, by) => {
    expect(refused(events, command, by)).toBeNull();
  });
});

describe('a refusal', () => {
  const requested = { key: 'apply/run 1', by: ENGINE, command: result('1') };
  const refusal = { code: 'item_moved', reason: 'it was closed', help: null } as const;
  const state = () => stateOf(atWork('1'), moved('1', 'in-progress', 'closed', 'ann'));

  it('of a result keeps the summary and ends the run, which is no failure of the item', () => {
    expect(createRefusalEvents(state(), requested, refusal)).toEqual([
      {
        type: 'command_refused',
        key: 'apply/run 1',
        by: 'engine',
        kind: 'apply_implementor_result',
        item_id: '1',
        code: 'item_moved',
        reason: 'it was closed',
      },
      { type: 'summary_kept', item_id: '1', run_id: 'run 1', summary: 'all done' },
      { type: 'run_ended', run_id: 'run 1', ok: false, counted: false, reason: 'it was closed' },
    ]);
  });

  it('of an invalid plan counts as a failure of the planner', () => {
    const events = createRefusalEvents(
      stateOf(PLANNER),
      { key: 'k', by: ENGINE, command: plan({}) },
      { ...refusal, code: 'result_invalid' },
    );
    expect(events.at(-1)).toEqual(ended('p', false, 'it was closed'));
  });

  it('is recorded once', () => {
    const known = state();
    known.refusals.set('apply/run 1', 'item_moved: it was closed');
    expect(createRefusalEvents(known, requested, refusal)).toEqual([]);
  });

  it("of a user's command changes nothing else", () => {
    expect(createRefusalEvents(state(), { ...requested, by: ANN }, refusal).map(({ type }) => type)).toEqual([
      'command_refused',
    ]);
  });
});
