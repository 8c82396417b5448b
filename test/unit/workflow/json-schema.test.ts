import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { configDocumentSchema } from '../../../src/contracts/config.ts';
import { promptFrontMatterSchema } from '../../../src/contracts/prompt.ts';
import { workflowDocumentSchema } from '../../../src/contracts/workflow-document.ts';

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
});
