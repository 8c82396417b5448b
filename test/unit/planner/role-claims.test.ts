import { describe, expect, it } from 'vitest';
import { findRoleBlockers, readRoleResult } from '../../../src/planner/claims/role-claims.ts';

const WORDS = { role: 'implementor', outcome: 'completed', summary: 'Done.' };

describe('what a role returns', () => {
  it.each([
    ['in the result file', { result: WORDS }, ''],
    ['at the end of the last word', null, `Done.\n\n${JSON.stringify(WORDS, null, 2)}\n`],
    ['under `result` there', null, `{"result":${JSON.stringify(WORDS)}}`],
    ['in the last word, where the file is about something else', { claims: [] }, JSON.stringify(WORDS)],
  ])('is found %s', (_, result, final) => {
    expect(readRoleResult(result, final)).toEqual(WORDS);
  });

  it.each([
    ['prose', 'I am done as implementor.'],
    ['an object without a role', '{"claims":["fixed"]}'],
    ['a role that is no text', '{"role":1}'],
    ['an object that is not the last thing said', `${JSON.stringify(WORDS)}\nThat is all.`],
  ])('is not there in %s', (_, final) => {
    expect(readRoleResult(null, final)).toBeNull();
  });

  it('is found where it is long', () => {
    const long = { role: 'planner', create: [{ body: 'x'.repeat(300_000) }] };
    expect(readRoleResult(null, `Done.\n${JSON.stringify(long)}`)).toEqual(long);
  });
});

describe('the blockers of an implementor', () => {
  it.each([
    [
      'by its type',
      'Type: spec-gap\nDescription: no unit',
      [{ code: 'spec-gap', summary: 'Type: spec-gap Description: no unit' }],
    ],
    [
      'by its type in bold',
      '**Type:** external-dependency',
      [{ code: 'external-dependency', summary: '**Type:** external-dependency' }],
    ],
    ['by its outcome', 'It is dark.', [{ code: 'blocked', summary: 'It is dark.' }]],
  ])('are found %s', (_, summary, expected) => {
    expect(findRoleBlockers({ role: 'implementor', outcome: 'blocked', summary })).toEqual(expected);
  });

  it.each([
    ['it is done', WORDS],
    ['another role speaks', { role: 'reviewer', outcome: 'blocked', summary: 'x' }],
    ['nobody speaks', null],
  ])('are none where %s', (_, message) => {
    expect(findRoleBlockers(message)).toEqual([]);
  });
});
