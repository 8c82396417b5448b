import { describe, expect, it } from 'vitest';
import { parseDuration } from '../../../src/contracts/duration.ts';
import { check, codes, mutate } from './check.ts';

const accepted: [unknown, number][] = [
  [90, 90_000],
  [0.5, 500],
  [0.0001, 1],
  ['90s', 90_000],
  ['15m', 900_000],
  ['2h', 7_200_000],
  ['3d', 259_200_000],
  ['1.5h', 5_400_000],
  ['0.1s', 100],
  ['1.1s', 1_100],
];

const refused: unknown[] = [
  0,
  -1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  '90',
  '90 s',
  '15M',
  '15min',
  '1h30m',
  '-5s',
  '0s',
  '0.0m',
  '.5s',
  '5.s',
  '1e3s',
  ' 5s',
  '5s\n',
  '',
  '99999999999999999999d',
  null,
  undefined,
  true,
  ['5s'],
];

describe('parseDuration', () => {
  it.each(accepted)('reads %j as %d ms', (value, ms) => {
    expect(parseDuration(value)).toBe(ms);
  });

  it.each(refused.map((value) => [value]))('refuses %j', (value) => {
    expect(parseDuration(value)).toBeNull();
  });
});

describe('durations in a workflow', () => {
  const withTimeout = (value: string) =>
    mutate(
      ['  eval_profile: "smoke"', `  eval_profile: "smoke"\n  limits: { timeout: ${value} }`],
      ['      gate_timed_out: "STOP"', ''],
    );

  it.each(['90', '0.5', '90s', '"1.5h"', '3d'])('accept %s', (value) => {
    expect(codes(check(withTimeout(value)))).toEqual([]);
  });

  it.each(['0', '-3', '.inf', '.nan', '90 s', '15M', '"90"', '99999999999999999999d'])(
    'refuse %s at the value, with the forms as help',
    (value) => {
      const { diagnostics } = check(withTimeout(value));
      expect(diagnostics).toHaveLength(1);
      expect(diagnostics[0]).toMatchObject({ code: 'WF011', span: { line: 9, column: 22 } });
      expect(diagnostics[0]?.help).toContain('`15m`');
    },
  );
});
