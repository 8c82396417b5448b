import { describe, expect, it } from 'vitest';
import { formatClaim, parseClaim } from '../../../src/planner/claims/claim.ts';
import { readClaims } from '../../../src/planner/claims/extract-claims.ts';
import { FINAL_MESSAGES } from './final-messages.ts';

const claimsIn = (text: string) => readClaims(null, text).claims.map(formatClaim);

describe('claims in the final message of an agent', () => {
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
    ['Feature implemented and tests pass', ['implemented', 'tests_pass']],
    ['Everything is implemented.', ['implemented']],
    ['All changes implemented as requested.', ['implemented']],
    ['Implementation complete.', ['implemented']],
    ['I went ahead and implemented the parser.', ['implemented']],
    ['I first created `src/a.ts`, then implemented the parser.', ['created src/a.ts', 'implemented']],
    ['In `src/a.ts`, I fixed the null check.', ['fixed']],
    ['Fixed the bug where users could not log in.', ['fixed']],
    ['The bug has been fixed by adding a check.', ['fixed']],
    ['The off-by-one error in pagination is fixed.', ['fixed']],
    ['Implemented: yes', ['implemented']],
    ['Implemented the retry: requests that fail are tried again.', ['implemented']],
    ['The entire test suite is passing.', ['tests_pass']],
    ['All existing tests still pass.', ['tests_pass']],
    ['All tests pass and no lint errors remain.', ['tests_pass']],
    ['All tests pass, 3 skipped.', ['tests_pass']],
    ['All of the tests pass.', ['tests_pass']],
    ['Every test passes.', ['tests_pass']],
    ["I've confirmed that all tests pass.", ['tests_pass']],
    ['I ran the tests and they all pass.', ['tests_pass']],
    ['Fixed all three failing tests; all tests pass now.', ['fixed', 'tests_pass']],
    ['I added a test that fails without it. All tests pass.', ['implemented', 'tests_pass']],
    ['Created src/a.ts and src/b.ts (parser)', ['created src/a.ts', 'created src/b.ts']],
    ['I created a file named notes.txt with the results.', ['created notes.txt']],
    ['New file created: src/a.ts', ['created src/a.ts']],
    ['Created `src/a.ts:10-20`', ['created src/a.ts']],
    ['I created `Dockerfile` and `.dockerignore`.', ['created Dockerfile', 'created .dockerignore']],
    ['Build, tests, and lint all pass.', ['tests_pass']],
    ['The provider tests pass.', ['tests_pass']],
    ['323 test suites and 6,132 tests passed.', ['tests_pass']],
    ['Tests: all passing', ['tests_pass']],
    ['`pytest -q` → 46 passed in 2.1s', ['tests_pass']],
    ['73/73 tests pass.', ['tests_pass']],
    ['| Check | Result |\n| --- | --- |\n| Tests | 46 passed |', ['tests_pass']],
    ['## Testing\n- ✅ `npm test`', ['tests_pass']],
    ['## Next steps\n\n- Deploy\n\nAll tests pass.', ['tests_pass']],
    ['**Created:**\n- `src/a.ts`\n- `src/b.ts` (parser)', ['created src/a.ts', 'created src/b.ts']],
    ['New files:\n1. src/a.ts - the parser', ['created src/a.ts']],
    [
      '1. Created two new files:\n   - `src/a.ts`\n2. Updated `src/b.ts`',
      ['created src/a.ts', 'implemented'],
    ],
    ['Files created\n\n| File | Purpose |\n| --- | --- |\n| `a.ts` | x |', ['created a.ts']],
    ['## Files created\n\n| File | Purpose |\n| --- | --- |\n| `a.ts` | x |', ['created a.ts']],
    ['Written to `docs/report.md`.', ['created docs/report.md']],
    ['The findings are in the document at `docs/report.md`.', ['created docs/report.md']],
    ['`src/a.ts` (new) holds the parser.', ['created src/a.ts']],
    ['Done. Added a flag.', ['implemented']],
    ['Refactored the scheduler\ninto three modules.', ['implemented']],
    ['This PR replaces the polling loop.', ['implemented']],
    ['## Changes\n- `src/a.ts`: validates its input', ['implemented']],
    ['README updated.', ['implemented']],
    ['Done! The list now keeps its order.', ['implemented']],
    ['After reading the code, I replaced the loop.', ['implemented']],
    ['Created `Parser` class in `src/parser.ts`', ['implemented']],
    ['I created the `foo.bar` function.', ['implemented']],
    ['Created Node.js script', ['implemented']],
    ['Created v2.0 of the API', ['implemented']],
    ['Created e.g. a parser.', ['implemented']],
    ['Created `src/components/` with three files', ['implemented']],
    ['## Next steps\n\nNone.\n\n## Done\n\n- Fixed the parser', ['fixed']],
    ['You could test it like this:\n- by hand\n\nFixed the parser.', ['fixed']],
  ])('%j claims %j', (text, claims) => {
    expect(claimsIn(text)).toEqual(claims);
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
    'Implemented nothing.',
    'Implemented: no',
    'Implemented part of it.',
    'I implemented the first half; printing is missing.',
    'Implemented in an earlier commit.',
    'This has been implemented by the backend team.',
    'What has been implemented: see below',
    'Foo has been implemented as a class since 2019.',
    'The previous attempt implemented the parser.',
    'You have implemented the parser.',
    'I implemented and then reverted the change.',
    'I fixed it, then rolled my change back.',
    'Fixed upstream.',
    'The bug has been fixed in lodash 4.17.21.',
    'It has been fixed on the main branch.',
    'The bug is fixed. No changes were needed.',
    'The reviewer says the bug is fixed.',
    'I think I fixed it.',
    'The width is fixed.',
    'Fixed costs are high.',
    'None of these fixed the issue.',
    '3 of 5 tests pass.',
    'The new tests pass.',
    'The tests in `a.test.ts` pass.',
    'All tests pass but one.',
    'All tests pass: false',
    'All tests pass once the database runs.',
    'All tests pass with the exception of `e2e`.',
    'The tests passed on main.',
    'The tests pass, but lint fails.',
    'All tests pass.\n\nHowever, the type check does not pass.',
    'All tests pass. Two of them are red.',
    'According to CI, all tests pass.',
    'Acceptance criteria: all tests pass',
    '## Plan\n\nAll tests pass.',
    'Expected output:\n- all tests pass',
    'I created `feature/login` branch',
    'Created `/tmp/scratch.txt` for notes.',
    'Created `../sibling.md`.',
    'Created ~/notes.md',
    'Created `user@example.com`.',
    'Created https://example.com/a.html',
    'Created notes.txt in a temporary folder.',
    'Created notes.txt, then deleted it again.',
    'I planned three files: `a.js` and `b.js`',
    '| File | Purpose |\n| --- | --- |\n| `a.ts` | x |',
    'Fixed columns take 65 characters.',
    'These tests pass full file path to the loader.',
    'Added lines are green, removed ones are red.',
    'The author added a mutex, renamed a helper and removed the flag.',
    'The handler was moved to the worker by the infra team.',
    'Run `npm test`; once the database is up, all tests should pass.',
    '71/73 tests pass.',
    '44 passed, 2 failed',
    'If the flag is removed, all tests pass.',
    'I propose these changes:\n\n## Changes\n- `src/a.ts`: validate its input',
    '# Change plan\n\n## Changes\n- `src/a.ts`: validate its input',
    '- [ ] All tests pass',
    'You asked me to "add a flag and make sure all tests pass".',
    'Logs are written to `out/app.log` on every start.',
    'I looked at `src/a.ts`. Should I update it?',
    'Ich habe den Fehler behoben. Alle Tests laufen durch.',
    "J'ai ajouté un test. Tous les tests passent.",
    'He actualizado el módulo. Todas las pruebas pasan.',
    `Fixed the parser ${'and the lexer '.repeat(200)}`,
  ])('%j claims nothing', (text) => {
    expect(claimsIn(text)).toEqual([]);
  });
});

