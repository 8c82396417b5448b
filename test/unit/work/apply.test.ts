import { describe, expect, it } from 'vitest';
import type { ImplementorResult } from '../../../src/contracts/work/work-results.ts';
import { applyPlannerResult } from '../../../src/work/engine/apply/apply-planner-result.ts';
import {
  applyImplementorResult,
  describeRevision,
  readScopeCorrections,
} from '../../../src/work/engine/apply/implementor.ts';
import { acceptRun, giveUpRun } from '../../../src/work/engine/apply/runs.ts';
import type { CommandOf, WorkCommand } from '../../../src/work/engine/command.ts';
import { readCommand } from '../../../src/work/engine/command-schema.ts';
import { applyReviewerResult } from '../../../src/work/engine/command-steps.ts';
import { findForeignChanges } from '../../../src/work/engine/foreign-changes.ts';
import type { ProviderState } from '../../../src/work/items/provider-values.ts';
import type { WorkState } from '../../../src/work/items/state.ts';
import { readPlainLabels } from '../../../testing/work-fakes.ts';
import { accepted, checked, created, ended, inReview, moved, spec, stateOf } from './fixtures.ts';

const known = (state: WorkState, id: string) => {
  const found = state.items.get(id);
  if (found === undefined) throw new Error('no such item');
  return found;
};
const atWork = (id: string) => [
  created({ id, status: 'in-progress' }),
  accepted(`run ${id}`, 'implementor', id),
];
const failedOnce = (id: string, run: string) => [
  moved(id, 'in-progress', 'pending'),
  moved(id, 'pending', 'ready'),
  moved(id, 'ready', 'in-progress'),
  accepted(run, 'implementor', id),
];

function implementor(more: Partial<ImplementorResult>): CommandOf<'apply_implementor_result'> {
  const result = {
    role: 'implementor',
    outcome: 'completed',
    patch: 'diff',
    summary: 'did it',
    ...more,
  } as const;
  return { kind: 'apply_implementor_result', runId: 'run 1', itemId: '1', base: 'base', result };
}

describe('the plan of a planner', () => {
  const state = stateOf(
    created({ id: '1' }),
    created({ id: '2', status: 'blocked' }),
    accepted('p', 'planner'),
  );
  const labels = ['task:implement', 'priority:high', 'complexity:low', 'area:web', 'status:review'];
  const command: CommandOf<'apply_planner_result'> = {
    kind: 'apply_planner_result',
    runId: 'p',
    specs: [spec('a.md', '1')],
    result: {
      role: 'planner',
      create: [
        { tempID: 'x', title: 'X', body: 'bx', labels, blockedBy: ['y', '1', 'y'] },
        { tempID: 'y', title: 'Y', body: 'by', labels, blockedBy: [] },
      ],
      close: ['2'],
      update: [
        { workItemID: '1', body: 'new', labels: null },
        { workItemID: '2', body: null, labels: null },
      ],
    },
  };
  const change = applyPlannerResult(state, command, { at: 'now', by: 'engine', readLabels: readPlainLabels });

  it('creates, then links, then closes, then updates', () => {
    const fields = { type: 'implement', priority: 'high', complexity: 'low', otherLabels: ['area:web'] };
    expect(change.writes).toEqual([
      { kind: 'create_item', ref: 'x', at: 'now', fields: { title: 'X', body: 'bx', ...fields } },
      { kind: 'create_item', ref: 'y', at: 'now', fields: { title: 'Y', body: 'by', ...fields } },
      { kind: 'link_item', item: 'x', blockedBy: ['y', '1'] },
      { kind: 'set_status', id: '2', status: 'closed' },
      { kind: 'update_item', id: '1', fields: { body: 'new' } },
    ]);
  });

  it('has happened when the provider has it: items, then what was planned, then the end of the run', () => {
    const item = { ...known(state, '1').item, blockedBy: ['4', '1'] };
    const written = { kind: 'item', item, body: 'b', labels: ['status:pending', 'task:implement'] } as const;
    const events = change.createEvents([written, written, written, { kind: 'nothing' }, written]);
    expect(events.map(({ type }) => type)).toEqual([
      'item_created',
      'item_created',
      'item_linked',
      'status_changed',
      'item_updated',
      'specs_planned',
      'run_ended',
    ]);
    expect(events[0]).toMatchObject({ labels: ['task:implement'] });
    expect(events[2]).toMatchObject({ blocked_by: ['4', '1'] });
    expect(events[3]).toMatchObject({ item_id: '2', from: 'blocked', to: 'closed' });
  });
});

