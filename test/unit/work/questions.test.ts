import { describe, expect, it } from 'vitest';
import type { WorkEvent } from '../../../src/contracts/work/work-event.ts';
import { notifyOfQuestion } from '../../../src/notify/question-notification.ts';
import { findOpenQuestions } from '../../../src/work/items/questions.ts';
import { accepted, created, ended, inReview, limits, made, moved, stateOf } from './fixtures.ts';

const questionsOf = (events: readonly WorkEvent[]) =>
  findOpenQuestions({ state: stateOf(events), limits: limits() });

const failedReviews = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => [
    accepted(`v${from + at}`, 'reviewer', '1'),
    ended(`v${from + at}`, false, 'no JSON'),
  ]).flat();
const BLOCKED = [created({ id: '1', status: 'in-progress' }), moved('1', 'in-progress', 'blocked')];
const failedStart: WorkEvent = {
  type: 'command_failed',
  key: 'k',
  by: 'engine',
  kind: 'request_implementor_run',
  item_id: '1',
  reason: 'no such agent',
};

describe('a question to the user', () => {
  it.each<[string, readonly WorkEvent[], string[]]>([
    ['is asked when the engine blocks an item', BLOCKED, ['1 blocked 2']],
    [
      'is not asked when the user blocks it',
      [created({ id: '1', status: 'in-progress' }), moved('1', 'in-progress', 'blocked', 'ann')],
      [],
    ],
    ['is over when the user moves the item', [...BLOCKED, moved('1', 'blocked', 'pending', 'ann')], []],
    ['is not asked after two failed reviews', [...inReview('1', 'success'), ...failedReviews(2)], []],
    ['is asked after three', [...inReview('1', 'success'), ...failedReviews(3)], ['1 failed_reviews 9']],
    [
      'is asked again when the review that the user wanted fails too',
      [...inReview('1', 'success'), ...failedReviews(4)],
      ['1 failed_reviews 11'],
    ],
    [
      'is not asked about approved work',
      [created({ id: '1', status: 'review' }), made('1'), moved('1', 'review', 'approved')],
      [],
    ],
    [
      'is asked when three runs could not start',
      [created({ id: '1', status: 'ready' }), failedStart, failedStart, failedStart],
      ['1 failed_starts 4'],
    ],
    [
      'is a refinement that is ready',
      [created({ id: '1', type: 'refinement' }), moved('1', 'pending', 'ready')],
      ['1 question 1'],
    ],
  ])('%s', (_, events, expected) => {
    expect(questionsOf(events).map(({ itemId, waiting, seq }) => `${itemId} ${waiting.code} ${seq}`)).toEqual(
      expected,
    );
  });

  it('knows the targets that have its notification, but not those of an earlier question', () => {
    const sent = (seq: number): WorkEvent => ({
      type: 'notification_sent',
      item_id: '1',
      target: 'desktop',
      for_seq: seq,
      ok: true,
      message: null,
    });
    expect(questionsOf([...BLOCKED, sent(2)])[0]?.notified).toEqual(['desktop']);
    const again = [moved('1', 'blocked', 'pending', 'ann'), moved('1', 'pending', 'ready')];
    const later = [...again, moved('1', 'ready', 'in-progress'), moved('1', 'in-progress', 'blocked')];
    expect(questionsOf([...BLOCKED, sent(2), ...later, sent(2)])[0]?.notified).toEqual([]);
  });

  it('becomes a notification with an id of its own, and the command once', () => {
    const [question] = questionsOf([
      created({ id: '1', status: 'in-progress', title: 'Sums\u001b[31m' }),
      moved('1', 'in-progress', 'blocked', 'engine', 'spec-gap: which unit?\nmore'),
    ]);
    if (question === undefined) throw new Error('nothing is asked');
    expect(notifyOfQuestion(question, 'shop')).toMatchObject({
      id: 'work:2026-01-01T00:00:00.000Z:2',
      kind: 'question',
      headline: 'work item 1 needs you',
      title: expect.not.stringContaining('\u001b'),
      asked: 'spec-gap: which unit?',
      commands: ['conductor work show 1', 'conductor work transition 1 pending --reason "…"'],
    });
  });
});
