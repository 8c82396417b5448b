import { describe, expect, it } from 'vitest';
import { ends, FOLDER, read, refusal } from './reading.ts';

const tap = (...lines: readonly string[]) => ['TAP version 13', ...lines].join('\n');
const todo = 'todo'.toUpperCase();

describe('a TAP line', () => {
  it.each([
    ['ok 1 - adds', 'passed adds'],
    ['ok 1 adds', 'passed adds'],
    ['ok - adds', 'passed adds'],
    ['ok', 'passed unnamed test'],
    ['not ok 1 - adds', 'failed adds'],
    ['ok 1 - adds # SKIP no network', 'skipped adds'],
    ['ok 1 - adds # skipped: no network', 'skipped adds'],
    ['not ok 1 - adds # SKIP no network', 'skipped adds'],
    [`not ok 1 - adds # ${todo} some day`, 'skipped adds'],
    [`ok 1 - adds # ${todo} some day`, 'passed adds'],
    [String.raw`not ok 1 - the \# skip sign`, 'failed the # skip sign'],
    ['not ok 1 - number #3', 'failed number #3'],
    ['not ok 1 - the colour #skipper', 'failed the colour #skipper'],
    ['not ok 1 - hides #todo-list', 'failed hides #todo-list'],
    ['ok 1 - adds # SKIPPED', 'skipped adds'],
    ['not ok 1 - a\r', 'failed a'],
  ])('%j is %s', (line, end) => {
    expect(ends(read('tap', tap(line, '1..1')))).toEqual([end]);
  });

  it.each([
    '# not ok 1 - a comment',
    'okay',
    'not okay 1',
    'note: ok 1',
    '  ok 2 - half indented',
    'ok: false',
  ])('%j is noise', (line) => {
    expect(ends(read('tap', tap('ok 1 - adds', line, '1..1')))).toEqual(['passed adds']);
  });
});

describe('a plan', () => {
  it.each([
    ['at the beginning', ['1..2', 'ok 1', 'ok 2'], []],
    ['at the end', ['ok 1', 'ok 2', '1..2'], []],
    ['of nothing', ['1..0 # skip all'], []],
    ['of more than came', ['1..3', 'ok 1', 'ok 2'], ['3 tests were planned and 2 have a result']],
    ['of less than came', ['ok 1', 'ok 2', '1..1'], ['1 tests were planned and 2 have a result']],
    ['that never came', ['ok 1'], ['the output ends after 1 tests without a plan']],
    [
      'of a subtest that is short',
      ['    ok 1 - a', '    1..2', 'ok 1 - s', '1..1'],
      ['2 tests were planned and 1 have a result'],
    ],
  ])('%s is held against the results', (_, lines, observations) => {
    const failed = read('tap', tap(...lines)).results.filter(({ status }) => status === 'failed');
    expect(failed.flatMap((result) => result.observations)).toEqual(observations);
  });

  it('counts for nothing once the run was given up, which is a failed case', () => {
    const results = read('tap', tap('1..9', 'ok 1 - a', 'Bail out! no database', 'not ok 2 - b'));
    expect(ends(results)).toEqual(['passed a', 'failed bail out']);
    expect(results.results[1]?.observations).toEqual(['no database']);
  });
});

describe('subtests', () => {
  const nested = [
    '# Subtest: sum',
    '    # Subtest: inner',
    '        ok 1 - deep',
    '        not ok 2 - broken',
    '        1..2',
    '    not ok 1 - inner',
    '    ok 2 - flat',
    '    1..2',
    'not ok 1 - sum',
    'ok 2 - top',
    '1..2',
  ];
  it('give cases with the names of what is around them, and what sums them up is none', () => {
    expect(ends(read('tap', tap(...nested)))).toEqual([
      'passed sum > inner > deep',
      'failed sum > inner > broken',
      'passed sum > flat',
      'passed top',
    ]);
  });

  it('that pass under a point that fails leave the failure to the point', () => {
    expect(ends(read('tap', tap('    ok 1 - a', '    1..1', 'not ok 1 - s', '1..1')))).toEqual([
      'passed s > a',
      'failed s',
    ]);
  });

  it('that nothing sums up are kept, and the missing end is a failure', () => {
    expect(ends(read('tap', tap('ok 1 - a', '    not ok 1 - b')))).toEqual([
      'passed a',
      'failed b',
      'failed plan',
    ]);
  });

  it('in braces belong to the point before them', () => {
    const lines = [
      'not ok 1 - file.js # time=12.5ms {',
      '    ok 1 - a # time=2s',
      '    not ok 2 - inner # time=1ms {',
      '        not ok 1 - b',
      '        1..1',
      '    }',
      '    1..2',
      '}',
      'ok 2 - other',
      '  ---',
      '  duration_ms: 3',
      '  ...',
      '{',
      '    ok 1 - c',
      '    1..1',
      '}',
      'ok 3 - set {',
      'ok 4 - last',
      '1..4',
    ];
    const results = read('tap', tap(...lines));
    expect(ends(results)).toEqual([
      'passed file.js > a',
      'failed file.js > inner > b',
      'passed other > c',
      'passed set',
      'passed last',
    ]);
    expect(results.results[0]?.durationMs).toBe(2000);
  });

  it("of Node's runner that failed by themselves are cases beside what failed in them", () => {
    const suite = (type: string) =>
      tap(
        '    not ok 1 - x',
        '    1..1',
        'not ok 1 - s',
        '  ---',
        `  failureType: '${type}'`,
        "  error: 'no database'",
        '  ...',
        '1..1',
      );
    expect(ends(read('tap', suite('subtestsFailed')))).toEqual(['failed s > x']);
    const hook = read('tap', suite('hookFailed'));
    expect(ends(hook)).toEqual(['failed s > x', 'failed s']);
    expect(hook.results[1]?.observations).toEqual(['no database']);
  });

  it("of Node's runner that have no tests in them are no cases", () => {
    const suite = ['ok 1 - empty', '  ---', "  type: 'suite'", '  ...', '1..1'];
    expect(ends(read('tap', tap(...suite)))).toEqual([]);
  });
});

