import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printWorkflow } from '../../../src/workflow/print-workflow.ts';
import { parseYaml } from '../../../src/workflow/yaml/yaml-source.ts';
import { validWorkflow, type WorkflowValue } from '../../../testing/workflow-arbitrary.ts';
import { numberOfRuns } from '../number-of-runs.ts';
import { checkWithAdvice } from './check.ts';

const seed = Number(process.env.FUZZ_SEED ?? 20_260_101);
const numRuns = numberOfRuns(60);

/** Words that YAML would take for something else if they were not quoted, and pieces that end or start things. */
const TRICKY = fc.constantFrom(
  ...'null ~ true No 1 0x1F 1e3 .inf - # --- ... &a *a !t %Y @ ` | > \' " \\ { [x << ${run_id} 😀'.split(' '),
  ...'- a;? b;: ; # no;a: b;; ;a b '.split(';'),
  ...'\n;a\n;\na;a\n\n  b\n;\t;\r\n;\u0085;\u2028;\ufeff;\u0000;\u001b'.split(';'),
);

const hardText = fc.oneof(
  TRICKY,
  fc
    .array(fc.oneof(TRICKY, fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 5 })
    .map((all) => all.join('')),
);

/** Valid documents whose free texts are as nasty as texts get. */
const hardWorkflow: fc.Arbitrary<WorkflowValue> = fc
  .tuple(validWorkflow(), hardText, hardText, hardText)
  .map(([document, description, key, note]) => ({
    ...document,
    description,
    [`x-${key}`]: { [key]: [note, { deep: note }], list: [], none: {} },
  }));

/** Null-prototype mappings of the readers and plain ones of the test are the same document. */
const plain = (data: unknown): unknown => JSON.parse(JSON.stringify(data));

describe('a printed workflow', () => {
  it(`is read as the document it was printed from (seed ${seed})`, () => {
    fc.assert(
      fc.property(fc.oneof(validWorkflow(), hardWorkflow), (document) => {
        const { source, diagnostics } = parseYaml(printWorkflow(document), 'WF');
        expect(diagnostics).toEqual([]);
        expect(plain(source?.data)).toEqual(plain(document));
      }),
      { seed, numRuns },
    );
  });

  it(`has no error that its document did not have, and means the same plan (seed ${seed})`, () => {
    fc.assert(
      fc.property(hardWorkflow, (document) => {
        const printed = checkWithAdvice(printWorkflow(document));
        expect(printed.plan).not.toBeNull();
        // JSON is YAML, and no printer wrote it.
        expect(printed.plan).toEqual(checkWithAdvice(JSON.stringify(document)).plan);
      }),
      { seed, numRuns: numRuns / 3 },
    );
  });

  it(`is printed the same again (seed ${seed})`, () => {
    fc.assert(
      fc.property(hardWorkflow, (document) => {
        const text = printWorkflow(document);
        const { source } = parseYaml(text, 'WF');
        expect(printWorkflow(source?.data as WorkflowValue)).toBe(text);
      }),
      { seed, numRuns: numRuns / 3 },
    );
  });

  const folders = ['workflows', 'examples/workflows', 'test/fixtures/workflows'];
  const files = folders.flatMap((folder) =>
    readdirSync(join(import.meta.dirname, '../../..', folder)).map((name) => `${folder}/${name}`),
  );

  it.each(files)('of the project means the plan of its file: %s', (path) => {
    const text = readFileSync(join(import.meta.dirname, '../../..', path), 'utf8');
    const { source } = parseYaml(text, 'WF');
    const printed = checkWithAdvice(printWorkflow(source?.data as WorkflowValue));
    expect(printed.plan).not.toBeNull();
    expect(printed.plan).toEqual(checkWithAdvice(text).plan);
  });

  it('reads like a hand-written one', () => {
    const document = {
      workflow_id: 'demo',
      version: 1,
      description:
        'A line that is long enough for a printer to be tempted to break it somewhere near here, after eighty.',
      entry_step: 'ask',
      steps: [
        { id: 'ask', opcode: 'GATE', gate: 'on', routes: { gate_approved: 'STOP', gate_rejected: 'STOP' } },
      ],
    };
    expect(printWorkflow(document)).toBe(`workflow_id: demo
version: 1
description: ${document.description}
entry_step: ask
steps:
  - id: ask
    opcode: GATE
    gate: on
    routes:
      gate_approved: STOP
      gate_rejected: STOP
`);
  });
});