describe('the result of an implementor', () => {
  const state = stateOf(atWork('1'));
  it.each<[string, Partial<ImplementorResult>]>([
    ['is blocked', { outcome: 'blocked', patch: null }],
    ['is no valid work', { outcome: 'validation-failure', patch: null }],
    ['has an empty patch', { patch: '\n' }],
    ['has no patch', { patch: null }],
  ])('asks for no revision when it %s', (_, result) => {
    expect(describeRevision(known(state, '1'), implementor(result), 'now')).toBeNull();
  });

  it('asks for a revision of the whole patch, the same whenever it is requested', () => {
    expect(describeRevision(known(state, '1'), implementor({}), 'now')).toEqual({
      itemId: '1',
      title: 'item 1',
      base: 'base',
      patch: 'diff',
      message: 'item 1\n\nWork item: 1',
      body: 'did it',
      author: 'implementor',
      at: 'now',
    });
  });

  it('counts a failure after two others as the third', () => {
    const failing = stateOf(
      atWork('1'),
      ended('run 1', false, 'a'),
      failedOnce('1', 'run 2'),
      ended('run 2', false, 'b'),
      failedOnce('1', 'run 3'),
    );
    const command = { ...implementor({}), runId: 'run 3' };
    const change = applyImplementorResult(failing, known(failing, '1'), command, {
      by: 'engine',
      made: { ok: false, reason: 'c' },
    });
    expect(change.createEvents([]).at(-1)).toMatchObject({
      to: 'blocked',
      reason: 'it failed 3 times in a row: a; b; c',
    });
    expect(change.writes.at(-1)).toEqual({ kind: 'set_status', id: '1', status: 'blocked' });
  });

  it.each([
    ['Scope correction: a.ts -> b.ts: it lives there', ['Scope correction: a.ts -> b.ts: it lives there']],
    ['done\n  - **Scope correction:** a.ts -> b.ts: why\r\nmore', ['Scope correction: a.ts -> b.ts: why']],
    [
      'scope correction: x -> y: z\nScope correction: p -> q: r',
      ['Scope correction: x -> y: z', 'Scope correction: p -> q: r'],
    ],
    ['there was no scope correction: nothing', []],
    ['Scope correction:', []],
  ])('%j has these scope corrections', (summary, corrections) => {
    expect(readScopeCorrections(summary)).toEqual(corrections);
  });
});

describe('the result of a reviewer', () => {
  it.each([
    ['approve', 'approved'],
    ['needs-changes', 'needs-refinement'],
  ] as const)('that says %s makes the item %s', (verdict, to) => {
    const state = stateOf(inReview('1', 'success'), accepted('run 1', 'reviewer', '1', { revision: 'r1' }));
    const review = { verdict, summary: 'seen', comments: [] };
    const command = {
      kind: 'apply_reviewer_result',
      runId: 'run 1',
      itemId: '1',
      revisionId: 'r1',
      result: { role: 'reviewer', review },
    } as const;
    const change = applyReviewerResult(state, known(state, '1'), command, 'engine');
    expect(change.writes).toEqual([
      { kind: 'post_review', revisionId: 'r1', review },
      { kind: 'set_status', id: '1', status: to },
    ]);
  });
});

