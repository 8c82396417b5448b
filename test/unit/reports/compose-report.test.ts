import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { harnessReportSchema } from '../../../src/contracts/run/harness-report.ts';
import { type ComposeFacts, composeReport } from '../../../src/reports/compose-report.ts';
import type { TestResult } from '../../../src/reports/test-results.ts';

const facts: ComposeFacts = {
  suiteId: 'tests',
  generatedAt: '2026-02-09T14:30:00Z',
  command: ['npm', 'run', 'test all'],
  folder: '',
  exitCode: 0,
  lastOutput: '',
  durationMs: 77,
  failedBefore: new Set(),
  referenceOf: () => null,
};
const result = (change: Partial<TestResult>): TestResult => ({
  id: 'a',
  status: 'passed',
  repro: null,
  observations: [],
  attachments: [],
  durationMs: null,
  ...change,
});
const compose = (
  results: readonly TestResult[],
  change: Partial<ComposeFacts> = {},
  durationMs: number | null = null,
) => composeReport({ kind: 'unit', results, durationMs }, { ...facts, ...change });
const status = fc.constantFrom('passed' as const, 'failed' as const, 'skipped' as const, 'flaky' as const);

describe('a report that is made from test results', () => {
  it('fits the form of harness reports and adds up, whatever the results', () => {
    const results = fc.array(
      fc.record({
        id: fc.oneof(fc.constantFrom('a', 'a (2)', '', ' a\n'), fc.string({ unit: 'binary' })),
        status,
        repro: fc.option(fc.string()),
        observations: fc.array(fc.string({ unit: 'binary' }), { maxLength: 3 }),
        attachments: fc.array(fc.string(), { maxLength: 2 }),
        durationMs: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true })),
      }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(results, fc.constantFrom(null, 0, 1, 137), (list, exitCode) => {
        const report = compose(list, { exitCode });
        expect(harnessReportSchema.safeParse(report).error?.issues ?? []).toEqual([]);
        const count = (wanted: string) => report.cases.filter((item) => item.status === wanted).length;
        expect(report.summary).toMatchObject({
          passed: count('passed'),
          failed: count('failed'),
          flaky: count('flaky'),
          skipped: count('skipped'),
        });
        if (exitCode !== null && exitCode !== 0) expect(report.summary.failed).toBeGreaterThan(0);
      }),
    );
  });

  it('gives names that come twice a number, also where that name is taken', () => {
    const ids = compose(['a', 'a (2)', 'a', 'a', ''].map((id) => result({ id }))).cases.map(({ id }) => id);
    expect(ids).toEqual(['a', 'a (2)', 'a (3)', 'a (4)', 'unnamed test']);
  });

  it.each([
    ['the line of the runner', { repro: 'pytest a.py::b' }, '', 'pytest a.py::b'],
    ['the command where the runner is not known', {}, '', "npm run 'test all'"],
    [
      'the way to where it ran',
      { repro: 'npx vitest run a.test.ts' },
      'web app',
      "cd 'web app' && npx vitest run a.test.ts",
    ],
  ])('is reproduced by %s', (_, change, folder, repro) => {
    expect(compose([result(change)], { folder }).cases[0]?.repro).toBe(repro);
  });

  it('has a failed case for an exit code that no failed test explains, with the last output of the runner', () => {
    const report = compose([result({}), result({ status: 'flaky' })], {
      exitCode: 3,
      lastOutput: 'ERROR: coverage 50%\n',
    });
    expect(report.cases[2]).toMatchObject({
      id: 'exit code 3',
      status: 'failed',
      repro: "npm run 'test all'",
      observations: ['no test failed, but the runner exited with 3:\nERROR: coverage 50%'],
    });
    expect(report.summary.failed).toBe(1);
  });

  it.each([
    ['a test failed', [result({ status: 'failed' })], 1],
    ['the runner exited with 0', [result({})], 0],
    ['the runner was killed', [result({})], null],
  ])('has no such case where %s', (_, results, exitCode) => {
    expect(compose(results, { exitCode }).cases).toHaveLength(1);
  });

  const twice = [
    result({ id: 'a', status: 'failed', observations: ['no'], durationMs: 1 }),
    result({ id: 'b', status: 'failed' }),
    result({ id: 'a', durationMs: 2 }),
    result({ id: 'b', status: 'skipped' }),
    result({ id: 'c' }),
    result({ id: 'c' }),
  ];
  const apart = ['failed a', 'failed b', 'passed a (2)', 'skipped b (2)', 'passed c', 'passed c (2)'];
  it.each([
    ['a rerun if the runner has no two tests of one name', 'reruns', 0, ['flaky a', 'failed b', 'passed c']],
    [
      'a rerun if it may be one, failed and passed',
      'perhaps-reruns',
      0,
      ['flaky a', 'failed b', 'skipped b (2)', 'passed c', 'passed c (2)'],
    ],
    ['two tests if the runner does not exit with 0', 'reruns', 1, apart],
    ['two tests if it may be a rerun and the runner does not exit with 0', 'perhaps-reruns', 1, apart],
    ['two tests if the runner was killed', 'perhaps-reruns', null, apart],
    ['two tests if nothing speaks for a rerun', undefined, 0, apart],
  ] as const)('takes a name that is listed twice for %s', (_, repeats, exitCode, expected) => {
    const read = {
      kind: 'unit',
      results: twice,
      durationMs: null,
      ...(repeats === undefined ? {} : { repeats }),
    } as const;
    const { cases, summary } = composeReport(read, { ...facts, exitCode });
    expect(cases.map(({ id, status: end }) => `${end} ${id}`)).toEqual(expected);
    expect(cases[0]?.observations).toEqual(['no']);
    expect(summary.duration_ms).toBe(3);
  });

  it('calls a case flaky that passed after it had failed on an earlier try, and nothing else', () => {
    const results = [result({ id: 'a' }), result({ id: 'a' }), result({ id: 'b', status: 'skipped' })];
    const { cases, summary } = compose(results, { failedBefore: new Set(['a (2)', 'b', 'c']) });
    expect(cases.map(({ id, status: end }) => `${end} ${id}`)).toEqual([
      'passed a',
      'flaky a (2)',
      'skipped b',
    ]);
    expect(summary).toMatchObject({ passed: 1, flaky: 1, skipped: 1, failed: 0 });
  });

  it('keeps observations short, plain, and free of the frames of runners', () => {
    const noise = '    at run (file:///p/node_modules/runner/x.js:3:4)\n    at new Promise (<anonymous>)';
    const observations = [
      `\u001b[31mno\u001b[39m\r\n    at a.test.ts:1:2\n${noise}`,
      ' \n',
      'x'.repeat(100_000),
    ];
    const [item] = compose([result({ status: 'failed', observations })]).cases;
    expect(item?.observations[0]).toBe('no\n    at a.test.ts:1:2');
    expect(item?.observations).toHaveLength(2);
    expect(item?.observations[1]?.length).toBeLessThan(4_100);
  });

  it('shortens failures after the first two hundred, so that it stays readable', () => {
    const many = Array.from({ length: 1_000 }, () =>
      result({ status: 'failed', observations: ['x'.repeat(3_000)] }),
    );
    const sizes = compose(many).cases.map(({ observations }) => observations[0]?.length ?? 0);
    expect(sizes[199]).toBe(3_000);
    expect(Math.max(...sizes.slice(200))).toBeLessThan(400);
  });

  it('refers to attachments that were kept and to no others', () => {
    const kept = new Map([['/a.png', 'artifacts/check/tests/report-files/1-a.png']]);
    const [item] = compose([result({ attachments: ['/a.png', '/b.png', '/a.png'] })], {
      referenceOf: (path) => kept.get(path) ?? null,
    }).cases;
    expect(item?.artifacts).toEqual(['artifacts/check/tests/report-files/1-a.png']);
  });

  it.each([
    ['what the runner says', 12, [result({ durationMs: 5 })], 12],
    ['the sum of its tests', null, [result({ durationMs: 5 }), result({ durationMs: 0.5 }), result({})], 5.5],
    ['how long the process took', null, [result({})], 77],
  ])('lasts %s', (_, duration, results, expected) => {
    expect(compose(results, {}, duration).summary.duration_ms).toBe(expected);
  });
});
