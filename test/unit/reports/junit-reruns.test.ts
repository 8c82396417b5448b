import { describe, expect, it } from 'vitest';
import { composeReport } from '../../../src/reports/compose-report.ts';
import { joinReadings, readTestReport } from '../../../src/reports/convert.ts';
import { FOLDER } from './reading.ts';

const NO = '<failure message="no"/>';

/** What the report of a runner says, from the JUnit files it left and how it exited. */
function casesOf(
  files: readonly string[],
  exitCode: number,
  command: readonly string[] = ['make', 'test'],
): string[] {
  const readings = files.map((text) => {
    const reading = readTestReport('junit', text, { command, folders: [FOLDER] });
    if (!reading.ok) throw new Error(reading.why);
    return reading;
  });
  const joined = joinReadings(readings);
  if (!joined.ok) throw new Error(joined.why);
  const { cases } = composeReport(joined, {
    suiteId: 'tests',
    generatedAt: '2026-02-09T14:30:00Z',
    command,
    folder: '',
    exitCode,
    lastOutput: '',
    durationMs: 1,
    failedBefore: new Set(),
    referenceOf: () => null,
  });
  return cases.map(({ id, status }) => `${status} ${id}`);
}

const one = (attributes: string, inside: string) => `<testcase ${attributes}>${inside}</testcase>`;
const both = (attributes: string) => one(attributes, NO) + one(attributes, '');
const plain = (inside: string) => `<testsuites><testsuite name="s">${inside}</testsuite></testsuites>`;

describe('a JUnit case that failed and passed with exit 0', () => {
  it.each([
    [
      'Vitest',
      `<testsuites name="vitest tests"><testsuite name="a.test.ts">${both('classname="a.test.ts" name="adds"')}</testsuite></testsuites>`,
      'flaky a.test.ts > adds',
    ],
    [
      'Jest',
      `<testsuites name="jest tests"><testsuite name="sum">${both('classname="sum adds" name="sum adds" file="a.test.js"')}</testsuite></testsuites>`,
      'flaky a.test.js > sum adds',
    ],
    [
      'Playwright',
      `<testsuites id="" name=""><testsuite name="a.spec.ts" hostname="chromium">${both('classname="a.spec.ts" name="Login › works"')}</testsuite></testsuites>`,
      'flaky a.spec.ts > Login > works',
    ],
    [
      'Node',
      `<testsuites><testsuite name="sum">${both('classname="test" name="adds"')}</testsuite></testsuites>`,
      'flaky sum > adds',
    ],
    [
      'pytest',
      `<testsuites name="pytest tests"><testsuite name="pytest">${both('classname="tests.test_a" name="test_p[1]"')}</testsuite></testsuites>`,
      'flaky tests/test_a.py::test_p[1]',
    ],
    [
      'Go',
      `<testsuites><testsuite name="m/p"><properties><property name="go.version"/></properties>${both('classname="p" name="TestA"')}</testsuite></testsuites>`,
      'flaky m/p.TestA',
    ],
    [
      'nextest',
      `<testsuites name="nextest-run"><testsuite name="c">${both('classname="c" name="adds"')}</testsuite></testsuites>`,
      'flaky c adds',
    ],
    [
      'Surefire',
      `<testsuite xmlns:xsi="x" xsi:noNamespaceSchemaLocation="https://maven.example/surefire-test-report.xsd" name="C">${both('classname="org.C" name="adds"')}</testsuite>`,
      'flaky org.C.adds',
    ],
    ['a runner that is not known', plain(both('classname="C" name="adds"')), 'flaky C.adds'],
    ['a runner without classes', plain(both('name="adds"')), 'flaky s > adds'],
  ])('is flaky as %s writes it', (_, text, expected) => {
    expect(casesOf([text], 0)).toEqual([expected]);
  });

  it('is flaky as Gradle writes its retries', () => {
    const text = `<testsuite name="org.C" failures="1">${both('classname="org.C" name="adds()"')}</testsuite>`;
    expect(casesOf([text], 0, ['./gradlew', 'test'])).toEqual(['flaky org.C.adds()']);
  });

  const a = 'classname="C" name="a"';
  it.each([
    ['passed first', [plain(one(a, '') + one(a, NO))], ['flaky C.a']],
    ['failed twice before it passed', [plain(one(a, NO) + both(a))], ['flaky C.a']],
    ['failed with an error', [plain(one(a, '<error message="no"/>') + one(a, ''))], ['flaky C.a']],
    [
      'failed again and passed flaky',
      [plain(one(a, NO) + one(a, '<flakyFailure message="no"/>'))],
      ['flaky C.a'],
    ],
    ['is in two files', [plain(one(a, NO)), plain(one(a, ''))], ['flaky C.a']],
    [
      'is in nested suites',
      [plain(`<testsuite name="i">${one('name="t"', NO)}${one('name="t"', '')}</testsuite>`)],
      ['flaky s > i > t'],
    ],
  ])('is flaky, also if it %s', (_, files, expected) => {
    expect(casesOf(files, 0)).toEqual(expected);
  });
});

describe('JUnit cases of one name', () => {
  const a = 'classname="C" name="a"';
  it.each([
    ['all passed, as parametrised tests', 0, one(a, '') + one(a, ''), ['passed C.a', 'passed C.a (2)']],
    ['failed and passed, and the runner failed', 1, both(a), ['failed C.a', 'passed C.a (2)']],
    ['all failed with exit 0', 0, one(a, NO) + one(a, NO), ['failed C.a', 'failed C.a (2)']],
    ['failed and were skipped', 0, one(a, NO) + one(a, '<skipped/>'), ['failed C.a', 'skipped C.a (2)']],
    ['passed and were skipped', 0, one(a, '') + one(a, '<skipped/>'), ['passed C.a', 'skipped C.a (2)']],
    [
      'are in different suites without classes',
      0,
      `<testsuite name="x">${one('name="t"', NO)}</testsuite><testsuite name="y">${one('name="t"', '')}</testsuite>`,
      ['failed s > x > t', 'passed s > y > t'],
    ],
  ])('that %s are no flaky case', (_, exitCode, inside, expected) => {
    expect(casesOf([plain(inside)], exitCode)).toEqual(expected);
  });

  it.each([
    ['a rerun that passed', 0, '<flakyFailure message="no"/>', ['flaky C.a']],
    [
      'a rerun that passed while another test failed',
      1,
      '<flakyError message="no"/>',
      ['flaky C.a', 'failed exit code 1'],
    ],
    [
      'reruns that all failed',
      1,
      `${NO}<rerunFailure message="no"/><rerunFailure message="no"/>`,
      ['failed C.a'],
    ],
    ['an error in all reruns', 1, '<error message="no"/><rerunError message="no"/>', ['failed C.a']],
  ])('of Surefire with %s are one case', (_, exitCode, inside, expected) => {
    expect(casesOf([plain(one(a, inside))], exitCode)).toEqual(expected);
  });
});
