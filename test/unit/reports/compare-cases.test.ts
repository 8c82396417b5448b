import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CaseStatus } from '../../../src/contracts/run/harness-report.ts';
import {
  compareCases,
  countBaseline,
  moveCases,
  type ReportsByValidator,
  readComparedReport,
} from '../../../src/reports/compare-cases.ts';
import { composeReport } from '../../../src/reports/compose-report.ts';
import type { ReportForm } from '../../../src/reports/report-source.ts';
import { read } from './reading.ts';

type Listed = readonly (readonly [id: string, status: CaseStatus])[];

const reports = (tests: Listed): ReportsByValidator =>
  new Map([['tests', { cases: tests.map(([id, status]) => ({ id, status })) }]]);

const compare = (base: Listed, now: Listed, validatorFailed = false) =>
  compareCases(reports(base), reports(now), { validatorFailed });

describe('fewer checks', () => {
  it.each<[string, Listed, Listed, object | null]>([
    ['are none where every case runs as before', [['a', 'passed']], [['a', 'passed']], null],
    [
      'are none where cases were added',
      [['a', 'passed']],
      [
        ['a', 'passed'],
        ['b', 'passed'],
      ],
      null,
    ],
    [
      'are a case that is gone',
      [
        ['a', 'passed'],
        ['b', 'passed'],
      ],
      [['a', 'passed']],
      { base: 2, now: 1, missing: ['b'], skipped: [] },
    ],
    [
      'are a failing case that is gone',
      [
        ['a', 'passed'],
        ['b', 'failed'],
      ],
      [['a', 'passed']],
      { base: 2, now: 1, missing: ['b'], skipped: [] },
    ],
    [
      'are a case that has another name now',
      [['a', 'passed']],
      [['a, better', 'passed']],
      { base: 1, now: 1, missing: ['a'], skipped: [] },
    ],
    [
      'are a case that is newly skipped',
      [
        ['a', 'passed'],
        ['b', 'failed'],
      ],
      [
        ['a', 'passed'],
        ['b', 'skipped'],
      ],
      { base: 2, now: 1, missing: [], skipped: ['b'] },
    ],
    [
      'are cases that are gone and cases that are skipped',
      [
        ['a', 'flaky'],
        ['b', 'failed'],
        ['c', 'passed'],
      ],
      [
        ['a', 'skipped'],
        ['c', 'passed'],
      ],
      { base: 3, now: 1, missing: ['b'], skipped: ['a'] },
    ],
    [
      'are none where a case was skipped at the base as well',
      [
        ['a', 'passed'],
        ['b', 'skipped'],
      ],
      [
        ['a', 'passed'],
        ['b', 'skipped'],
      ],
      null,
    ],
    [
      'are none where a case that was skipped at the base is gone: it checked nothing',
      [
        ['a', 'passed'],
        ['b', 'skipped'],
      ],
      [['a', 'passed']],
      null,
    ],
    ['are none where a skipped case runs now', [['a', 'skipped']], [['a', 'passed']], null],
    ['are an empty report', [['a', 'passed']], [], { base: 1, now: 0, missing: ['a'], skipped: [] }],
    [
      'are a report of skipped cases alone',
      [['a', 'skipped']],
      [['a', 'skipped']],
      { base: 0, now: 0, missing: [], skipped: [] },
    ],
    ['are no case at all, as at the base', [], [], { base: 0, now: 0, missing: [], skipped: [] }],
    [
      'are none while a case fails: that has to be fixed first',
      [
        ['a', 'passed'],
        ['b', 'passed'],
      ],
      [['a', 'failed']],
      null,
    ],
    [
      'count cases of one id',
      [
        ['a', 'passed'],
        ['a', 'passed'],
        ['a', 'passed'],
      ],
      [['a', 'passed']],
      { base: 3, now: 1, missing: ['a'], skipped: [] },
    ],
    [
      'tell gone from skipped among cases of one id',
      [
        ['a', 'passed'],
        ['a', 'failed'],
        ['a', 'skipped'],
      ],
      [
        ['a', 'skipped'],
        ['a', 'skipped'],
      ],
      { base: 2, now: 0, missing: ['a'], skipped: ['a'] },
    ],
    [
      'are none where cases of one id come in another order',
      [
        ['a', 'passed'],
        ['a', 'skipped'],
      ],
      [
        ['a', 'skipped'],
        ['a', 'passed'],
      ],
      null,
    ],
    [
      'are none where only the address of a parameter differs',
      [['t[<object at 0x7f3a9c01>]', 'passed']],
      [['t[<object at 0x7f11beef>]', 'passed']],
      null,
    ],
    [
      'are a case whose name has other letters',
      [['grüßt', 'passed']],
      [['gruesst', 'passed']],
      { base: 1, now: 1, missing: ['grüßt'], skipped: [] },
    ],
    [
      'are a case with the name of something that every object has',
      [
        ['constructor', 'passed'],
        ['__proto__', 'passed'],
      ],
      [['constructor', 'passed']],
      { base: 2, now: 1, missing: ['__proto__'], skipped: [] },
    ],
  ])('%s', (_name, base, now, expected) => {
    expect(compare(base, now).fewerChecks).toEqual(expected);
  });

  it('are none while a validator fails, with or without a report', () => {
    expect(compare([['a', 'passed']], [], true).fewerChecks).toBeNull();
  });

  it('are looked for among the validators that have both reports', () => {
    const both = (tests: Listed, e2e: Listed): ReportsByValidator =>
      new Map([...reports(tests), ['e2e', { cases: e2e.map(([id, status]) => ({ id, status })) }]]);
    const base = both([['a', 'passed']], [['a', 'passed']]);
    expect(
      compareCases(base, both([['a', 'passed']], [['b', 'passed']]), { validatorFailed: false }).fewerChecks,
    ).toEqual({ base: 2, now: 2, missing: ['a'], skipped: [] });
    const { fewerChecks, unreported } = compareCases(base, reports([['a', 'passed']]), {
      validatorFailed: false,
    });
    expect({ fewerChecks, unreported }).toEqual({ fewerChecks: null, unreported: ['e2e'] });
    expect(compareCases(new Map(), new Map(), { validatorFailed: false }).fewerChecks).toBeNull();
  });

  it('never come of the same report, in any order', () => {
    const cases = fc.array(
      fc.record({
        id: fc.constantFrom('a', 'b', 'c', 'exit code 1'),
        status: fc.constantFrom<CaseStatus>('passed', 'failed', 'skipped', 'flaky'),
      }),
    );
    fc.assert(
      fc.property(cases, (listed) => {
        const { fewerChecks, regressions, added } = compareCases(
          new Map([['tests', { cases: listed }]]),
          new Map([['tests', { cases: listed.toReversed() }]]),
          { validatorFailed: false },
        );
        expect([fewerChecks?.missing ?? [], fewerChecks?.skipped ?? [], regressions, added]).toEqual([
          [],
          [],
          [],
          [],
        ]);
      }),
    );
  });
});

