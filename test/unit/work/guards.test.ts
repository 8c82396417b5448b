import { describe, expect, it } from 'vitest';
import type { WorkEvent } from '../../../src/contracts/work-event.ts';
import type { PlannerResult } from '../../../src/contracts/work-results.ts';
import type { WorkCommand } from '../../../src/work/command.ts';
import { refusalOf } from '../../../src/work/guards.ts';
import { refusalEvents } from '../../../src/work/refused.ts';
import { accepted, created, ended, inReview, limits, made, moved, spec, stateOf } from './fixtures.ts';

const context = { limits: limits(), checkPlan: () => [] };
const ENGINE = { kind: 'engine' } as const;
const ANN = { kind: 'person', name: 'ann' } as const;

const refused = (events: readonly WorkEvent[], command: WorkCommand, by: typeof ENGINE | typeof ANN) =>
  refusalOf(stateOf(events), { key: 'k', by, command }, context);

const implement = (itemId: string): WorkCommand => ({ kind: 'request_implementor_run', itemId });
const review = (itemId: string): WorkCommand => ({
  kind: 'request_reviewer_run',
  itemId,
  revisionId: `r${itemId}`,
});
const move = (
  itemId: string,
  to: 'pending' | 'ready' | 'closed' | 'approved' | 'in-progress',
): WorkCommand => ({ kind: 'transition', itemId, to, reason: 'so' });
const result = (itemId: string, patch: string | null = 'diff'): WorkCommand => ({
  kind: 'apply_implementor_result',
  runId: `run ${itemId}`,
  itemId,
  base: 'base',
  result: { role: 'implementor', outcome: 'completed', patch, summary: 'all done' },
});
const verdict = (itemId: string, revisionId = `r${itemId}`): WorkCommand => ({
  kind: 'apply_reviewer_result',
  runId: `run ${itemId}`,
  itemId,
  revisionId,
  result: { role: 'reviewer', review: { verdict: 'approve', summary: 's', comments: [] } },
});
const plan = (more: Partial<PlannerResult>): WorkCommand => ({
  kind: 'apply_planner_result',
  runId: 'p',
  specs: [],
  result: { role: 'planner', create: [], close: [], update: [], ...more },
});
const planned = (tempID: string, blockedBy: string[] = []) => ({
  tempID,
  title: 't',
  body: '',
  labels: [],
  blockedBy,
});
const ready = (id: string, scope?: string[]) => created({ id, status: 'ready' }, scope);
const atWork = (id: string, scope?: string[]) => [
  created({ id, status: 'in-progress' }, scope),
  accepted(`run ${id}`, 'implementor', id),
];
const reviewing = (id: string) => [
  ...inReview(id, 'success'),
  accepted(`run ${id}`, 'reviewer', id, { revision: `r${id}` }),
];
const approved = (id: string) => [...inReview(id, 'success'), moved(id, 'review', 'approved')];
const PLANNER = accepted('p', 'planner', null, { specs: [spec('a.md', '1')] });

