import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { jsonSchemaOf } from '../../../src/contracts/json-schemas.ts';
import { journalEntrySchema, workEventSchema } from '../../../src/contracts/work/work-event.ts';
import {
  pipelineSchema,
  revisionSchema,
  specSchema,
  workItemSchema,
} from '../../../src/contracts/work/work-item.ts';
import {
  implementorResultSchema,
  plannerResultSchema,
  reviewerResultSchema,
} from '../../../src/contracts/work/work-results.ts';
import { isJsonObject } from '../../../src/text/json.ts';
import { parseExistingItems } from '../../../src/work/results/existing-items.ts';
import { schemaProblems } from '../json-schema-check.ts';
import { bareProperties, schemasIn } from '../json-schema-walk.ts';
import { plannedItem, plannerResult } from './work-fixtures.ts';

const SCHEMAS = {
  plannerResultSchema,
  implementorResultSchema,
  reviewerResultSchema,
  workItemSchema,
  pipelineSchema,
  revisionSchema,
  specSchema,
  workEventSchema,
  journalEntrySchema,
};

describe('the schemas of work items', () => {
  it.each(Object.entries(SCHEMAS))('describe every field: %s', (_, schema) => {
    const root = z.toJSONSchema(schema, { io: 'input' });
    const fields = [...schemasIn(root, '')].flatMap(([, inner]) =>
      isJsonObject(inner.properties) ? Object.keys(inner.properties) : [],
    );
    expect(fields.length).toBeGreaterThan(1);
    expect(bareProperties(root)).toEqual([]);
  });

  it('describe a field that is used in two places as each place wants it', () => {
    const { properties } = jsonSchemaOf('reviewer-result');
    expect(properties?.review).toMatchObject({ description: 'The review.' });
  });

  it.each(['extra', 'x-extra'])('refuse the key %s anywhere, as their checks do', (key) => {
    const schema = jsonSchemaOf('planner-result');
    const result = plannerResult({ create: [plannedItem('a')] });
    expect(schemaProblems(schema, result)).toEqual([]);
    expect(schemaProblems(schema, { ...result, [key]: 1 })).not.toEqual([]);
    expect(schemaProblems(schema, { ...result, create: [{ ...plannedItem('a'), [key]: 1 }] })).not.toEqual(
      [],
    );
    expect(z.safeParse(plannerResultSchema, { ...result, [key]: 1 }).success).toBe(false);
  });
});

describe('the existing items for a check', () => {
  it.each([
    ['ids', ['a', 'b'], [{ id: 'a' }, { id: 'b' }]],
    ['numbers', [7], [{ id: '7' }]],
    [
      'items',
      [{ id: 'a', title: 'A', status: 'ready', type: 'implement', blockedBy: ['b'], more: 1 }],
      [{ id: 'a', title: 'A', status: 'ready', type: 'implement', blockedBy: ['b'] }],
    ],
    [
      'items of another make',
      [{ id: 7, status: 'open', type: 3, blockedBy: 'x', title: null }],
      [{ id: '7' }],
    ],
    ['a document', { schema_version: 1, items: [{ id: 'a' }, 'b'] }, [{ id: 'a' }, { id: 'b' }]],
    ['none', [], []],
  ])('may be %s', (_, value, items) => {
    expect(parseExistingItems(value)).toEqual({ ok: true, items });
  });

  it.each([
    ['a text', 'a', 'expected an array of items, or an object with an array "items"'],
    ['null', null, 'expected an array of items, or an object with an array "items"'],
    ['an object without items', {}, 'expected an array of items, or an object with an array "items"'],
    ['an item without an id', [{ title: 'A' }], '0: expected an id, or an item with an id'],
    ['an empty id', ['a', ''], '1: expected an id, or an item with an id'],
    ['a document with a wrong item', { items: [true] }, 'items.0: expected an id, or an item with an id'],
  ])('may not be %s', (_, value, message) => {
    expect(parseExistingItems(value)).toEqual({ ok: false, message });
  });
});