describe('claims that are listed', () => {
  it('are taken instead of the final message, and only where they have a known form', () => {
    const claims = readClaims(['tests_pass', 'created src/x.ts', 'created', 'great work'], 'implemented');
    expect(claims).toEqual({
      claims: [{ kind: 'tests_pass' }, { kind: 'created', path: 'src/x.ts' }],
      source: 'result_file',
    });
  });

  it('are taken even when there are none', () => {
    expect(readClaims([], 'implemented')).toEqual({ claims: [], source: 'result_file' });
  });

  it('are taken from the end of the final message', () => {
    expect(readClaims(null, 'All tests pass.\n{"claims": ["fixed"]}')).toEqual({
      claims: [{ kind: 'fixed' }],
      source: 'tail',
    });
  });

  it('are read from the tail if an agent returns it as its result', () => {
    expect(readClaims(['fixed'], 'All tests pass.\n{"claims": ["fixed"]}').source).toBe('tail');
    expect(readClaims(['fixed'], 'All tests pass.\n{"claims": ["implemented"]}').source).toBe('result_file');
  });

  it('are searched for in the message if the tail has none', () => {
    expect(readClaims(null, 'All tests pass.\n{"blockers": []}')).toEqual({
      claims: [{ kind: 'tests_pass' }],
      source: 'phrase',
    });
  });
});

