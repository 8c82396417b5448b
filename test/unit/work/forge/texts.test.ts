import { describe, expect, it } from 'vitest';
import type { Revision } from '../../../../src/contracts/work/work-item.ts';
import {
  fenceText,
  formatLabel,
  formatProse,
  formatTitle,
  readProse,
} from '../../../../src/work/forge/forge-text.ts';
import { planIssue, readIssue } from '../../../../src/work/forge/item-issue.ts';
import { formatReview, NO_CHECKS_MS, planPull, readPipeline } from '../../../../src/work/forge/item-pull.ts';
import type { ProviderItem } from '../../../../src/work/items/provider-values.ts';

const OWNER = '0b5a';
const context = { owner: OWNER, numberOf: (id: string) => (id === '9' ? null : Number(id) + 10) };

function itemWith(
  more: Partial<ProviderItem['item']> & { body?: string; labels?: string[] } = {},
): ProviderItem {
  const { body = 'Do it.', labels = ['task:implement', 'status:ready'], ...item } = more;
  return {
    item: {
      id: '3',
      title: 'Compute areas',
      status: 'ready',
      type: 'implement',
      priority: 'medium',
      complexity: 'low',
      blockedBy: [],
      createdAt: '2026-01-01T00:00:00Z',
      linkedRevision: null,
      ...item,
    },
    body,
    labels,
  };
}

describe('a text on a forge', () => {
  it.each([
    ['mentions no account', 'cc @mia and @org/team', 'cc @\u200bmia and @\u200borg/team'],
    ['keeps code', 'use `@octokit/core`:\n```\n@x\n```', 'use `@octokit/core`:\n```\n@x\n```'],
    ['has no marker of its own', 'a <!-- conductor:item x/1 --> b', 'a <!- conductor:item x/1 --> b'],
    ['shows hidden characters', 'a\u0000b\u202ec', 'a\\x00b\\u202ec'],
  ])('%s', (_, text, shown) => {
    expect(formatProse(text).text).toBe(shown);
  });

  it('is read back as it was written, if a person leaves it alone', () => {
    const text = 'cc @mia\n\n## In Scope\n\n- `src/a.ts`';
    expect(readProse(formatProse(text).text.replaceAll('\n', '\r\n'))).toBe(text);
  });

  it('is cut between characters where a forge refuses more', () => {
    const { text, isCut } = formatProse(`${'x'.repeat(59_999)}\ud83d\ude00\ud83d\ude00`);
    expect([text.length, isCut]).toEqual([59_999, true]);
  });

  it.each([
    ['```', '````text\n```\n````'],
    ['closes #3', '```text\ncloses #3\n```'],
    ['a ````` b', '``````text\na ````` b\n``````'],
  ])('of an agent is a block of code that it can’t close: %j', (text, block) => {
    expect(fenceText(text)).toBe(block);
  });

  it.each([
    ['a\nb', 'a b'],
    ['', 'Work item 1'],
    ['y'.repeat(300), `${'y'.repeat(200)}…`],
  ])('has a title on one line: %j', (title, line) => {
    expect(formatTitle(title, 'Work item 1')).toBe(line);
  });

  it('has labels that a forge accepts', () => {
    expect([formatLabel('area:web'), formatLabel(' \n '), formatLabel('z'.repeat(60))]).toEqual([
      'area:web',
      null,
      'z'.repeat(50),
    ]);
  });
});

