import { describe, expect, it } from 'vitest';
import { answererText, isInteractive } from '../../../src/contracts/run/answer-origin.ts';
import { answerNotes } from '../../../src/runtime/gates/answer-text.ts';
import { refuseAnswer } from '../../../src/runtime/gates/refuse-answer.ts';

const origin = (place: { terminal?: string; session?: string }) => ({
  user: 'alice',
  terminal: place.terminal ?? null,
  session: place.session ?? null,
  process: { pid: 7, host: 'here', parent: 'bash' },
});

describe('refuseAnswer', () => {
  it.each([
    ['a script, where any answer is accepted', {}, null, 'any', null],
    ['a script, where only people are', {}, null, 'interactive', 'only from a terminal'],
    ['a terminal', { terminal: '/dev/pts/1' }, null, 'interactive', null],
    ['a page', { session: 's1' }, null, 'interactive', null],
    [
      'a process of a run',
      { terminal: '/dev/pts/1' },
      'r1/implement@1',
      'any',
      'process of run r1 is refused',
    ],
    ['a git command of a run', {}, 'git/r1/99', 'any', 'process of run r1 is refused'],
  ] as const)('%s', (_, place, runMark, accepted, expected) => {
    const refusal = refuseAnswer({ origin: origin(place), runMark }, accepted);
    if (expected === null) expect(refusal).toBeNull();
    else expect(refusal?.message).toContain(expected);
  });
});

describe('a refused answer', () => {
  it.each([
    [origin({}), 'Ann (user alice, no terminal)', false],
    [origin({ terminal: '/dev/pts/1' }), 'Ann (user alice, terminal /dev/pts/1)', true],
    [origin({ session: 's1' }), 'Ann (user alice, page session s1)', true],
  ])('%j', (from, text, interactive) => {
    expect(answererText('Ann', from)).toBe(text);
    expect(isInteractive(from)).toBe(interactive);
  });

  it('of an earlier version has only its label, and no note', () => {
    const view = {
      stepId: 'g',
      answer: 'gate_approved',
      attempt: 1,
      by: 'Ann',
      comment: null,
      answered_at: '',
    } as const;
    expect(answererText('Ann', undefined)).toBe('Ann');
    expect(answerNotes([view])).toEqual([]);
    expect(answerNotes([{ ...view, from: origin({}) }])).toHaveLength(1);
  });
});