describe('a run', () => {
  it('of a reviewer leaves its item in review when it is accepted', () => {
    const state = stateOf(inReview('1', 'success'));
    const accept = {
      kind: 'accept_run',
      runId: 'r',
      role: 'reviewer',
      itemId: '1',
      specs: [],
      revisionId: 'r1',
    } as const;
    expect(acceptRun(state, accept, 'engine').writes).toEqual([]);
  });

  it.each([
    ['implementor', 'in-progress', 'pending'],
    ['reviewer', 'review', null],
    ['implementor', 'closed', null],
    ['reviewer', 'pending', null],
  ] as const)('of an abandoned %s moves an item that is %s to %s', (role, status, to) => {
    const state = stateOf(created({ id: '1', status }), accepted('r', role, '1'));
    const change = giveUpRun(
      state,
      { kind: 'give_up_run', runId: 'r', role, itemId: '1', reason: 'x', counted: true },
      'engine',
    );
    expect(change.writes).toEqual(to === null ? [] : [{ kind: 'set_status', id: '1', status: to }]);
    expect(change.createEvents([])[0]).toMatchObject({ type: 'run_ended', ok: false, counted: true });
  });
});

describe('a change at the provider', () => {
  const state = stateOf(created({ id: '1' }), inReview('2', 'pending'));
  const theirs = (change: (provider: ProviderState) => ProviderState) => {
    const items = [...state.items.values()].map(({ item, body }) => ({
      item,
      body,
      labels: [`status:${item.status}`],
    }));
    return findForeignChanges(
      state,
      change({ items, revisions: [...state.revisions.values()], reviews: [], requests: [] }),
    );
  };

  it('is nothing if it matches the journal', () => {
    expect(theirs((provider) => provider)).toEqual([]);
  });

  it('becomes events for ended checks and a moved head', () => {
    const pipeline = { status: 'success', url: null, reason: null } as const;
    expect(
      theirs((provider) => ({
        ...provider,
        revisions: provider.revisions.map((each) => ({ ...each, pipeline })),
      })),
    ).toEqual([checked('2', 'success')]);
    expect(
      theirs((provider) => ({
        ...provider,
        revisions: provider.revisions.map((each) => ({ ...each, headSHA: 'new' })),
      })),
    ).toMatchObject([{ type: 'revision_made', revision: { headSHA: 'new' } }]);
  });

  it('becomes events for new, changed and moved items', () => {
    const item = known(state, '1').item;
    const events = theirs((provider) => ({
      ...provider,
      items: [
        { item: { ...item, status: 'closed', title: 'other' }, body: known(state, '1').body, labels: [] },
        { item: { ...item, id: '9' }, body: 'b', labels: ['area:web', 'status:pending'] },
      ],
    }));
    expect(events).toMatchObject([
      { type: 'item_updated', item: { title: 'other' } },
      { type: 'status_changed', from: 'pending', to: 'closed', by: 'provider' },
      { type: 'item_created', item: { id: '9' }, labels: ['area:web'] },
    ]);
  });
});

describe('a command in the journal', () => {
  const review = {
    verdict: 'approve',
    summary: 's',
    comments: [{ path: 'a', line: 1, body: '[Warning] w' }],
  } as const;
  it.each<WorkCommand>([
    {
      kind: 'accept_run',
      runId: 'r',
      role: 'planner',
      itemId: null,
      specs: [spec('a.md', '1')],
      revisionId: null,
    },
    {
      kind: 'apply_planner_result',
      runId: 'r',
      specs: [],
      result: { role: 'planner', create: [], close: ['1'], update: [] },
    },
    implementor({ patch: null }),
    {
      kind: 'apply_reviewer_result',
      runId: 'r',
      itemId: '1',
      revisionId: 'r1',
      result: { role: 'reviewer', review: { ...review, comments: [...review.comments] } },
    },
    { kind: 'give_up_run', runId: 'r', role: 'reviewer', itemId: '1', reason: 'x', counted: false },
    { kind: 'transition', itemId: '1', to: 'closed', reason: 'x' },
    { kind: 'merge', itemId: '1' },
    { kind: 'cancel_run', itemId: '1' },
    { kind: 'request_planner_run', specs: [] },
    { kind: 'request_implementor_run', itemId: '1' },
    { kind: 'request_reviewer_run', itemId: '1', revisionId: 'r1' },
  ])('of kind $kind is read as it was written', (command) => {
    expect(readCommand(JSON.parse(JSON.stringify(command)))).toEqual(command);
  });

  it('of another version is not read', () => {
    expect(readCommand({ kind: 'dance' })).toBeNull();
  });
});
