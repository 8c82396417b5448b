import { expect, it } from 'vitest';
import { relativeToCheckout, valueRelativeToCheckout } from '../../../src/reports/checkout-paths.ts';

const JUDGE = '/state/a run/judge';

it.each([
  [
    'a frame of a stack',
    `at Object.<anonymous> (${JUDGE}/test/a.js:3:1)`,
    'at Object.<anonymous> (test/a.js:3:1)',
  ],
  ['an address', 'at file:///state/a%20run/judge/test/a.mjs:3:1', 'at test/a.mjs:3:1'],
  ['the folder itself', `cwd: ${JUDGE}`, 'cwd: .'],
  ['several', `${JUDGE}/a ${JUDGE}/b`, 'a b'],
  ['a folder that only begins alike', `${JUDGE}-2/a`, `${JUDGE}-2/a`],
  ['other text', 'nothing of it', 'nothing of it'],
])('paths of a checkout become relative: %s', (_name, text, expected) => {
  expect(relativeToCheckout(text, [JUDGE])).toBe(expected);
});

it('everywhere in a value', () => {
  const value = { cases: [{ observations: [`${JUDGE}/a.js:1`], count: 1 }], none: null };
  expect(valueRelativeToCheckout(value, [JUDGE])).toEqual({
    cases: [{ observations: ['a.js:1'], count: 1 }],
    none: null,
  });
});
