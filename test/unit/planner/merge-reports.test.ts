import { describe, expect, it } from 'vitest';
import { mergeReports } from '../../../src/planner/merge-reports.ts';

const report = (suite: string, status: string, more = {}) => ({
  suite_id: suite,
  version: '1.0.0',
  generated_at: '2026-01-01T00:00:00Z',
  cases: [{ id: `${suite}-case`, kind: 'cli', status, repro: 'x', observations: [], artifacts: [] }],
  summary: {
    passed: status === 'passed' ? 1 : 0,
    failed: status === 'failed' ? 1 : 0,
    flaky: 0,
    duration_ms: 5,
  },
  ...more,
});

describe('reports of several validators', () => {
  it('are none when there is none, and the one when there is one', () => {
    expect(mergeReports([])).toBeNull();
    const only = report('a', 'passed');
    expect(mergeReports([only])).toBe(only);
  });

  it('keep every case, flag and proposal, and add up', () => {
    const merged = mergeReports([
      report('a', 'passed', { proposed_goldens: ['g1'] }),
      report('b', 'failed', { ux_flags: [{ severity: 'error' }], proposed_goldens: ['g2'] }),
    ]);
    expect(merged).toMatchObject({
      suite_id: 'a + b',
      version: '1.0.0',
      cases: [{ id: 'a-case' }, { id: 'b-case' }],
      ux_flags: [{ severity: 'error' }],
      proposed_goldens: ['g1', 'g2'],
      summary: { passed: 1, failed: 1, flaky: 0, duration_ms: 10 },
    });
  });

  it('are as unreadable as the worst of them', () => {
    expect(mergeReports([report('a', 'passed'), report('b', 'passed', { version: '2.0.0' })])).toMatchObject({
      version: '2.0.0',
    });
    const unversioned = report('c', 'passed', { version: undefined });
    expect(mergeReports([report('a', 'passed'), unversioned])?.version).toBeUndefined();
  });

  it.each(['ux_flags', 'proposed_goldens'])('do not come to fit where %s of one is no list', (key) => {
    const unfit = report('b', 'passed', { [key]: 'a.png' });
    expect(mergeReports([report('a', 'passed'), unfit])).toMatchObject({ [key]: 'a.png' });
    const empty = report('b', 'passed', { [key]: null });
    expect(mergeReports([report('a', 'passed'), empty])).toMatchObject({ [key]: [] });
  });
});