describe('a failure of a whole file or run at the base', () => {
  const stored = (form: ReportForm, text: string, exitCode: number): ReportsByValidator => {
    const report = composeReport(read(form, text), {
      suiteId: 'tests',
      generatedAt: '2026-01-01T00:00:00Z',
      command: ['npm', 'test'],
      folder: '',
      exitCode,
      lastOutput: '',
      durationMs: 1,
      failedBefore: new Set(),
      referenceOf: () => null,
    });
    return new Map([['tests', readComparedReport(report) ?? { cases: [] }]]);
  };
  const vitest = (...files: readonly object[]) => JSON.stringify({ testResults: files });
  const broken = { name: '/place/worktree/a.test.ts', status: 'failed', message: 'x', assertionResults: [] };
  const loaded = (...titles: string[]) => ({
    name: '/place/worktree/a.test.ts',
    status: 'passed',
    assertionResults: titles.map((title) => ({ title, status: 'passed' })),
  });
  const other = { ...loaded('works'), name: '/place/worktree/b.test.ts' };

  const junit = (...cases: string[]) => `<testsuite name="pytest" tests="1">${cases.join('')}</testsuite>`;
  const uncollected = '<testcase classname="" name="tests.test_a"><error message="boom"/></testcase>';
  const collected = '<testcase classname="tests.test_a" name="test_x"/>';

  it.each<[string, ReportForm, [string, number], [string, number], string[]]>([
    [
      'is no missing case where the file can be loaded now',
      'vitest-json',
      [vitest(broken, other), 1],
      [vitest(loaded('adds'), other), 0],
      [],
    ],
    [
      'is a missing case where the file is gone',
      'vitest-json',
      [vitest(broken, other), 1],
      [vitest(other), 0],
      ['a.test.ts'],
    ],
    [
      'is no missing case where a hook failed beside the tests',
      'vitest-json',
      [vitest({ ...loaded('adds'), status: 'failed', message: 'hook' }), 1],
      [vitest(loaded('adds')), 0],
      [],
    ],
    [
      'is no missing case where the runner exited with an error and no test failed',
      'vitest-json',
      [vitest(loaded('adds')), 1],
      [vitest(loaded('adds')), 0],
      [],
    ],
    [
      'is no missing case where pytest can collect the file now',
      'junit',
      [junit(uncollected), 2],
      [junit(collected), 0],
      [],
    ],
    [
      'is no missing case where the run bailed out',
      'tap',
      ['TAP version 13\nok 1 - a\nBail out! no database\n', 1],
      ['TAP version 13\nok 1 - a\n1..1\n', 0],
      [],
    ],
    [
      'is no missing case where the output ended early',
      'tap',
      ['TAP version 13\n1..2\nok 1 - a\n', 1],
      ['TAP version 13\n1..2\nok 1 - a\nok 2 - b\n', 0],
      [],
    ],
    [
      'is no missing case where a file of Node crashed',
      'tap',
      ['TAP version 13\nnot ok 1 - /place/worktree/test/a.test.js\n1..1\n', 1],
      ['TAP version 13\nok 1 - adds\n1..1\n', 0],
      [],
    ],
  ])('%s', (_name, form, [base, baseExit], [now, nowExit], missing) => {
    const { fewerChecks } = compareCases(stored(form, base, baseExit), stored(form, now, nowExit), {
      validatorFailed: false,
    });
    expect(fewerChecks?.missing ?? []).toEqual(missing);
  });

  it('does not excuse a test that became a group of tests', () => {
    expect(
      compare([['a.test.ts > adds', 'failed']], [['a.test.ts > adds > one', 'passed']]).fewerChecks,
    ).toMatchObject({ missing: ['a.test.ts > adds'] });
  });
});

