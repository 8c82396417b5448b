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
    [`ok 1 - adds # ${todo} some day`, 'skipped adds'],
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
    ['of more than came', ['1..3', 'ok 1', 'ok 2'], ['3 tests were planned, but 2 have a result']],
    ['of less than came', ['ok 1', 'ok 2', '1..1'], ['1 tests were planned, but 2 have a result']],
    ['that never came', ['ok 1'], ['the output ends after 1 tests without a plan']],
    ['whose numbers are in another order', ['1..2', 'ok 2', 'ok 1'], []],
    ['of tests without numbers', ['1..2', 'ok - a', 'ok - b'], []],
    ['of tests of which some have numbers', ['1..3', 'ok 1', 'ok', 'ok 3'], []],
    ['with a number that is repeated', ['1..2', 'ok 1', 'ok 1'], ['test 1 is reported more than once']],
    [
      'with numbers that are repeated',
      ['1..4', 'ok 1', 'not ok 1 # SKIP', 'ok 2', 'ok 2'],
      ['tests 1, 2 are reported more than once'],
    ],
    ['with a number outside of it', ['1..2', 'ok 1', 'ok 3'], ['test 3 is outside the plan 1..2']],
    ['with the number 0', ['1..2', 'ok 0', 'ok 1'], ['test 0 is outside the plan 1..2']],
    [
      'that comes at the end, with numbers outside of it',
      ['ok 7', 'ok 8', 'ok 1', '1..3'],
      ['tests 7, 8 are outside the plan 1..3'],
    ],
    [
      'with a repeated number and one result too many',
      ['1..2', 'ok 1', 'ok 2', 'ok 2'],
      ['2 tests were planned, but 3 have a result', 'test 2 is reported more than once'],
    ],
    ['that is given twice', ['1..2', 'ok 1', 'ok 2', '1..2'], ['the output has two plans']],
    [
      'that is given twice and differs',
      ['1..1', 'ok 1', 'ok 2', '1..2'],
      ['the output has two plans', '1 tests were planned, but 2 have a result'],
    ],
    [
      'that never came, with a repeated number',
      ['ok 1', 'ok 1'],
      ['the output ends after 2 tests without a plan', 'test 1 is reported more than once'],
    ],
    ['of nothing, with results', ['1..0', 'ok 1'], ['0 tests were planned, but 1 have a result']],
    [
      'of a subtest with a repeated number',
      ['    ok 1 - a', '    ok 1 - b', '    1..2', 'ok 1 - s', '1..1'],
      ['test 1 is reported more than once'],
    ],
    [
      'of a subtest that is given twice',
      ['    1..1', '    ok 1 - a', '    1..1', 'ok 1 - s', '1..1'],
      ['the output has two plans'],
    ],
    [
      'of each subtest by itself',
      ['    ok 1 - a', '    1..1', 'ok 1 - s', '    ok 1 - a', '    1..1', 'ok 2 - t', '1..2'],
      [],
    ],
    [
      'of subtests in braces',
      ['ok 1 - s {', '    ok 1 - a', '    1..1', '}', 'ok 2 - t {', '    ok 1 - b', '    1..1', '}', '1..2'],
      [],
    ],
    [
      'of Node with a file without tests, which it numbers by its place among the files,',
      ['ok 1 - adds', 'ok 2 - keeps zero', 'ok 2 - /repo/test/helpers.js', '1..3'],
      [],
    ],
    ['of each document by itself', ['1..1', 'ok 1 - a', 'TAP version 14', '1..1', 'ok 1 - b'], []],
    [
      'of a document that is cut off by the next',
      ['1..2', 'ok 1 - a', 'TAP version 13', '1..1', 'ok 1 - b'],
      ['2 tests were planned, but 1 have a result'],
    ],
    [
      'of a subtest that is short',
      ['    ok 1 - a', '    1..2', 'ok 1 - s', '1..1'],
      ['2 tests were planned, but 1 have a result'],
    ],
  ])('%s is checked against the results', (_, lines, observations) => {
    const failed = read('tap', tap(...lines)).results.filter(({ status }) => status === 'failed');
    expect(failed.flatMap((result) => result.observations)).toEqual(observations);
  });

  it('that skips everything is a skipped case with its reason', () => {
    const results = read('tap', tap('1..0 # SKIP no database'));
    expect(ends(results)).toEqual(['skipped all tests']);
    expect(results.results[0]?.observations).toEqual(['no database']);
    expect(ends(read('tap', tap('1..0')))).toEqual([]);
  });

  it.each(['Bail out!', '    Bail out! no disk', 'BAIL OUT! no disk'])(
    'ends at %j, also in a subtest',
    (line) => {
      expect(ends(read('tap', tap('1..9', 'ok 1 - a', line, 'ok 2 - b')))).toEqual([
        'passed a',
        'failed bail out',
      ]);
    },
  );

  it('does not count once the run bailed out, which is a failed case', () => {
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

  it.each([`# ${todo} later`, '# SKIP'])('under a point with %j do not fail', (directive) => {
    const lines = ['    ok 1 - a', '    not ok 2 - b', '    1..2', `not ok 1 - s ${directive}`, '1..1'];
    expect(ends(read('tap', tap(...lines)))).toEqual(['passed s > a', 'skipped s > b']);
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
        location: 'test/a.test.mjs:4',
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
      ['    ---', '    error:', '        message: "no', 'more', '}"', '    actual: "1"', '    ...'],
      'message: "no\nmore\n}"\nactual: 1',
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

  it('choose a subtest together with the tests around it, which Node would skip otherwise', () => {
    const at = (indent: string, type: string) => [
      `${indent}  ---`,
      `${indent}  type: '${type}'`,
      `${indent}  location: '${FOLDER}/a.mjs:1:1'`,
      `${indent}  ...`,
    ];
    const nested = tap(
      '        not ok 1 - inner',
      ...at('        ', 'test'),
      '        1..1',
      '    not ok 1 - outer',
      ...at('    ', 'test'),
      '    1..1',
      'not ok 1 - suite',
      ...at('', 'suite'),
      '1..1',
    );
    expect(read('tap', nested, ['npm', 'test']).results).toMatchObject([
      {
        id: 'suite > outer > inner',
        repro: 'node --test --test-name-pattern="outer" --test-name-pattern="inner" a.mjs',
      },
    ]);
  });

  it.each([
    ['a test', ['ok 2 - b', '1..2'], ['passed b']],
    ['a failed test', ['not ok 2 - b', '1..2'], ['failed b']],
    ['a plan', ['1..1'], []],
    ['a bail out', ['Bail out! no disk'], ['failed bail out']],
    [
      'a comment and a subtest',
      ['# Subtest: b', '    ok 1 - c', '    1..1', 'ok 2 - b', '1..2'],
      ['passed b > c'],
    ],
    ['text and a subtest', ['noise', '    ok 1 - c', '    1..1', 'ok 2 - b', '1..2'], ['passed b > c']],
    ['dots with less indentation', ['...', 'ok 2 - b', '1..2'], ['passed b']],
    ['the next block', ['ok 2 - b', '  ---', '  x: 1', '  ...', '1..2'], ['passed b']],
  ])('that are not closed end at their dedent, here at %s', (_, lines, more) => {
    expect(ends(read('tap', tap('ok 1 - a', '  ---', '  error: no', ...lines)))).toEqual([
      'passed a',
      ...more,
    ]);
  });

  it('of a subtest that are not closed end at the next test of the subtest', () => {
    const lines = [
      '    not ok 1 - a',
      '      ---',
      '      error: no',
      '    ok 2 - b',
      '    1..2',
      'not ok 1 - s',
    ];
    const results = read('tap', tap(...lines, '1..1'));
    expect(ends(results)).toEqual(['failed s > a', 'passed s > b']);
    expect(results.results[0]?.observations).toEqual(['no']);
  });
});

it.each(['', 'all is well\n', '{}', 'ok: yes'])('a text without TAP, %j, is refused', (text) => {
  expect(refusal('tap', text)).toBe('contains no TAP');
});

it.each([
  'TAP version 12\n',
  'TAP version 13\n',
  'TAP version 14\npragma +strict\n',
  '',
  '> p@1.0.0 test\n> tape\n\n',
])('TAP is read behind %j', (head) => {
  expect(ends(read('tap', `${head}1..2\r\nok 1 - a\r\nnot ok 2 - b\r\n`))).toEqual(['passed a', 'failed b']);
});

it('TAP of version 14 with a hundred thousand lines of noise is read', () => {
  const noise = '    1..9\nnoise # skip\n'.repeat(50_000);
  expect(ends(read('tap', `TAP version 14\n${noise}ok 1 - a # time=1ms\n1..1`)).at(0)).toBe('passed a');
});

it('TAP of millions of lines is refused before it fills the memory', () => {
  expect(refusal('tap', 'ok\n'.repeat(4_000_000))).toBe('contains more than 50000 cases');
});
