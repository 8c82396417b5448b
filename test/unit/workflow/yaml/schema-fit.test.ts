import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { workflowDocumentSchema } from '../../../../src/contracts/documents/workflow-document.ts';
import { surelyFits } from '../../../../src/workflow/document/schema-fit.ts';
import { validWorkflow, type WorkflowValue } from '../../../../testing/workflow-arbitrary.ts';
import { MISTAKES, withMistake } from '../../document-mutations.ts';
import { numberOfRuns } from '../../number-of-runs.ts';

const seed = Number(process.env.FUZZ_SEED ?? 20_260_101);

function accepts(schema: z.core.$ZodType, value: unknown): boolean {
  return z.safeParse(schema, value).success;
}

/** These are taken out before a document meets its schema. */
function withoutFreeKeys(document: WorkflowValue): unknown {
  return JSON.parse(JSON.stringify(document), (key, value: unknown) =>
    key.startsWith('x-') ? undefined : value,
  );
}

describe('surelyFits', () => {
  it(`says the same as the schema about sound workflows, and recognises many (seed ${seed})`, () => {
    let recognised = 0;
    fc.assert(
      fc.property(validWorkflow().map(withoutFreeKeys), (document) => {
        const fits = surelyFits(workflowDocumentSchema, document);
        expect(fits).toBe(accepts(workflowDocumentSchema, document));
        if (fits) recognised += 1;
      }),
      { seed, numRuns: numberOfRuns(60) },
    );
    expect(recognised).toBeGreaterThan(20);
  });

  it.each(MISTAKES)(`says the same as the schema about workflows with a %s (seed ${seed})`, (mistake) => {
    fc.assert(
      fc.property(
        validWorkflow()
          .chain((document) => withMistake(document, mistake))
          .map(withoutFreeKeys),
        (document) => {
          expect(surelyFits(workflowDocumentSchema, document)).toBe(
            accepts(workflowDocumentSchema, document),
          );
        },
      ),
      { seed, numRuns: numberOfRuns(60) },
    );
  });

  it.each<[string, z.core.$ZodType, unknown]>([
    ['a default', z.object({ a: z._default(z.string(), 'x') }), { a: 'y' }],
    ['a change of the value', z.string().check(z.trim()), ' a '],
    ['a kind that no document has', z.bigint(), 1n],
  ])('leaves %s to the schema', (_, schema, value) => {
    expect(accepts(schema, value)).toBe(true);
    expect(surelyFits(schema, value)).toBe(false);
  });

  const person = z.strictObject({
    name: z.string().check(z.regex(/\S/)),
    age: z.int().check(z.minimum(1)),
    role: z.optional(z.enum(['task', 'planner'])),
  });

  it.each<[string, unknown, boolean]>([
    ['a sound mapping', { name: 'a', age: 1, role: 'task' }, true],
    ['one without what may be left out', { name: 'a', age: 1 }, true],
    ['one that lacks a key', { name: 'a' }, false],
    ['one with a key too many', { name: 'a', age: 1, agent: 'x' }, false],
    ['one with a fraction', { name: 'a', age: 1.5 }, false],
    ['one below a bound', { name: 'a', age: 0 }, false],
    ['one with an unknown word', { name: 'a', age: 1, role: 'tusk' }, false],
    ['one with a blank text', { name: ' ', age: 1 }, false],
    ['a list', [], false],
    ['nothing', null, false],
  ])('reports for %s what the schema reports', (_, value, expected) => {
    expect(surelyFits(person, value)).toBe(expected);
    expect(accepts(person, value)).toBe(expected);
  });
});
