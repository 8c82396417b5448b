import { describe, expect, it } from 'vitest';
import { ESCALATIONS } from '../../../src/planner/table/escalation.ts';
import { evaluateWithRows } from '../../../src/planner/table/evaluate.ts';
import { ROWS } from '../../../src/planner/table/rows.ts';
import { CHECK_CASES } from './check-cases.ts';
import { PAIR_CASES } from './pair-cases.ts';
import { ROW_CASES } from './row-cases.ts';

describe('the decision table', () => {
  it.each([...ROW_CASES, ...PAIR_CASES, ...CHECK_CASES])(
    '$name',
    ({ input, rows, status, flags, blockers }) => {
      const { decision, rows: fired } = evaluateWithRows(input);
      expect(fired.map((row) => row.id)).toEqual(rows);
      expect(decision.status).toBe(status);
      expect(decision.risk_flags).toEqual(flags);
      expect(decision.blockers.map(({ code, severity }) => `${code} ${severity}`)).toEqual(blockers);
    },
  );

  it('has a case for every row', () => {
    const tested = new Set([...ROW_CASES, ...PAIR_CASES, ...CHECK_CASES].flatMap(({ rows }) => rows));
    expect([...tested].sort()).toEqual(
      [...ROWS, ...ESCALATIONS]
        .map(({ id }) => id)
        .concat('clean')
        .sort(),
    );
  });
});
