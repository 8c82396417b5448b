import { describe, expect, it } from 'vitest';
import { prepareAnswer } from '../../../src/app/page/gate-answer.ts';
import { feedbackText } from '../../../src/contracts/run/typed-feedback.ts';

const golden = (id: string, acceptable = true) => ({
  id,
  proposal: { id: null, golden_path: `${id}.png`, acceptable },
});
const asked = { comment: null, shown: '', lines: [] };

describe('decisions about goldens', () => {
  it('approve the gate only with a yes to each', () => {
    const shown = [golden('a'), golden('b'), golden('odd', false)];
    const decide = (
      decisions: Record<string, 'accept' | 'refuse'>,
      answer: 'approve' | 'reject' = 'approve',
    ) =>
      prepareAnswer(
        {
          ...asked,
          answer,
          goldens: Object.entries(decisions).map(([id, decision]) => ({ id, decision })),
        },
        shown,
      );
    expect(decide({ a: 'accept', b: 'accept' })).toMatchObject({
      ok: true,
      answer: 'gate_approved',
      typed: {},
    });
    expect(decide({ a: 'accept' })).toMatchObject({ ok: false, help: 'accept or refuse: b' });
    expect(decide({ a: 'accept', other: 'accept' })).toMatchObject({ ok: false });
    expect(decide({ a: 'accept', b: 'refuse' })).toMatchObject({
      ok: true,
      answer: 'gate_rejected',
      typed: { refused_goldens: [{ id: null, golden_path: 'b.png' }] },
    });
    expect(decide({}, 'reject')).toMatchObject({ ok: true, answer: 'gate_rejected', typed: {} });
  });
});

describe('feedback as text', () => {
  it('has the comment, then the lines, then the refused goldens', () => {
    const lines = [
      { path: 'a.ts', line: 3, side: 'old', text: 'keep\nthis' },
      { path: 'b.ts', line: 1, side: 'new', text: 'why?' },
    ] as const;
    const refused_goldens = [{ id: 'x', golden_path: null }];
    expect(feedbackText({ comment: 'Almost.', lines: [...lines], refused_goldens })).toBe(
      [
        'Almost.',
        '',
        'Comments on lines of the change:',
        '',
        '- a.ts, line 3 of the old version: keep',
        '  this',
        '- b.ts, line 1: why?',
        '',
        'Refused goldens, which must stay as they are:',
        '',
        '- x',
      ].join('\n'),
    );
    expect(feedbackText({ comment: null })).toBeNull();
  });
});