describe('the issue of an item', () => {
  it('has its text, a hidden marker and a footer, and is read back', () => {
    const plan = planIssue(itemWith({ blockedBy: ['1', '2', '9'] }), context);
    expect(plan).toMatchObject({
      title: 'Compute areas',
      state: 'open',
      labels: ['task:implement', 'status:ready'],
    });
    expect(plan.body).toBe(
      [
        'Do it.',
        '',
        '<!-- conductor:item 0b5a/3 -->',
        '<!-- conductor:blocked-by 11,12 -->',
        '<sub>Work item 3 of conductor; blocked by #11, #12.</sub>',
      ].join('\n'),
    );
    expect(readIssue(plan.body)).toEqual({ text: 'Do it.', itemKey: '0b5a/3', blockers: [11, 12] });
  });

  it.each([
    ['added before', (body: string) => `New.\n\n${body}`, 'New.\n\nDo it.'],
    ['added after', (body: string) => `${body}\n\nNew.`, 'Do it.\n\n\nNew.'],
    ['without its markers', () => 'Only this.', 'Only this.'],
  ])('keeps what a person wrote: %s', (_, edit, text) => {
    expect(readIssue(edit(planIssue(itemWith(), context).body)).text).toBe(text);
  });

  it('is closed with its item, and says where all of a long body is', () => {
    const plan = planIssue(itemWith({ status: 'closed', body: 'x'.repeat(70_000) }), context);
    expect([plan.state, plan.isCut, plan.body.length < 65_536]).toEqual(['closed', true, true]);
    expect(plan.body).toContain('`conductor work show 3` shows all of it');
  });

  it.each([
    ['1,2,1', [1, 2]],
    ['1,x,-4,99999999999', [1]],
  ])('names its blockers by issue: %s', (list, blockers) => {
    expect(readIssue(`a\n<!-- conductor:blocked-by ${list} -->`).blockers).toEqual(blockers);
  });
});

const revision: Revision = {
  id: 'r3',
  title: 'Compute areas',
  url: null,
  headSHA: 'abc',
  headRef: 'refs/heads/conductor/item/3',
  author: 'implementor',
  body: 'Fixes #1',
  isDraft: false,
  workItemID: '3',
  pipeline: { status: 'pending', url: null, reason: null },
  reviewID: null,
};

describe('the pull request of a revision', () => {
  it('closes the issue of its item and no other, and names what it is built on', () => {
    const stacked = {
      ...revision,
      stackedOn: [
        { itemID: '1', headSHA: 'x' },
        { itemID: '9', headSHA: 'y' },
      ],
    };
    const { title, body } = planPull(stacked, context);
    expect(title).toBe('Compute areas');
    expect(body.split('\n\n').slice(0, 2)).toEqual([
      'Closes #13',
      'Built on the unmerged work for #11, work item 9: merge that first.',
    ]);
    expect(body).toContain('```text\nFixes #1\n```');
    expect(body).toContain('<!-- conductor:revision 0b5a/3 -->');
  });

  it('shows a review of an agent as text', () => {
    const comments = [
      { path: 'a.ts', line: 3, body: 'why?' },
      { path: 'b.ts', line: null, body: '[Warning] big' },
    ];
    const review = { verdict: 'needs-changes' as const, summary: 'Not yet.', comments };
    const text = formatReview({ id: 'v', revisionID: 'r3', headSHA: 'abc', review }, OWNER);
    expect(text).toBe(
      "conductor's reviewer asks for changes to commit abc:\n\n```text\nNot yet.\n\na.ts:3\nwhy?\n\nb.ts\n[Warning] big\n```\n\n<!-- conductor:review 0b5a/r3 -->",
    );
  });

  it.each([
    ['success', 0, { status: 'success', url: 'u', reason: null }],
    ['failure', 0, { status: 'failure', url: 'u', reason: 'failed on the forge: ci' }],
    ['pending', NO_CHECKS_MS * 9, null],
    ['none', NO_CHECKS_MS - 1, null],
    ['none', NO_CHECKS_MS, { status: 'failure', reason: expect.stringContaining('no check has reported') }],
  ] as const)('has checks: %s after %i ms', (state, ageMs, pipeline) => {
    const found = readPipeline({ state, names: ['ci'], url: 'u' }, ageMs);
    if (pipeline === null) expect(found).toBeNull();
    else expect(found).toMatchObject(pipeline);
  });
});
