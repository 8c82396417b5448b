import { describe, expect, it } from 'vitest';
import { ends, FOLDER, read, refusal } from './reading.ts';

const test = (fields: object) => ({
  ancestorTitles: ['sum'],
  title: 'adds',
  status: 'passed',
  failureMessages: [],
  ...fields,
});
const report = (files: readonly object[], fields: object = {}) =>
  JSON.stringify({ testResults: files, ...fields });
const file = (fields: object) => ({
  name: `${FOLDER}/test/a.test.ts`,
  status: 'passed',
  assertionResults: [],
  ...fields,
});
const one = (fields: object, around: object = {}, command?: readonly string[]) =>
  read('vitest-json', report([file({ assertionResults: [test(fields)] })], around), command).results[0];

describe("what Vitest's JSON reporter wrote", () => {
  it.each([
    ['passed', {}, 'passed'],
    ['failed', { failureMessages: ['no'] }, 'failed'],
    ['passed', { failureMessages: ['the first time'] }, 'flaky'],
    ['passed', { invocations: 2 }, 'flaky'],
    ['skipped', {}, 'skipped'],
    ['pending', {}, 'skipped'],
    ['todo', {}, 'skipped'],
    ['disabled', {}, 'skipped'],
    ['a status nobody knows', {}, 'failed'],
  ])('with status %j and %j is a case that %s', (status, fields, expected) => {
    expect(one({ status, ...fields })?.status).toBe(expected);
  });

  it.each([
    ['Vitest', {}, ['npm', 'test'], 'npx vitest run test/a.test.ts -t "sum adds"'],
    [
      'Vitest in a project',
      {},
      ['npx', 'vitest', '--project=unit'],
      'npx vitest run --project=unit test/a.test.ts -t "sum adds"',
    ],
    ['Jest', { numRuntimeErrorTestSuites: 0 }, ['npm', 'test'], 'npx jest test/a.test.ts -t "sum adds"'],
  ])('of %s gives a line that runs one test again', (_, around, command, repro) => {
    expect(one({ duration: 2.5 }, around, command)).toMatchObject({
      id: 'test/a.test.ts > sum > adds',
      repro,
      durationMs: 2.5,
    });
  });

  it('of a file that failed without a failed test has a failed case for the file', () => {
    const broken = file({ status: 'failed', message: 'cannot find module' });
    expect(read('vitest-json', report([broken])).results).toMatchObject([
      {
        id: 'test/a.test.ts',
        status: 'failed',
        observations: ['cannot find module'],
        repro: 'npx vitest run test/a.test.ts',
      },
    ]);
    const hook = file({ status: 'failed', assertionResults: [test({})] });
    expect(ends(read('vitest-json', report([hook])))).toEqual([
      'passed test/a.test.ts > sum > adds',
      'failed test/a.test.ts',
    ]);
  });

  it('takes from its start to the end of its last file', () => {
    const files = [file({ endTime: 1_300 }), file({ endTime: 1_250.5 })];
    expect(read('vitest-json', report(files, { startTime: 1_000 })).durationMs).toBe(300);
    expect(read('vitest-json', report(files)).durationMs).toBeNull();
  });

  it.each([
    ['not JSON', '{"testResults":', 'is not JSON'],
    [
      'of millions of zeros',
      `{"testResults":[0${',0'.repeat(4_000_000)}]}`,
      'contains more than 1000000 values',
    ],
    ['of brackets', `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`, 'is nested deeper than 256 levels'],
    ['null', 'null', 'is not a Vitest report'],
    ['of another tool', '{"suites":[]}', 'is not a Vitest report at `testResults`'],
    [
      'with a test without a name',
      report([file({ assertionResults: [{ status: 'passed' }] })]),
      'is not a Vitest report at `testResults.0.assertionResults.0.title`',
    ],
  ])('%s is refused', (_, text, why) => {
    expect(refusal('vitest-json', text)).toBe(why);
  });
});