describe('a command is refused', () => {
  it.each<[string, WorkEvent[], WorkCommand, typeof ENGINE | typeof ANN, string, string]>([
    [
      'a second planner',
      [PLANNER],
      { kind: 'request_planner_run', specs: [spec('a.md', '2')] },
      ENGINE,
      'planner_active',
      'a planner is at work in the run p',
    ],
    [
      'a planner without a spec',
      [],
      { kind: 'request_planner_run', specs: [] },
      ANN,
      'nothing_to_plan',
      'there is no approved spec',
    ],
    ['work on an item that nobody knows', [], implement('9'), ANN, 'unknown_item', 'there is no item 9'],
    [
      'a second agent on an item',
      reviewing('1'),
      implement('1'),
      ANN,
      'item_active',
      'the reviewer of the run run 1 is at work on item 1',
    ],
    [
      'a reviewer beside an implementor',
      atWork('1'),
      review('1'),
      ENGINE,
      'item_active',
      'the implementor of the run run 1',
    ],
    [
      'an agent for a question',
      [created({ id: '1', status: 'ready', type: 'refinement' })],
      implement('1'),
      ANN,
      'not_code',
      'item 1 is a question about a spec',
    ],
    [
      'work before a blocker is done',
      [ready('1'), created({ id: '2', status: 'ready', blockedBy: ['1'] })],
      implement('2'),
      ANN,
      'blockers_open',
      'item 2 waits for 1 (ready)',
    ],
    [
      'work on what is not ready',
      [created({ id: '1' })],
      implement('1'),
      ANN,
      'illegal_transition',
      "item 1: it can't go from pending to in-progress",
    ],
    [
      'work in a file that is being worked on',
      [...atWork('1', ['src/']), ready('2', ['src/a.ts'])],
      implement('2'),
      ANN,
      'scope_overlap',
      'item 2 waits: src/a.ts is being worked on by 1',
    ],
    [
      'more work than there are places',
      [...atWork('1'), ...atWork('2'), ready('3')],
      implement('3'),
      ENGINE,
      'no_free_place',
      '2 of 2 places are taken',
    ],
    [
      'a review of what is not in review',
      [ready('1'), made('1')],
      review('1'),
      ANN,
      'illegal_transition',
      'item 1 is ready, not in review',
    ],
    [
      'a review of another revision',
      inReview('1', 'success'),
      { kind: 'request_reviewer_run', itemId: '1', revisionId: 'r7' },
      ANN,
      'unknown_revision',
      'item 1 has no revision r7',
    ],
    [
      'a review before the checks',
      inReview('1', 'pending'),
      review('1'),
      ANN,
      'checks_not_passed',
      'not a success but pending',
    ],
    [
      'the acceptance of a run that has been overtaken',
      atWork('1'),
      { kind: 'accept_run', runId: 'new', role: 'implementor', itemId: '1', specs: [], revisionId: null },
      ENGINE,
      'item_active',
      'is at work on item 1',
    ],
    [
      'the end of a run that has ended',
      [],
      { kind: 'give_up_run', runId: 'x', role: 'implementor', itemId: '1', reason: '', counted: true },
      ENGINE,
      'run_not_active',
      'the run x has ended already',
    ],
    [
      'a way that is not in the table',
      [created({ id: '1' })],
      move('1', 'approved'),
      ANN,
      'illegal_transition',
      'it can go to ready or closed',
    ],
    [
      'the way out of blocked by the engine',
      [created({ id: '1', status: 'blocked' })],
      move('1', 'pending'),
      ENGINE,
      'people_only',
      'only a person moves it from blocked to pending',
    ],
    [
      'ready before a blocker is done',
      [created({ id: '1' }), created({ id: '2', blockedBy: ['1'] })],
      move('2', 'ready'),
      ANN,
      'blockers_open',
      'item 2 waits for 1 (pending)',
    ],
    [
      'a second close',
      [created({ id: '1', status: 'closed' })],
      move('1', 'closed'),
      ANN,
      'same_status',
      'it is closed already',
    ],
    [
      'an orphan that somebody works on',
      atWork('1'),
      move('1', 'pending'),
      ENGINE,
      'item_active',
      'is at work on item 1',
    ],
    [
      'a merge by the engine',
      approved('1'),
      { kind: 'merge', itemId: '1' },
      ENGINE,
      'people_only',
      'only a person merges',
    ],
    [
      'a merge of what is not approved',
      inReview('1', 'success'),
      { kind: 'merge', itemId: '1' },
      ANN,
      'not_approved',
      'item 1 is review and not approved',
    ],
    [
      'a merge of another commit than the approved one',
      [...approved('1'), made('1', { headSHA: 'new' })],
      { kind: 'merge', itemId: '1' },
      ANN,
      'revision_moved',
      'head-1 was approved, and the revision of item 1 is at new',
    ],
    [
      'a merge of a draft',
      [...approved('1'), made('1', { isDraft: true })],
      { kind: 'merge', itemId: '1' },
      ANN,
      'revision_moved',
      'is a draft',
    ],
    [
      'a second merge',
      [...approved('1'), moved('1', 'approved', 'closed', 'ann')],
      { kind: 'merge', itemId: '1' },
      ANN,
      'same_status',
      'item 1 is closed already',
    ],
    [
      'a cancel where nobody works',
      [ready('1')],
      { kind: 'cancel_run', itemId: '1' },
      ANN,
      'no_active_run',
      'nobody works on item 1',
    ],
    [
      'a result of a run that was ended',
      [created({ id: '1', status: 'in-progress' })],
      result('1'),
      ENGINE,
      'run_not_active',
      'the run run 1 was ended before its result came',
    ],
    [
      'a result for an item that was moved',
      [...atWork('1'), moved('1', 'in-progress', 'closed', 'ann')],
      result('1'),
      ENGINE,
      'item_moved',
      'item 1 is closed and not in-progress',
    ],
    [
      "a person's result beside an agent",
      atWork('1'),
      { ...result('1'), runId: 'mine' } as WorkCommand,
      ANN,
      'item_active',
      'is at work on item 1',
    ],
    [
      "a person's result without a patch",
      [ready('1')],
      result('1', ' \n'),
      ANN,
      'result_invalid',
      'its patch is empty',
    ],
    [
      'a review of a commit that is no longer the head',
      [...reviewing('1'), made('1', { headSHA: 'new' })],
      verdict('1'),
      ENGINE,
      'revision_moved',
      'the review is of head-1, and the revision is at new',
    ],
    [
      'a review for an item that was moved',
      [...reviewing('1'), moved('1', 'review', 'pending', 'ann')],
      verdict('1'),
      ENGINE,
      'item_moved',
      'item 1 is pending and not review',
    ],
    [
      'a plan that closes twice',
      [PLANNER, ready('1')],
      plan({ close: ['1', '1'] }),
      ENGINE,
      'result_invalid',
      'item 1 is closed twice',
    ],
    [
      'a plan that closes what is closed',
      [PLANNER, created({ id: '1', status: 'closed' })],
      plan({ close: ['1'] }),
      ENGINE,
      'result_invalid',
      "item 1 can't be closed: it is closed already",
    ],
    [
      'a plan that closes approved work',
      [PLANNER, ...approved('1')],
      plan({ close: ['1'] }),
      ENGINE,
      'result_invalid',
      'only a person moves it from approved to closed',
    ],
    [
      'a plan with unknown ids',
      [PLANNER],
      plan({
        create: [planned('a', ['b', '7'])],
        close: ['8'],
        update: [{ workItemID: '9', body: null, labels: null }],
      }),
      ENGINE,
      'result_invalid',
      'a is blocked by b, which does not exist; a is blocked by 7, which does not exist; close names item 8, which does not exist; update names item 9, which does not exist',
    ],
    [
      'a plan that closes and updates',
      [PLANNER, ready('1')],
      plan({ close: ['1'], update: [{ workItemID: '1', body: 'b', labels: null }] }),
      ENGINE,
      'result_invalid',
      'item 1 is both closed and updated',
    ],
    [
      'a plan with a name twice',
      [PLANNER],
      plan({ create: [planned('a'), planned('a')] }),
      ENGINE,
      'result_invalid',
      'the tempID a is used twice',
    ],
  ])('when it is %s', (_, events, command, by, code, reason) => {
    const refusal = refused(events, command, by);
    expect(refusal?.code).toBe(code);
    expect(refusal?.reason).toContain(reason);
  });

  it('for what the contract finds in a plan', () => {
    const state = stateOf(PLANNER);
    const asked = { key: 'k', by: ENGINE, command: plan({}) };
    expect(refusalOf(state, asked, { ...context, checkPlan: () => ['a cycle: a -> b -> a'] })).toMatchObject({
      code: 'result_invalid',
      reason: 'a cycle: a -> b -> a',
    });
  });
});

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
  const asked = { key: 'apply/run 1', by: ENGINE, command: result('1') };
  const refusal = { code: 'item_moved', reason: 'it was closed', help: null } as const;
  const state = () => stateOf(atWork('1'), moved('1', 'in-progress', 'closed', 'ann'));

  it('of a result keeps the summary and ends the run, which is no failure of the item', () => {
    expect(refusalEvents(state(), asked, refusal)).toEqual([
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

  it('of a plan that breaks the contract counts as a failure of the planner', () => {
    const events = refusalEvents(
      stateOf(PLANNER),
      { key: 'k', by: ENGINE, command: plan({}) },
      { ...refusal, code: 'result_invalid' },
    );
    expect(events.at(-1)).toEqual(ended('p', false, 'it was closed'));
  });

  it('is told once', () => {
    const told = state();
    told.refusals.set('apply/run 1', 'item_moved: it was closed');
    expect(refusalEvents(told, asked, refusal)).toEqual([]);
  });

  it("of a person's wish changes nothing else", () => {
    expect(refusalEvents(state(), { ...asked, by: ANN }, refusal).map(({ type }) => type)).toEqual([
      'command_refused',
    ]);
  });
});