describe('regressions', () => {
  it.each<[string, Listed, Listed, string[]]>([
    ['are cases that passed and fail', [['a', 'passed']], [['a', 'failed']], ['a']],
    ['are flaky cases that fail', [['a', 'flaky']], [['a', 'failed']], ['a']],
    ['are no cases that failed before', [['a', 'failed']], [['a', 'failed']], []],
    ['are no new cases', [], [['a', 'failed']], []],
    ['are no cases that were skipped', [['a', 'skipped']], [['a', 'failed']], []],
    [
      'are no added cases of an id that still passes',
      [['a', 'passed']],
      [
        ['a', 'passed'],
        ['a', 'failed'],
      ],
      [],
    ],
    [
      'are one of several cases of an id',
      [
        ['a', 'passed'],
        ['a', 'passed'],
      ],
      [
        ['a', 'passed'],
        ['a', 'failed'],
      ],
      ['a'],
    ],
    [
      'are named as the report of now names them',
      [['t[0x7f3a9c01]', 'passed']],
      [['t[0x7f11beef]', 'failed']],
      ['t[0x7f11beef]'],
    ],
  ])('%s', (_name, base, now, expected) => {
    expect(compare(base, now).regressions).toEqual(expected);
  });
});

describe('the baseline', () => {
  it('counts flaky cases as passing and skipped ones in the total alone', () => {
    expect(
      countBaseline(
        reports([
          ['a', 'passed'],
          ['b', 'flaky'],
          ['c', 'failed'],
          ['d', 'skipped'],
        ]),
      ),
    ).toEqual({ failing: 1, passing: 2, total: 4 });
  });

  it('is unknown without a report', () => {
    expect(countBaseline(new Map())).toBeNull();
    expect(
      compareCases(new Map(), reports([['a', 'passed']]), { validatorFailed: false }).baseline,
    ).toBeNull();
  });
});

