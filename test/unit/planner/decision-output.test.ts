import { describe, expect, it } from 'vitest';
import { judge } from '../../../src/planner/judge.ts';
import { envelope, error, report, said } from './envelope-builder.ts';

describe('next_step', () => {
  const hints = { success: 'STOP', partial: 'fix' };

  it.each([
    { name: 'is the hint of the status', top: { route_hints: hints }, next: 'STOP' },
    { name: 'is null without hints', top: {}, next: null },
    { name: 'is null when the hint is not allowed', top: { route_hints: { success: 'away' } }, next: null },
    { name: 'is null when the status has no hint', top: { route_hints: { partial: 'fix' } }, next: null },
  ])('$name', ({ top, next }) => {
    expect(judge(envelope({}, top)).next_step).toBe(next);
  });
});

describe('fix instructions', () => {
  it('name the failed case, its observation and its reproduction', () => {
    const harness = {
      ...report({ b: 'failed' }),
      cases: [{ id: 'b', status: 'failed', repro: 'tool --bad', observations: ['expected 1,\ngot 0'] }],
    };
    const { fix_instructions: fix } = judge(envelope({ harness_report: harness }));
    expect(fix?.edits).toEqual([
      { target: 'b', action: 'make the case b pass', rationale: 'expected 1, got 0' },
    ]);
    expect(fix?.verification).toEqual([{ command: 'tool --bad', expected_signal: 'the case b passes' }]);
  });

  it('name the validator as target and as command', () => {
    const { fix_instructions: fix } = judge(
      envelope({ validation: { ...error, exit_codes: { lint: 2, tests: 0 } } }),
    );
    expect(fix?.edits.map(({ target }) => target)).toEqual(['lint']);
    expect(fix?.verification.map(({ command }) => command)).toEqual(['lint']);
  });

  it('name the place of a finding where it is known', () => {
    const findings = [
      { id: 'F1', summary: 'off by one', path: 'src/a.ts', line: 7 },
      { id: 'F2', summary: 'no changelog entry' },
    ];
    const { fix_instructions: fix } = judge(
      envelope({ review: { expected: true, verdict: 'needs-changes', findings } }),
    );
    expect(fix?.edits.map(({ target }) => target)).toEqual(['src/a.ts:7']);
    expect(fix?.objective).toContain('no changelog entry');
    expect(fix?.verification.map(({ command }) => command)).toEqual(['tests']);
  });

  it('have a verification even where no validator ran', () => {
    const input = envelope({
      transcript_summary: said('claim: implemented'),
      workspace_diff_summary: 'no changes',
      validation: { exit_codes: {} },
    });
    expect(judge(input).fix_instructions?.verification).toHaveLength(1);
  });
});
