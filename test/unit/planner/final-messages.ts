/** Last words in the manner of the agents, as they end a turn, with the claims that can be held against them. */
export interface FinalMessage {
  readonly agent: 'claude-code' | 'codex' | 'gemini' | 'opencode' | 'qwen' | 'copilot' | 'pi';
  readonly text: string;
  readonly claims: readonly string[];
}

export const FINAL_MESSAGES: readonly FinalMessage[] = [
  {
    agent: 'claude-code',
    text: "I've implemented the retry logic in `src/http/client.ts`. Requests that fail with a 5xx are now tried up to three times with exponential backoff.\n\nAll tests pass.",
    claims: ['implemented', 'tests_pass'],
  },
  {
    agent: 'claude-code',
    text: '## Summary\n\nI fixed the off-by-one error in the paginator:\n\n- `src/paginate.ts`: the last page is included now\n- Added a regression test\n\nThe test suite passes (48 tests).',
    claims: ['fixed', 'implemented', 'tests_pass'],
  },
  {
    agent: 'claude-code',
    text: "I wasn't able to reproduce the failure. The tests pass on this machine, so I made no changes. Could you share the log of the failing job?",
    claims: ['tests_pass'],
  },
  {
    agent: 'claude-code',
    text: 'Perfect! The feature is now fully implemented and working. Here is what I did:\n\n1. Created `src/flags.ts` with the parser\n2. Updated the command line\n3. Created `test/flags.test.ts`',
    claims: ['implemented', 'created src/flags.ts', 'created test/flags.test.ts'],
  },
  {
    agent: 'claude-code',
    text: "I've made a start on the migration, but it is not complete: the tests still fail in `test/db.test.ts` because the schema has no `deleted_at` column yet.",
    claims: [],
  },
  {
    agent: 'claude-code',
    text: 'Would you like me to also update the documentation, or should I leave it at the implementation?',
    claims: [],
  },
  {
    agent: 'claude-code',
    text: "The bug is fixed. The cause was a missing `await` in `saveUser`; I've added it and a test that fails without it.",
    claims: ['fixed', 'implemented'],
  },
  {
    agent: 'claude-code',
    text: 'I need to stop here: `npm test` needs a database that is not running, so I could not verify that the tests pass.',
    claims: [],
  },
  {
    agent: 'claude-code',
    text: 'Done. The implementation is complete:\n\n```ts\nexport function add(a: number, b: number) { return a + b; } // implemented, all tests pass\n```\n\nRun `npm test` to verify.',
    claims: ['implemented'],
  },
  {
    agent: 'claude-code',
    text: 'The login flow has been implemented as described in the issue. I did not run the tests.',
    claims: ['implemented'],
  },
  {
    agent: 'codex',
    text: 'Implemented `--dry-run` for `clean`. It lists what would be removed and exits without touching anything.\n\nTests: `npm test` (passes).',
    claims: ['implemented', 'tests_pass'],
  },
  {
    agent: 'codex',
    text: 'Fixed the race in `src/queue.ts` by taking the lock before the length is read. All 212 tests pass.',
    claims: ['fixed', 'tests_pass'],
  },
  {
    agent: 'codex',
    text: 'No changes were needed: the option is already implemented in `src/cli.ts`.',
    claims: [],
  },
  {
    agent: 'codex',
    text: 'I could not apply the patch because the sandbox denies writes to `.github/`. Nothing was changed.',
    claims: [],
  },
  {
    agent: 'codex',
    text: 'Created `docs/retry.md` and linked it from the README. No code was touched.',
    claims: ['created docs/retry.md', 'implemented'],
  },
  {
    agent: 'codex',
    text: 'Next steps:\n1. Run the migration\n2. Once it is implemented, enable the flag\n3. Make sure all tests pass',
    claims: [],
  },
  {
    agent: 'codex',
    // Whoever says that a check fails does not claim that all is well, and a failed validator is no surprise then.
    text: 'I implemented the endpoint and the tests are green, but the lint step fails with two warnings that were there before.',
    claims: ['implemented'],
  },
  {
    agent: 'codex',
    text: 'Partially implemented: parsing works, printing is still missing.',
    claims: [],
  },
  {
    agent: 'gemini',
    text: 'I have successfully implemented the dark mode toggle. The preference is stored in local storage and read on start.',
    claims: ['implemented'],
  },
  {
    agent: 'gemini',
    text: 'I have finished the task. The tests should pass now, but please run them to be sure.',
    claims: ['implemented'],
  },
  {
    agent: 'gemini',
    text: "OK. I've fixed the failing test in `parser.test.ts`. It now passes.",
    claims: ['fixed'],
  },
  {
    agent: 'gemini',
    text: 'I am unable to complete this request: the file `config/prod.yaml` does not exist. If you create it, I can continue.',
    claims: [],
  },
  {
    agent: 'opencode',
    text: 'Everything is in place:\n- implemented the cache in `lib/cache.js`\n- created `lib/cache.test.js`\n- all tests passing',
    claims: ['implemented', 'created lib/cache.test.js', 'tests_pass'],
  },
  {
    agent: 'opencode',
    text: 'The issue was that the timer was never cleared. I cleared it in `stop()`. Unit tests pass, integration tests were skipped.',
    claims: ['implemented', 'tests_pass'],
  },
  {
    agent: 'opencode',
    text: 'I looked through the repository. There are three ways this could be implemented; which one do you prefer?',
    claims: [],
  },
  {
    agent: 'qwen',
    text: 'The function has been implemented and the tests have been updated accordingly. All unit tests pass.',
    claims: ['implemented', 'tests_pass'],
  },
  {
    agent: 'qwen',
    text: '[API Error: 400 invalid request]',
    claims: [],
  },
  {
    agent: 'qwen',
    text: 'To fix this you would have to change the schema. I have not done so, because it would break existing data.',
    claims: [],
  },
  {
    agent: 'copilot',
    text: 'I fixed the null check in `src/user.ts` and added a unit test.',
    claims: ['fixed', 'implemented'],
  },
  {
    agent: 'copilot',
    text: 'Before the change all tests passed; after it two of them fail. I reverted my edit.',
    claims: [],
  },
  {
    agent: 'copilot',
    text: 'Created a new file `scripts/release.sh` that tags and pushes. It is not executable yet.',
    claims: ['created scripts/release.sh'],
  },
  {
    agent: 'pi',
    text: 'done. fixed the typo.',
    claims: ['fixed'],
  },
  {
    agent: 'pi',
    text: 'I tried three times and gave up: the compiler runs out of memory.',
    claims: [],
  },
  {
    agent: 'pi',
    text: 'No tests exist, so none were run. The change itself is small.',
    claims: [],
  },
  {
    agent: 'pi',
    text: 'The user wrote: "all tests pass". They do not.',
    claims: [],
  },
  {
    agent: 'claude-code',
    text: "I've implemented the change you asked for. The function now returns an error when the file does not exist, instead of crashing.\n\n### Testing\n\nAll 34 tests pass, including the 5 new ones.\n\nLet me know if you'd like any adjustments!",
    claims: ['implemented', 'tests_pass'],
  },
  {
    agent: 'claude-code',
    text: 'All done! ✨\n\n- ✅ Implemented the dark mode\n- ✅ Fixed the flicker on load\n- ❌ Tests are not passing yet (2 failures)',
    claims: ['implemented', 'fixed'],
  },
  {
    agent: 'claude-code',
    text: '**Fixed** a crash when the configuration has no entries, and **all tests pass** with no failures.',
    claims: ['fixed', 'tests_pass'],
  },
  {
    agent: 'claude-code',
    text: 'I created [`src/limiter.ts`](src/limiter.ts), `src/window.ts` and `test/limiter.test.ts`.',
    claims: ['created src/limiter.ts', 'created src/window.ts', 'created test/limiter.test.ts'],
  },
  {
    agent: 'claude-code',
    text: 'The acceptance criteria are:\n- the parser is now implemented\n- all tests pass\n\nI have not started yet.',
    claims: [],
  },
  {
    agent: 'claude-code',
    text: 'I implemented the parser, but had to revert it because the build broke.',
    claims: [],
  },
  {
    agent: 'codex',
    text: 'I looked into the report. The bug has been fixed upstream in 3.2, so updating is enough. No changes were made.',
    claims: [],
  },
  {
    agent: 'codex',
    text: '- [x] Implemented the parser\n- [ ] All tests pass',
    claims: ['implemented'],
  },
  {
    agent: 'codex',
    text: '| task | state |\n| --- | --- |\n| Implemented the parser | yes |\n| All tests pass | no |',
    claims: [],
  },
  {
    agent: 'codex',
    text: 'Summary\n- Implemented `parseDate`, so that invalid months will not slip through.\n- `npm test` passes.\n\nNotes\n- I did not update the changelog.',
    claims: ['implemented', 'tests_pass'],
  },
  {
    agent: 'gemini',
    text: 'I ran the full test suite and everything passes. The feature is implemented as described.',
    claims: ['implemented', 'tests_pass'],
  },
  {
    agent: 'gemini',
    text: 'I have implemented the endpoint. Tests pass. The linter still fails with two errors.',
    claims: ['implemented'],
  },
  {
    agent: 'opencode',
    text: 'Created three files: `a.js`, `b.js` and `c.js`. Suggested commit message: Fixed the parser',
    claims: ['created a.js', 'created b.js', 'created c.js'],
  },
  {
    agent: 'copilot',
    text: 'It looks like the bug is fixed. I believe all tests pass.',
    claims: [],
  },
  {
    agent: 'pi',
    text: 'bug fixed. test suite passes.',
    claims: ['fixed', 'tests_pass'],
  },
];
