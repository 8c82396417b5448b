import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonSchemaOf } from '../../../src/contracts/json-schemas.ts';
import { readBody } from '../../../src/work/bodies/body.ts';
import { checkBody } from '../../../src/work/bodies/check-body.ts';
import { formatLabels, readLabelFields } from '../../../src/work/items/labels.ts';
import { parseExistingItems } from '../../../src/work/results/existing-items.ts';
import { checkImplementorResult } from '../../../src/work/results/implementor-result.ts';
import { checkPlannerResult } from '../../../src/work/results/planner-result.ts';
import { PROBLEM_CODES } from '../../../src/work/results/problem-codes.ts';
import { checkReviewerResult } from '../../../src/work/results/reviewer-result.ts';
import { schemaProblems } from '../json-schema-check.ts';
import { numberOfRuns } from '../number-of-runs.ts';
import { BLOCKED_SUMMARY, FINDING, REFINEMENT_BODY, TASK_BODY, TASK_LABELS } from './work-fixtures.ts';

const CHECKS = {
  'planner-result': (value: unknown) => checkPlannerResult(value, { items: [{ id: '1' }] }),
  'implementor-result': checkImplementorResult,
  'reviewer-result': checkReviewerResult,
} as const;
const kinds = Object.keys(CHECKS) as (keyof typeof CHECKS)[];

/** Lines that mean something here, in any order, so that the ways through the readers are all taken. */
const lines = [
  ...`${TASK_BODY}\n${REFINEMENT_BODY}\n${BLOCKED_SUMMARY}\n${FINDING}`.split('\n'),
  '```',
  '---',
  '    x',
  '> y',
];
const markdown = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.oneof(fc.constantFrom(...lines), fc.string()), { maxLength: 30 }).map((all) => all.join('\n')),
);
const label = fc.oneof(fc.constantFrom(...TASK_LABELS), fc.string());
const id = fc.constantFrom('a', 'b', 'c', '1', '9');
const nearlyPlanned = fc.record(
  {
    role: fc.constantFrom('planner', 'reviewer'),
    create: fc.array(
      fc.record({
        tempID: id,
        title: fc.string(),
        body: markdown,
        labels: fc.array(label, { maxLength: 6 }),
        blockedBy: fc.array(id, { maxLength: 4 }),
      }),
      { maxLength: 5 },
    ),
    close: fc.array(id, { maxLength: 3 }),
    update: fc.array(
      fc.record({ workItemID: id, body: fc.option(markdown), labels: fc.option(fc.array(label)) }),
      {
        maxLength: 3,
      },
    ),
  },
  { requiredKeys: [] },
);
const nearlyImplemented = fc.record({
  role: fc.constant('implementor'),
  outcome: fc.constantFrom('completed', 'blocked', 'validation-failure'),
  patch: fc.option(fc.string()),
  summary: markdown,
});
const nearlyReviewed = fc.record({
  role: fc.constant('reviewer'),
  review: fc.record({
    verdict: fc.constantFrom('approve', 'needs-changes'),
    summary: fc.string(),
    comments: fc.array(fc.record({ path: fc.string(), line: fc.option(fc.integer()), body: markdown })),
  }),
});
const anyResult = fc.oneof(fc.jsonValue(), nearlyPlanned, nearlyImplemented, nearlyReviewed);

describe('the contracts', () => {
  it.each(kinds)('answer any JSON, with registered problems that are reported once: %s', (kind) => {
    fc.assert(
      fc.property(anyResult, (value) => {
        const checked = CHECKS[kind](value);
        if (checked.ok) return;
        expect(checked.problems.length).toBeGreaterThan(0);
        expect(checked.problems.filter(({ code }) => !Object.hasOwn(PROBLEM_CODES, code))).toEqual([]);
        const texts = checked.problems.map((problem) => JSON.stringify(problem));
        expect(new Set(texts).size).toBe(texts.length);
      }),
      { numRuns: numberOfRuns(100) },
    );
  });

  it.each(kinds)('take only what the JSON Schema takes: %s', (kind) => {
    fc.assert(
      fc.property(anyResult, (value) => {
        const fits = schemaProblems(jsonSchemaOf(kind), value).length === 0;
        const checked = CHECKS[kind](value);
        if (checked.ok) expect(fits).toBe(true);
        const formless = !checked.ok && checked.problems.some(({ code }) => FORM_CODES.includes(code));
        expect(formless).toBe(!fits);
      }),
      { numRuns: numberOfRuns(100) },
    );
  });

  it('read items from any JSON or say why not', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const parsed = parseExistingItems(value);
        expect(parsed.ok || parsed.message !== '').toBe(true);
      }),
    );
  });
});

/** What a schema can say. */
const FORM_CODES: readonly string[] = ['WR001', 'WR101', 'WR201', 'WR202', 'WR301', 'WR302'];

describe('bodies', () => {
  it('of any text are read, with places that are in it', () => {
    fc.assert(
      fc.property(markdown, fc.constantFrom('implement', 'refinement', null), (text, type) => {
        const count = text.split(/\r\n|\n|\r/).length;
        const body = readBody(text);
        const places = [
          ...body.sections,
          ...body.inScope,
          ...body.outOfScope,
          ...body.criteria,
          ...checkBody(text, type),
        ];
        for (const { line } of places) expect(line).toBeLessThanOrEqual(count);
      }),
      { numRuns: numberOfRuns(150) },
    );
  });

  it.each([
    ['quotes', '> '],
    ['lists', '- '],
    ['brackets', '['],
    ['fences', '```\n'],
    ['headings', '## Scope\n'],
    ['stars', '*'],
  ])('of thousands of %s are read', (_, piece) => {
    expect(readBody(piece.repeat(2_000)).criteria).toEqual([]);
  });
});

describe('summaries', () => {
  const summary = (piece: string) => `Type: spec-gap ${piece.repeat(100_000 / piece.length)}`;

  it.each([' ', '\n', '- ', '"a', 'a.', 'a/', '`', '<!--', 'Option A: ', 'section "', 'tests '])(
    'of a hundred thousand characters of %j are checked without delay',
    (piece) => {
      const blocked = { role: 'implementor', outcome: 'blocked', patch: null, summary: summary(piece) };
      expect(checkImplementorResult(blocked).ok).toBe(false);
      expect(checkImplementorResult({ ...blocked, outcome: 'validation-failure' })).toHaveProperty('ok');
      const comments = [{ path: 'a', line: null, body: summary(piece) }];
      const review = { verdict: 'needs-changes', summary: 'One.', comments };
      expect(checkReviewerResult({ role: 'reviewer', review }).ok).toBe(false);
    },
    10_000,
  );
});

describe('labels', () => {
  it('come back from their fields, in order and once', () => {
    fc.assert(
      fc.property(fc.array(label), (labels) => {
        const once = formatLabels(readLabelFields(labels));
        expect(formatLabels(readLabelFields(once))).toEqual(once);
      }),
    );
  });
});
