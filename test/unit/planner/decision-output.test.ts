import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../src/planner/table/evaluate.ts';
import { envelope, error, failed, report, said } from './envelope-builder.ts';

describe('next_step', () => {
  const hints = { success: 'STOP', partial: 'fix' };

  it.each([
    { name: 'is the hint of the status', top: { route_hints: hints }, next: 'STOP' },
    { name: 'is null without hints', top: {}, next: null },
    { name: 'is null when the hint is not allowed', top: { route_hints: { success: 'away' } }, next: null },
    { name: 'is null when the status has no hint', top: { route_hints: { partial: 'fix' } }, next: null },
  ])('$name', ({ top, next }) => {
    expect(evaluate(envelope({}, top)).next_step).toBe(next);
  });
});

const commands = { tests: 'npm test', lint: 'npm run lint -- --quiet' };

describe('fix instructions', () => {
  it('name the failed case, its observation and its reproduction', () => {
    const harness = {
      ...report({ b: 'failed' }),
      cases: [{ id: 'b', status: 'failed', repro: 'tool --bad', observations: ['expected 1,\ngot 0'] }],
    };
    const { fix_instructions: fix } = evaluate(envelope({ harness_report: harness }));
    expect(fix?.edits).toEqual([
      { target: 'b', action: 'make the case b pass', rationale: 'expected 1,\ngot 0' },
    ]);
    expect(fix?.verification).toEqual([{ command: 'tool --bad', expected_signal: 'the case b passes' }]);
  });

  it('name the validator as target and as command', () => {
    const { fix_instructions: fix } = evaluate(
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
    const { fix_instructions: fix } = evaluate(
      envelope({ review: { expected: true, verdict: 'needs-changes', findings } }),
    );
    expect(fix?.edits.map(({ target }) => target)).toEqual(['src/a.ts:7']);
    expect(fix?.objective).toContain('no changelog entry');
    expect(fix?.verification.map(({ command }) => command)).toEqual(['tests']);
  });

  it('put regressions first, and say that they passed at the base', () => {
    const { fix_instructions: fix } = evaluate(
      envelope({
        harness_report: report({ a: 'failed', b: 'failed', c: 'failed' }),
        validation: { regressions: ['c', 'b'] },
      }),
    );
    expect(fix?.edits.map(({ target, rationale }) => [target, rationale])).toEqual([
      ['b', 'it passed at the base; the harness report lists it as failed'],
      ['c', 'it passed at the base; the harness report lists it as failed'],
      ['a', 'the harness report lists it as failed'],
    ]);
    expect(fix?.verification.map(({ command }) => command)).toEqual(['run b', 'run c', 'run a']);
  });

  it.each([
    ['not where its cases say why', 'src/a.test.ts > adds', 'src/a.test.ts:3', 'the cases above say why'],
    [
      'where a file could not be loaded',
      'src/a.test.ts',
      'src/a.test.ts:1',
      'the end of its output:\nno such module',
    ],
    [
      'where such a file has no line',
      'src/a.test.ts',
      'src/a.test.ts',
      'the end of its output:\nno such module',
    ],
  ])('repeat the output of a validator with a report %s', (_, id, location, message) => {
    const cases = [{ id, location, status: 'failed', observations: ['failed'], repro: 'npx t' }];
    const { fix_instructions: fix } = evaluate(
      envelope({
        harness_report: { ...report({ [id]: 'failed' }), cases },
        validation: { ...failed, report_sources: ['tests'], output: { tests: 'no such module' } },
      }),
    );
    expect(fix?.edits.at(-1)?.rationale).toBe(`it exited with 1; ${message}`);
  });

  it('carry the end of the output of a validator that failed or timed out', () => {
    const { fix_instructions: fix } = evaluate(
      envelope({
        validation: {
          ...error,
          exit_codes: { lint: 2, types: 1 },
          timeouts: ['slow'],
          output: { lint: '\nsrc/a.ts:1\n  unused\n', slow: 'waiting', other: 'x' },
        },
      }),
    );
    expect(fix?.edits.map(({ target, rationale }) => [target, rationale])).toEqual([
      ['lint', 'it exited with 2; the end of its output:\nsrc/a.ts:1\n  unused'],
      ['types', 'it exited with 1'],
      ['slow', 'it timed out; the end of its output:\nwaiting'],
    ]);
  });

  it.each<[string, Parameters<typeof envelope>[0], string[]]>([
    [
      'the command line of a failed validator',
      { validation: { ...error, exit_codes: { tests: 1, lint: 0 }, commands } },
      ['npm test'],
    ],
    [
      'the command line of a validator that timed out',
      { validation: { ...error, exit_codes: {}, timeouts: ['lint'], commands } },
      ['npm run lint -- --quiet'],
    ],
    [
      'each command line once',
      {
        validation: {
          ...error,
          exit_codes: { tests: 1, again: 1 },
          commands: { tests: 'npm test', again: 'npm test' },
        },
      },
      ['npm test'],
    ],
    [
      'the command line of the source of a report for a case that has no reproduction',
      {
        harness_report: { ...report({ a: 'failed' }), cases: [{ id: 'a', status: 'failed', repro: ' ' }] },
        validation: { exit_codes: { tests: 0, lint: 0 }, commands, report_sources: ['tests'] },
      },
      ['npm test'],
    ],
    [
      'every command line for such a case where the sources are not known',
      {
        harness_report: { ...report({ a: 'failed' }), cases: [{ id: 'a', status: 'failed' }] },
        validation: { exit_codes: { tests: 0, lint: 0 }, commands },
      },
      ['npm test', 'npm run lint -- --quiet'],
    ],
    [
      'a command line once where several cases and their validator have the same',
      {
        harness_report: {
          ...report({ a: 'failed', b: 'failed' }),
          cases: ['a', 'b'].map((id) => ({ id, status: 'failed', repro: 'npm test' })),
        },
        validation: { ...failed, commands },
      },
      ['npm test'],
    ],
    [
      'the reproduction of a case before the command line of its validator',
      { harness_report: report({ a: 'failed' }), validation: { ...failed, commands } },
      ['run a', 'npm test'],
    ],
    [
      'no validator by its id where there are command lines',
      { validation: { ...error, exit_codes: { tests: 0, constructor: 1 }, commands } },
      ['npm test'],
    ],
    [
      'the id of the validator, never that of the case, in envelopes without command lines',
      {
        harness_report: { ...report({ a: 'failed' }), cases: [{ id: 'a', status: 'failed' }] },
        validation: { exit_codes: { tests: 0, lint: 0 }, report_sources: ['tests'] },
      },
      ['tests'],
    ],
    [
      'any command line that is known where those of the validators that ran are not',
      { validation: { ...error, exit_codes: { units: 1 }, commands } },
      ['npm test', 'npm run lint -- --quiet'],
    ],
    [
      'the change where no command line is known',
      { validation: { ...failed, commands: { tests: ' ' } } },
      ['git diff --stat'],
    ],
  ])('verify with %s', (_name, evidence, expected) => {
    const { fix_instructions: fix } = evaluate(envelope(evidence));
    expect(fix?.verification.map(({ command }) => command)).toEqual(expected);
  });

  it('have a verification even where no validator ran', () => {
    const input = envelope({
      transcript_summary: said('claim: implemented'),
      workspace_diff_summary: 'no changes',
      validation: { exit_codes: {} },
    });
    expect(evaluate(input).fix_instructions?.verification).toHaveLength(1);
  });
});