describe('diagnostics', () => {
  const failed = tap(
    'not ok 1 - adds (all)',
    '  ---',
    '  duration_ms: 1.25',
    `  location: '${FOLDER}/test/a.test.mjs:4:3'`,
    "  failureType: 'testCodeFailure'",
    '  error: |-',
    '    Expected:',
    '    not ok 9 - inside',
    '  expected: 3',
    '  actual: 2',
    '  ...',
    '# duration_ms 99.5',
    '1..1',
  );
  it('give the duration, what was observed and where the test is', () => {
    const results = read('tap', failed);
    expect(results.durationMs).toBe(99.5);
    expect(results.results).toEqual([
      {
        id: 'adds (all)',
        status: 'failed',
        repro: String.raw`node --test --test-name-pattern='adds \(all\)' test/a.test.mjs`,
        observations: [
          `Expected:\nnot ok 9 - inside\nexpected: 3\nactual: 2\nlocation: ${FOLDER}/test/a.test.mjs:4:3`,
        ],
        attachments: [],
        durationMs: 1.25,
      },
    ]);
  });

  const observed = (...lines: readonly string[]) => {
    const results = read('tap', tap(...lines, '1..1'));
    expect(results.results).toHaveLength(1);
    return results.results[0]?.observations;
  };
  it.each([
    [
      'keys that are indented, as of tape and AVA',
      ['  ---', '    operator: equal', '    expected: 2', '    actual:   1', '  ...'],
      'expected: 2\nactual: 1\noperator: equal',
    ],
    [
      'a block that is indented like a subtest, as of Vitest',
      ['    ---', '    error:', '        message: "no"', 'ok 7 - no test', '    actual: "1"', '    ...'],
      'message: "no"\nok 7 - no test\nactual: 1',
    ],
    ['a difference, as of node-tap', ['  ---', '  diff: |', '    -2', '    +1', '  ...'], 'diff: -2\n+1'],
    [
      'comments, as of Bats and Perl',
      ['', '# (in test file a.bats, line 7)', "#   `false' failed", '# tests 1'],
      "(in test file a.bats, line 7)\n  `false' failed",
    ],
    ['text that is indented, as of Mocha', ['  1 !== 2', '      at a.js:7'], '  1 !== 2\n      at a.js:7'],
    ['nothing but sums', ['# tests 1', '# fail  1'], 'not ok: adds'],
  ])('are found as %s', (_, lines, observation) => {
    expect(observed('not ok 1 - adds', ...lines)).toEqual([observation]);
  });

  it('are not needed: a runner that is not known leaves the command', () => {
    const plain = read('tap', tap('not ok 1 - adds', '1..1'), ['prove', 't']).results[0];
    expect(plain).toMatchObject({ repro: null, observations: ['not ok: adds'], durationMs: null });
  });

  it("that are missing are made up for by the command of Node's runner", () => {
    const command = ['node', '--test', '--test-reporter', 'tap', 'test/a.mjs', 'b c.mjs'];
    expect(read('tap', tap('ok 1 - adds', '1..1'), command).results[0]?.repro).toBe(
      `node --test --test-name-pattern="adds" test/a.mjs 'b c.mjs'`,
    );
  });

  it('that do not end swallow what follows, and the missing plan tells', () => {
    expect(ends(read('tap', tap('ok 1 - a', '  ---', 'ok 2 - b', '1..2')))).toEqual([
      'passed a',
      'failed plan',
    ]);
  });
});

it.each(['', 'all is well\n', '{}', 'ok: yes'])('a text without TAP, %j, is refused', (text) => {
  expect(refusal('tap', text)).toBe('holds no TAP');
});

it('TAP of version 14 with a hundred thousand lines of noise is read', () => {
  const noise = '    1..9\nnoise # skip\n'.repeat(50_000);
  expect(ends(read('tap', `TAP version 14\n${noise}ok 1 - a # time=1ms\n1..1`)).at(0)).toBe('passed a');
});

it('TAP of millions of lines is refused before it fills the memory', () => {
  expect(refusal('tap', 'ok\n'.repeat(4_000_000))).toBe('holds more than 50000 cases');
});
