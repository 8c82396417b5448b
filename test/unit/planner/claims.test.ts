import { describe, expect, it } from 'vitest';
import { claimsFrom, formatClaim, parseClaim } from '../../../src/planner/claims.ts';
import { FINAL_MESSAGES } from './final-messages.ts';

const told = (text: string) => claimsFrom(null, text).claims.map(formatClaim);

describe('claims in the last word of an agent', () => {
  it.each([
    ['implemented', ['implemented']],
    ['Implemented the --json flag.', ['implemented']],
    ["I've implemented the parser and fixed the lexer.", ['implemented', 'fixed']],
    ['The retry logic has been implemented.', ['implemented']],
    ['Fixed the off-by-one in src/a.ts.', ['fixed']],
    ['The bug is now fixed.', ['fixed']],
    ['All tests pass.', ['tests_pass']],
    ['I ran npm test and all 12 tests pass', ['tests_pass']],
    ['Done: implemented everything, all tests pass', ['implemented', 'tests_pass']],
    ['Created src/x.ts.', ['created src/x.ts']],
    ['I created a new file `src/deep/x.test.ts` with tests.', ['created src/deep/x.test.ts']],
    ['Created README.md and fixed the links', ['created README.md', 'fixed']],
    ['- Implemented the flag\n- Fixed the help text', ['implemented', 'fixed']],
    ['Implemented the flag but could not run the tests.', ['implemented']],
    ['Fixed it. Fixed it again.', ['fixed']],
  ])('%j claims %j', (text, claims) => {
    expect(told(text)).toEqual(claims);
  });

  it.each([
    '',
    'I will implement the parser.',
    'I will have it implemented tomorrow.',
    'Not yet fixed.',
    'The tests do not pass.',
    'Could not fix the build.',
    "I haven't implemented this.",
    'Nothing was implemented.',
    'Should I say it is fixed?',
    'Is it fixed? All tests pass?',
    'All tests should pass.',
    'All tests pass except one.',
    'Some tests pass.',
    'Make sure all tests pass.',
    'I looked at how the parser is implemented.',
    'The interface implemented by Foo is fine.',
    'This was already implemented.',
    'Fixed-width columns are used.',
    'I plan to have created src/x.ts.',
    'Next: created src/x.ts',
    '```\nall tests pass\n```',
    '> implemented',
    'I tried, and implemented is not the word.',
  ])('%j claims nothing', (text) => {
    expect(told(text)).toEqual([]);
  });
});

describe('claims that are listed', () => {
  it('are taken instead of the last word, and only where they have a known form', () => {
    const claims = claimsFrom(['tests_pass', 'created src/x.ts', 'created', 'great work'], 'implemented');
    expect(claims).toEqual({
      claims: [{ kind: 'tests_pass' }, { kind: 'created', path: 'src/x.ts' }],
      source: 'result_file',
    });
  });

  it('are taken even when there are none', () => {
    expect(claimsFrom([], 'implemented')).toEqual({ claims: [], source: 'result_file' });
  });

  it('are taken from the tail of the last word', () => {
    expect(claimsFrom(null, 'All tests pass.\n{"claims": ["fixed"]}')).toEqual({
      claims: [{ kind: 'fixed' }],
      source: 'tail',
    });
  });

  it('are searched for in the words when the tail has none', () => {
    expect(claimsFrom(null, 'All tests pass.\n{"blockers": []}')).toEqual({
      claims: [{ kind: 'tests_pass' }],
      source: 'phrase',
    });
  });
});

describe('the last words of agents', () => {
  it.each(FINAL_MESSAGES)('$agent: $text', ({ text, claims }) => {
    expect(told(text).sort()).toEqual([...claims].sort());
  });
});

describe('statements in a last word', () => {
  it.each<[string, string, string[]]>([
    ['after a list mark of several digits', '12. Fixed the parser', ['fixed']],
    ['after a number in brackets and two spaces', '  2)  Fixed the parser', ['fixed']],
    ['after a tick', '✅ All tests pass', ['tests_pass']],
    ['after a fence that was never closed', 'Fixed it.\n```\nAll tests pass.', ['fixed']],
    ['around a fence', 'Fixed it.```\nAll tests pass.\n```Created a.ts', ['fixed', 'created a.ts']],
    ['with an apostrophe of a word processor', 'I’ve fixed it. It isn’t so that tests pass.', ['fixed']],
    ['with spaces between sentences', 'Fixed it.   All tests pass.', ['fixed', 'tests_pass']],
    ['before a but with spaces', 'Fixed it  however I will test it later', ['fixed']],
    ['behind a dash', 'Done -- fixed the parser', ['fixed']],
    ['behind a colon and spaces', 'Summary:  fixed the parser', ['fixed']],
    ['joined by an and with spaces', 'Fixed the parser  and  created a.ts', ['fixed', 'created a.ts']],
    ['with several marks at the end', 'The bug is fixed!!', ['fixed']],
    ['a hyphen inside a word parts nothing', 'half-fixed', []],
    ['after an and that joins nothing claimed', 'Looked around and fixed it', []],
    ['in a quotation', '> Fixed the parser', []],
    ['a letter is no list mark', 'a. Fixed the parser', ['fixed']],
  ])('%s: %j', (_name, text, claims) => {
    expect(told(text)).toEqual(claims);
  });

  it.each<[string, string[]]>([
    [' implemented ', ['implemented']],
    ['created   a.ts', ['created a.ts']],
    ['created a.ts\nand more', []],
    ['has created a.ts', []],
    ['created', []],
    ['finished', []],
  ])('a listed claim %j is read as %j', (text, claims) => {
    expect(claimsFrom([text], 'Fixed it.')).toEqual({
      claims: claims.map(parseClaim),
      source: 'result_file',
    });
  });
});
