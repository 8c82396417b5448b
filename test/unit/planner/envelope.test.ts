import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { plannerInputSchema } from '../../../src/contracts/planner/planner-input.ts';
import { parseEnvelope } from '../../../src/planner/envelope.ts';
import { evaluate } from '../../../src/planner/table/evaluate.ts';
import { envelope, evaluation, report } from './envelope-builder.ts';

type Path = readonly (string | number)[];

/** A deep copy with one place taken away (`undefined`) or replaced. */
function changed(path: Path, value: unknown): unknown {
  const whole: unknown = structuredClone(
    envelope({ harness_report: report({ a: 'passed' }) }, { provenance_window: [evaluation()] }),
  );
  let node = z.record(z.string(), z.unknown()).parse(whole);
  const holder = { whole: node };
  for (const key of path.slice(0, -1)) {
    const child = node[key];
    node = child as Record<string, unknown>;
  }
  const last = String(path.at(-1));
  if (value === undefined) delete node[last];
  else node[last] = value;
  return holder.whole;
}

const REQUIRED: readonly Path[] = [
  ['run_id'],
  ['workflow_id'],
  ['step_id'],
  ['evaluate_prompt'],
  ['allowed_next_steps'],
  ['provenance_window'],
  ['evidence'],
  ['evidence', 'transcript_summary'],
  ['evidence', 'workspace_diff_summary'],
  ['evidence', 'validation'],
  ['evidence', 'artifacts'],
  ['evidence', 'policy_events'],
  ['evidence', 'validation', 'mechanical_outcome'],
  ['evidence', 'validation', 'exit_codes'],
  ['evidence', 'validation', 'timeouts'],
  ['evidence', 'harness_report', 'suite_id'],
  ['evidence', 'harness_report', 'cases'],
  ['evidence', 'harness_report', 'summary'],
  ['provenance_window', 0, 'step_id'],
  ['provenance_window', 0, 'opcode'],
  ['provenance_window', 0, 'status'],
  ['provenance_window', 0, 'risk_flags'],
  ['provenance_window', 0, 'blocker_codes'],
];

const WRONG: readonly { path: Path; value: unknown }[] = [
  { path: ['evidence', 'validation', 'mechanical_outcome'], value: 'passed' },
  { path: ['evidence', 'validation', 'exit_codes', 'tests'], value: null },
  { path: ['evidence', 'validation', 'exit_codes', 'tests'], value: '0' },
  { path: ['evidence', 'harness_report', 'cases', 0, 'status'], value: 'errored' },
  { path: ['evidence', 'harness_report', 'proposed_goldens'], value: 'all of them' },
  { path: ['evidence', 'review'], value: { expected: true, verdict: 'maybe', findings: [] } },
  { path: ['refinement'], value: { spent: -1, max: 1 } },
  { path: ['evidence', 'run_changed'], value: 'no' },
  { path: ['evidence', 'validation', 'commands'], value: { tests: ['npm', 'test'] } },
  { path: ['evidence', 'validation', 'output'], value: 'red' },
  { path: ['evidence', 'validation', 'report_sources'], value: 'tests' },
  { path: ['evidence', 'validation', 'baseline'], value: { failing: 1, passing: 2 } },
  { path: ['evidence', 'validation', 'regressions'], value: [1] },
  { path: ['evidence', 'validation', 'judge_changed'], value: true },
  { path: ['evidence', 'validation', 'fewer_checks'], value: { base: -1, now: 0, missing: [], skipped: [] } },
  { path: ['evidence', 'validation', 'environment_failures'], value: { tests: 127 } },
];

describe('parseEnvelope', () => {
  it.each(REQUIRED)('names %s.%s.%s as missing', (...path) => {
    const keys = path.filter((key) => key !== undefined);
    const parsed = parseEnvelope(changed(keys, undefined));
    expect(parsed.ok ? [] : parsed.problems.map((problem) => problem.path)).toEqual([keys.join('.')]);
  });

  it.each(WRONG)('refuses $value at $path', ({ path, value }) => {
    const parsed = parseEnvelope(changed(path, value));
    const problems = parsed.ok ? [] : parsed.problems;
    expect(problems.length).toBeGreaterThan(0);
    for (const problem of problems) {
      expect(problem.path.startsWith(path.join('.'))).toBe(true);
      expect(problem.message).toMatch(/^[a-z]/);
    }
  });

  it.each([null, 7, 'text', []])('refuses %j as a whole', (value) => {
    expect(parseEnvelope(value).ok).toBe(false);
  });

  it('ignores unknown keys at every level', () => {
    const plain = evaluate(envelope({ harness_report: report({ a: 'passed' }) }));
    const parsed = parseEnvelope({
      ...envelope({ harness_report: report({ a: 'passed' }, { x_more: 1 }) }),
      confidence: 0.4,
    });
    expect(parsed.ok ? evaluate(parsed.envelope) : null).toEqual(plain);
  });

  it('takes a report of another version whatever is in it', () => {
    const strange = { suite_id: 's', version: '2.1', cases: ['?'], summary: { passed: 'many' } };
    expect(parseEnvelope(changed(['evidence', 'harness_report'], strange)).ok).toBe(true);
  });

  it('has a schema that can be written as JSON Schema, with every field described', () => {
    const schema = z.toJSONSchema(plannerInputSchema, { io: 'input' });
    for (const field of Object.values(schema.properties ?? {})) {
      expect(field).toHaveProperty('description');
    }
    expect(schema.required).toContain('evidence');
  });
});
