import { describe, expect, it } from 'vitest';
import { findingLines, newFindings } from '../../../src/reports/finding-lines.ts';

const CHECKOUT = '/state/run/judge';

describe('what a linter reports', () => {
  it.each<readonly [string, string, readonly string[]]>(
    [
      ['the same finding on another line', 'src/a.ts:3:1 no-var', 'src/a.ts:9:5 no-var'],
      ['another duration and total', 'x no-var\n2 problems in 0.31s', 'x no-var\n2 problems in 12s'],
      ['colours and blank lines', 'a.ts  no-var', '\u001b[31ma.ts\u001b[0m  no-var\n\n'],
      ['the path of the checkout', `${CHECKOUT}/src/a.ts: no-var`, 'src/a.ts: no-var'],
      ['a finding that is gone', 'a no-var\nb no-var', 'a no-var'],
    ].map(([name, base, now]) => [name ?? '', base ?? '', [now ?? '']] as const),
  )('is not new: %s', (_name, base, [now = '']) => {
    const lines = (text: string) => findingLines([text], CHECKOUT) ?? [];
    expect(newFindings(lines(base), lines(now))).toEqual([]);
  });

  it.each<readonly [string, string, string, readonly string[]]>([
    ['a new kind', 'a.ts:1 no-var', 'a.ts:1 no-var\na.ts:2 no-eval', ['a.ts:# no-eval']],
    ['one more of the same kind', 'a.ts:1 no-var', 'a.ts:1 no-var\na.ts:2 no-var', ['a.ts:# no-var']],
    ['the same in another file', 'a.ts:1 no-var', 'b.ts:1 no-var', ['b.ts:# no-var']],
  ])('is new: %s', (_name, base, now, expected) => {
    const lines = (text: string) => findingLines([text], CHECKOUT) ?? [];
    expect(newFindings(lines(base), lines(now))).toEqual(expected);
  });

  it('is not compared if there is too much of it', () => {
    expect(findingLines(['x\n'.repeat(6_000)], CHECKOUT)).toBeNull();
  });
});
