import { describe, expect, it } from 'vitest';
import { parseHarnessReport } from '../../../src/adapters/validators/artifact-capture.ts';

const whole = { suite_id: 's', cases: [], summary: {} };

describe('the structure of a harness report', () => {
  it.each([
    ['not JSON', '{', 'is not JSON'],
    ['empty', '', 'is not JSON'],
    ['a list', '[]', 'is not a JSON object'],
    ['null', 'null', 'is not a JSON object'],
    ['without suite_id', JSON.stringify({ cases: [], summary: {} }), 'has no `suite_id`'],
    ['without cases', JSON.stringify({ suite_id: 's', summary: {} }), 'has no `cases`'],
    ['without summary', JSON.stringify({ suite_id: 's', cases: [] }), 'has no `summary`'],
    ['with cases as an object', JSON.stringify({ ...whole, cases: {} }), 'has `cases` that is not a list'],
    [
      'with summary as a list',
      JSON.stringify({ ...whole, summary: [] }),
      'has `summary` that is not an object',
    ],
  ])('%s is refused', (_, text, why) => {
    expect(parseHarnessReport(text)).toEqual({ ok: false, why });
  });

  it.each([
    ['brackets in a text', { note: '['.repeat(100) }],
    ['quotes and backslashes in a text', { note: `\\"${'[,'.repeat(300_000)}\\` }],
    ['sixty-three levels', { note: JSON.parse(`${'['.repeat(63)}${']'.repeat(63)}`) as unknown }],
  ])('with %s is within its bounds', (_, fields) => {
    const value = { ...whole, ...fields };
    expect(parseHarnessReport(JSON.stringify(value))).toEqual({ ok: true, value, proposals: 0 });
  });

  it.each([
    [undefined, 0],
    [null, 0],
    [[], 0],
    [{}, 0],
    [['a.png', { id: 'b' }], 2],
    [{ a: 'x' }, 1],
    ['a.png', 1],
    [true, 1],
  ])('with proposed_goldens %j has %i proposals', (proposed_goldens, proposals) => {
    const value = JSON.parse(JSON.stringify({ ...whole, proposed_goldens }));
    expect(parseHarnessReport(JSON.stringify(value))).toEqual({ ok: true, value, proposals });
  });
});
