import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { jsonSchemaOf, SCHEMA_NAMES } from '../../src/contracts/json-schemas.ts';
import { isJsonObject, type JsonObject } from '../../src/text/json.ts';
import { validWorkflow } from '../../testing/workflow-arbitrary.ts';
import { MISTAKES, withMistake } from './document-mutations.ts';
import { schemaProblems } from './json-schema-check.ts';
import { bareProperties, schemasIn } from './json-schema-walk.ts';
import { numberOfRuns } from './number-of-runs.ts';
import { check } from './workflow/check.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const workflowSchema = jsonSchemaOf('workflow');

describe('the JSON Schemas', () => {
  it('are these', () => {
    expect(SCHEMA_NAMES.filter((name) => !/^(?:cli|http)\./.test(name))).toEqual([
      'workflow',
      'config',
      'policy',
      'prompt',
      'harness-suite',
      'harness-report',
      'planner-input',
      'planner-decision',
      'planner-trace',
      'claim-ledger',
      'planner-vector',
      'planner-result',
      'implementor-result',
      'reviewer-result',
      'event',
      'status',
      'metadata',
      'manifest',
    ]);
  });

  it.each(SCHEMA_NAMES)('say what they are and name no host: %s', (name) => {
    const schema = jsonSchemaOf(name);
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `urn:tnh-conductor:schema:${name}`,
      title: expect.stringMatching(/^\S/),
    });
    const { $schema: _, ...own } = schema;
    expect(JSON.stringify(own)).not.toMatch(/https?:/);
  });

  it('describe each use of a shared form by itself', () => {
    const text = JSON.stringify(jsonSchemaOf('config'));
    for (const description of ['US dollars per million input tokens.', 'The address of the topic.'])
      expect(text.split(`"description":"${description}"`)).toHaveLength(2);
  });

  it.each([
    'workflow',
    'config',
    'policy',
    'prompt',
    'harness-suite',
    'planner-result',
    'implementor-result',
    'reviewer-result',
  ] as const)('describe every property: %s', (name) => {
    expect(bareProperties(jsonSchemaOf(name))).toEqual([]);
  });

  it.each(['workflow', 'config', 'prompt', 'policy'] as const)(
    'allow keys of the author wherever keys are fixed: %s',
    (name) => {
      const fixed = [...schemasIn(jsonSchemaOf(name), '')].filter(([, schema]) =>
        isJsonObject(schema.properties),
      );
      expect(fixed.length).toBeGreaterThan(1);
      for (const [path, schema] of fixed)
        expect([path, schema]).toEqual([
          path,
          expect.objectContaining({ additionalProperties: false, patternProperties: { '^x-': {} } }),
        ]);
    },
  );

  it.each([
    'workflows/implement.yaml',
    'test/fixtures/workflows/pattern-a.yaml',
    'test/golden/workflow/valid.yaml',
  ])('accept %s', (path) => {
    const document: unknown = parse(readFileSync(join(ROOT, path), 'utf8'));
    expect(schemaProblems(workflowSchema, document)).toEqual([]);
  });

  it('accept the configuration that uses every key, and refuse a misspelt one', () => {
    const document = parse(readFileSync(join(ROOT, 'test/golden/config/valid.yaml'), 'utf8')) as JsonObject;
    expect(schemaProblems(jsonSchemaOf('config'), document)).toEqual([]);
    expect(schemaProblems(jsonSchemaOf('config'), { ...document, agnets: {} })).not.toEqual([]);
  });
});

describe('the checker and the JSON Schema of workflows', () => {
  const errorsOf = (document: unknown) => {
    const { diagnostics, plan } = check(JSON.stringify(document, null, 1));
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    return { errors: errors.map(({ code, message }) => `${code} ${message}`), plan };
  };

  it('both accept whatever the generator makes', () => {
    fc.assert(
      fc.property(validWorkflow(), (document) => {
        const { errors, plan } = errorsOf(document);
        expect(errors).toEqual([]);
        expect(plan).not.toBeNull();
        expect(schemaProblems(workflowSchema, document)).toEqual([]);
      }),
      { numRuns: numberOfRuns(60) },
    );
  });

  it.each(MISTAKES)('both refuse a document with a %s', (mistake) => {
    const wrong = validWorkflow().chain((document) => withMistake(document, mistake));
    fc.assert(
      fc.property(wrong, (document) => {
        expect(errorsOf(document).errors).not.toEqual([]);
        expect(schemaProblems(workflowSchema, document)).not.toEqual([]);
      }),
      { numRuns: numberOfRuns(40) },
    );
  });
});