describe('tests that show nothing', () => {
  it.each<[string, Listed, Listed, boolean]>([
    ['passed at the base, and none was added', [['a', 'passed']], [['a', 'passed']], true],
    [
      'are not so once one was added',
      [['a', 'passed']],
      [
        ['a', 'passed'],
        ['b', 'passed'],
      ],
      false,
    ],
    [
      'are not so once a skipped one runs',
      [
        ['a', 'passed'],
        ['b', 'skipped'],
      ],
      [
        ['a', 'passed'],
        ['b', 'passed'],
      ],
      false,
    ],
    ['are not so where one failed at the base', [['a', 'failed']], [['a', 'passed']], false],
    [
      'may be skipped beside',
      [
        ['a', 'passed'],
        ['b', 'skipped'],
      ],
      [
        ['a', 'passed'],
        ['b', 'skipped'],
      ],
      true,
    ],
    ['may be none at all', [], [], true],
  ])('%s', (_name, base, now, expected) => {
    expect(compare(base, now).testsShowNothing).toBe(expected);
  });

  it('are not claimed without a report of both, nor where a validator without a baseline brings its own', () => {
    const comparison = (base: ReportsByValidator, now: ReportsByValidator) =>
      compareCases(base, now, { validatorFailed: false });
    expect(comparison(new Map(), new Map()).testsShowNothing).toBe(false);
    const suite = { cases: [{ id: 'x', status: 'passed' as const }] };
    const withSuite = new Map([...reports([['a', 'passed']]), ['suite', suite]]);
    expect(comparison(reports([['a', 'passed']]), withSuite)).toMatchObject({
      added: ['x'],
      testsShowNothing: false,
    });
  });
});

describe('cases of a file that was renamed', () => {
  const renames = new Map([['test/a.test.js', 'test/sum.test.js']]);
  it.each<[string, string, string, string]>([
    ['have the new path', 'test/a.test.js > adds', 'test/sum.test.js > adds', 'test/sum.test.js > adds'],
    ['keep their id without a counterpart', 'test/a.test.js > adds', 'other', 'test/a.test.js > adds'],
    ['are not those of a longer path', 'test/a.test.js.old', 'test/sum.test.js.old', 'test/a.test.js.old'],
    [
      'are not those of another file',
      'test/b.test.js > adds',
      'test/sum.test.js > adds',
      'test/b.test.js > adds',
    ],
    ['are known by pytest, too', 'test/a.test.js::adds', 'test/sum.test.js::adds', 'test/sum.test.js::adds'],
  ])('%s', (_name, before, now, expected) => {
    const moved = moveCases(reports([[before, 'passed']]), reports([[now, 'passed']]), renames);
    expect(moved).toEqual(reports([[expected, 'passed']]));
  });
});

describe('a stored report', () => {
  it.each([
    ['of version 1', { suite_id: 's', version: '1.0.0', cases: [], summary: {} }, true],
    ['of another version', { suite_id: 's', version: '2.0', cases: [], summary: {} }, false],
    ['without a version', { suite_id: 's', cases: [], summary: {} }, false],
    [
      'with a status that is none',
      { suite_id: 's', version: '1', cases: [{ id: 'a', status: 'x' }], summary: {} },
      false,
    ],
    ['that is no report', 'red', false],
  ])('%s', (_name, value, readable) => {
    expect(readComparedReport(value) !== null).toBe(readable);
  });
});
