import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ends, read, refusal } from './reading.ts';

const recorded = readFileSync(new URL('../../fixtures/reports/playwright.json', import.meta.url), 'utf8');

describe("what Playwright's JSON reporter wrote", () => {
  it('gives a case of the web for each test of each project, and one for what went wrong outside', () => {
    const results = read('playwright-json', recorded);
    expect(results).toMatchObject({ kind: 'web', durationMs: 32_410.5 });
    expect(ends(results)).toEqual([
      'passed login.spec.ts > shows the form [chromium]',
      'failed login.spec.ts > with a wrong password > says so [chromium]',
      'flaky login.spec.ts > with a wrong password > counts the tries [chromium]',
      'skipped login.spec.ts > with a wrong password > locks the account [chromium]',
      'failed error 1',
    ]);
  });

  it('gives a line that runs one test again, from the folder of the command', () => {
    expect(read('playwright-json', recorded).results[1]?.repro).toBe(
      'npx playwright test e2e/login.spec.ts:9 --project=chromium',
    );
    const command = ['npx', 'playwright', 'test', '-c', 'e2e/pw.config.ts'];
    expect(read('playwright-json', recorded, command).results[1]?.repro).toBe(
      'npx playwright test -c e2e/pw.config.ts e2e/login.spec.ts:9 --project=chromium',
    );
  });

  it('gives what each try said, what was attached and the time of all tries', () => {
    const [passed, failed, flaky] = read('playwright-json', recorded).results;
    expect(failed).toMatchObject({
      attachments: ['/place/worktree/test-results/login-says-so/test-failed-1.png'],
      durationMs: 31_200,
    });
    expect(failed?.observations[0]).toContain('toHaveText');
    expect(failed?.observations[1]).toBe('retry 1: Test timeout of 30000ms exceeded.');
    expect(flaky?.observations).toEqual(['Error: 2 tries']);
    expect(passed).toMatchObject({ observations: [], durationMs: 412 });
  });

  const deep = `${'{"title":"s","suites":['.repeat(200)}${']}'.repeat(200)}`;
  it.each([
    ['not JSON', '{', 'is not JSON'],
    ['a list', '[]', 'is not a Playwright report'],
    ['of another tool', '{"testResults":[]}', 'is not a Playwright report at `suites`'],
    [
      'with a spec that is none',
      '{"suites":[{"title":"a","specs":[{}]}]}',
      'is not a Playwright report at `specs.0.title`',
    ],
    ['with suites without end', `{"suites":[${deep}]}`, 'is nested deeper than 256 levels'],
  ])('%s is refused', (_, text, why) => {
    expect(refusal('playwright-json', text)).toBe(why);
  });
});