describe('claims about files in the checkout', () => {
  it.each<[string, string[] | null, string]>([
    ['a list', ['created /w/run/src/a.ts'], 'Done.'],
    ['a tail', null, 'Done.\n{"claims": ["created /w/run/src/a.ts"]}'],
    ['prose', null, 'Created `/w/run/src/a.ts`.'],
  ])('are read from its root in %s', (_where, listed, text) => {
    expect(readClaims(listed, text, { root: '/w/run', changed: [] }).claims.map(formatClaim)).toEqual([
      'created src/a.ts',
    ]);
  });

  it.each<[string, string, string]>([
    ['by its name', 'Created `a.ts`.', 'created src/deep/a.ts'],
    ['by the end of its path', 'Created `deep/a.ts`.', 'created src/deep/a.ts'],
    ['by its path', 'Created `src/deep/a.ts`.', 'created src/deep/a.ts'],
    ['by a name that only looks like its end', 'Created `ep/a.ts`.', 'created ep/a.ts'],
    ['with a name that nothing has', 'Created `b.ts`.', 'created b.ts'],
  ])('name a changed file %s in prose', (_how, text, claim) => {
    const workspace = { root: null, changed: ['README.md', 'src/deep/a.ts'] };
    expect(readClaims(null, text, workspace).claims.map(formatClaim)).toEqual([claim]);
  });

  it('are compared as they are when they are listed', () => {
    const workspace = { root: null, changed: ['src/a.ts'] };
    expect(readClaims(['created a.ts'], '', workspace).claims.map(formatClaim)).toEqual(['created a.ts']);
  });

  it('stay as they are listed outside it', () => {
    expect(
      readClaims(['created /w/running.ts'], '', { root: '/w/run', changed: [] }).claims.map(formatClaim),
    ).toEqual(['created /w/running.ts']);
  });
});

describe('the final messages of agents', () => {
  it.each(FINAL_MESSAGES)('$agent: $text', ({ text, claims }) => {
    expect(claimsIn(text).sort()).toEqual([...claims].sort());
  });
});

describe('statements in a final message', () => {
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
    ['after an and that shares its subject', 'Looked around and fixed it', ['fixed']],
    ['after an and in the report of another subject', 'Removed ones stay, marked as deprecated', []],
    ['in a quotation', '> Fixed the parser', []],
    ['a letter is no list mark', 'a. Fixed the parser', ['fixed']],
  ])('%s: %j', (_name, text, claims) => {
    expect(claimsIn(text)).toEqual(claims);
  });

  it.each<[string, string[]]>([
    [' implemented ', ['implemented']],
    ['created   a.ts', ['created a.ts']],
    ['created a.ts\nand more', []],
    ['has created a.ts', []],
    ['created', []],
    ['finished', []],
  ])('a listed claim %j is read as %j', (text, claims) => {
    expect(readClaims([text], 'Fixed it.')).toEqual({
      claims: claims.map(parseClaim),
      source: 'result_file',
    });
  });
});
