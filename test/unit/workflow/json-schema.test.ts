import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { configDocumentSchema } from '../../../src/contracts/config/config.ts';
import { promptFrontMatterSchema } from '../../../src/contracts/documents/prompt.ts';
import { workflowDocumentSchema } from '../../../src/contracts/documents/workflow-document.ts';

describe('the schemas of documents', () => {
  it.each([
    ['workflow', workflowDocumentSchema],
    ['config', configDocumentSchema],
    ['prompt', promptFrontMatterSchema],
  ])('%s gives a JSON Schema that refuses unknown keys and allows x- keys', (_, schema) => {
    expect(z.toJSONSchema(schema)).toMatchObject({
      type: 'object',
      additionalProperties: false,
      patternProperties: { '^x-': {} },
    });
  });

  it.each([
    ['a key of its own', workflowDocumentSchema, 'entry_step', 'The id of the first step.'],
    ['a mapping', workflowDocumentSchema, 'defaults', 'Defaults for every step.'],
    [
      'a key that may be left out',
      configDocumentSchema,
      'limits',
      'Defaults for workflows that set no limits; not a cap.',
    ],
  ])('give editors the description of %s', (_, schema, key, description) => {
    expect(z.toJSONSchema(schema).properties?.[key]).toMatchObject({ description });
  });

  it('describe one use of a form without describing the others', () => {
    const properties = z.toJSONSchema(promptFrontMatterSchema).properties;
    expect(properties?.inputs).toHaveProperty(
      'items.properties.name.description',
      'The name of the variable.',
    );
    expect(properties?.inputs).toHaveProperty(
      'items.properties.type.description',
      'The type. Default: `string`.',
    );
  });
});
