import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../src/planner/table/evaluate.ts';
import { compareWithVector, createVector, parseVector } from '../../../src/planner/vector.ts';
import { CHECK_CASES } from './check-cases.ts';
import type { DecisionCase } from './decision-case.ts';
import { PAIR_CASES } from './pair-cases.ts';
import { ROW_CASES } from './row-cases.ts';

const folder = new URL('../../fixtures/planner_vectors/', import.meta.url);

const REQUIRED = [
  'vector_blocked_missing_artifact',
  'vector_needs_human_goldens',
  'vector_needs_human_repeat_partial',
  'vector_partial_fixable',
  'vector_partial_transcript_mismatch',
  'vector_success_clean',
  'vector_unsafe_policy_violation',
  'vector_unsafe_report_mismatch',
];

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.json'),
);

const slug = (name: string) => name.toLowerCase().replace(/[^a-z0-9]+/g, '_');

const tables: readonly (readonly [string, readonly DecisionCase[]])[] = [
  ['rows', ROW_CASES],
  ['pairs', PAIR_CASES],
  ['checks', CHECK_CASES],
];
const generated = tables.flatMap(([part, cases]) =>
  cases.map((one) => ({ ...one, id: slug(one.name), path: `${part}/${slug(one.name)}.json` })),
);

describe('planner vectors', () => {
  it('cover every required situation', () => {
    expect(files.map((name) => name.replace('.json', ''))).toEqual(expect.arrayContaining(REQUIRED));
  });

  it.each(files)('%s is evaluated as expected', (name) => {
    const parsed = parseVector(JSON.parse(readFileSync(new URL(name, folder), 'utf8')));
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
    expect(name.endsWith(`${parsed.vector.vector_id}.json`)).toBe(true);
    expect(compareWithVector(parsed.vector, evaluate(parsed.vector.input))).toEqual([]);
  });

  it.each(generated)('has the case of the table: $name', async ({ input, status, id, name, path }) => {
    const vector = createVector(id, `${name}.`, input, evaluate(input));
    expect(vector.expected.status).toBe(status);
    await expect(`${JSON.stringify(vector, null, 2)}\n`).toMatchFileSnapshot(
      `../../fixtures/planner_vectors/${path}`,
    );
  });

  it('has no file for a case that is no longer there', () => {
    const paths = [...REQUIRED.map((name) => `${name}.json`), ...generated.map(({ path }) => path)];
    expect([...files].sort()).toEqual(paths.sort());
  });
});
