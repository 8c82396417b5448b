import { describe, expect, it } from 'vitest';
import { readTestReport } from '../../../src/reports/convert.ts';
import type { TestResults } from '../../../src/reports/test-results.ts';
import { ends, FOLDER, refusal } from './reading.ts';

const PACKAGE = 'example.com/sums/calc';
const event = (Action: string, rest: object = {}) => JSON.stringify({ Action, Package: PACKAGE, ...rest });
const test = (name: string, end: string, ...output: readonly string[]) => [
  event('run', { Test: name }),
  event('output', { Test: name, Output: `=== RUN   ${name}\n` }),
  ...output.map((text) => event('output', { Test: name, Output: text })),
  event('output', { Test: name, Output: `--- ${end.toUpperCase()}: ${name} (0.01s)\n` }),
  event(end, { Test: name, Elapsed: 0.01 }),
];
const read = (...lines: readonly string[]): TestResults => {
  const reading = readTestReport('go-json', `${lines.join('\n')}\n`, {
    command: ['go', 'test', '-json', './...'],
    folders: [FOLDER],
    goModule: 'example.com/sums',
  });
  expect(reading).toMatchObject({ ok: true });
  return reading as TestResults;
};

describe('the events of go test -json', () => {
  it('give each test its end, its message, its file and a command of its own', () => {
    const results = read(
      event('start'),
      ...test('TestAdd', 'fail', '    add_test.go:7: got -1, want 5\n'),
      ...test('TestZero', 'pass'),
      ...test('TestLater', 'skip', '    add_test.go:12: later\n'),
      event('output', { Output: 'FAIL\n' }),
      event('fail', { Elapsed: 0.02 }),
    );
    expect(ends(results)).toEqual([
      `failed ${PACKAGE}.TestAdd`,
      `passed ${PACKAGE}.TestZero`,
      `skipped ${PACKAGE}.TestLater`,
    ]);
    expect(results.results[0]).toMatchObject({
      repro: `go test ${PACKAGE} -run '^TestAdd$'`,
      observations: ['add_test.go:7: got -1, want 5'],
      location: 'calc/add_test.go:7',
      durationMs: 10,
    });
    expect(results.durationMs).toBe(20);
  });

  it('name a failed subtest and not the test around it', () => {
    const results = read(
      event('run', { Test: 'TestAdd' }),
      ...test('TestAdd/small', 'fail', '        add_test.go:9: no\n'),
      event('fail', { Test: 'TestAdd', Elapsed: 0 }),
      event('fail', { Elapsed: 0 }),
    );
    expect(ends(results)).toEqual([`failed ${PACKAGE}.TestAdd/small`]);
    expect(results.results[0]?.repro).toBe(`go test ${PACKAGE} -run '^TestAdd$/^small$'`);
  });

  it('count a test without an end, as after a panic, as failed', () => {
    const results = read(
      event('run', { Test: 'TestAdd' }),
      event('output', { Test: 'TestAdd', Output: 'panic: boom\n' }),
      event('fail', { Elapsed: 0 }),
    );
    expect(results.results).toMatchObject([{ status: 'failed', observations: ['panic: boom'] }]);
  });

  it.each([
    [
      'in events, since Go 1.24',
      [
        JSON.stringify({
          ImportPath: 'example.com/sums/calc',
          Action: 'build-output',
          Output: 'calc/add.go:3:2: undefined: x\n',
        }),
        JSON.stringify({ ImportPath: 'example.com/sums/calc', Action: 'build-fail' }),
        event('output', { Output: `FAIL\t${PACKAGE} [build failed]\n` }),
        event('fail', { Elapsed: 0, FailedBuild: 'example.com/sums/calc' }),
      ],
    ],
    [
      'in plain lines, before',
      [
        '# example.com/sums/calc',
        'calc/add.go:3:2: undefined: x',
        event('output', { Output: `FAIL\t${PACKAGE} [build failed]\n` }),
        event('fail', { Elapsed: 0 }),
      ],
    ],
  ])('make a case of a package that could not be built: %s', (_name, lines) => {
    const { results } = read(...lines);
    expect(results).toMatchObject([{ id: PACKAGE, status: 'failed', repro: `go test ${PACKAGE}` }]);
    expect(results[0]?.observations[0]).toContain('calc/add.go:3:2: undefined: x');
  });

  it('are passed by packages without tests', () => {
    expect(read(event('start'), event('skip', { Elapsed: 0 })).results).toEqual([]);
  });

  it('are asked for by name where there are none', () => {
    expect(refusal('go-json', 'ok example.com/sums 0.1s\n')).toBe('contains no `go test -json` events');
  });
});
