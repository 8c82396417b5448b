import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberOfRuns } from '../number-of-runs.ts';
import { check, checkWithAdvice, codes, mutate, patternA } from './check.ts';

describe('pattern A', () => {
  it('is valid unchanged', () => {
    const checked = checkWithAdvice(patternA);
    const { plan, document } = checked;
    expect(checked.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(codes(checked)).toEqual(['WF312', 'WF312', 'WF209']);
    expect(document?.workflow_id).toBe('generative_eval');
    expect(plan?.steps.map((step) => step.id)).toEqual([
      'synthesize',
      'execute_harness',
      'evaluate',
      'fix',
      'golden_gate',
    ]);
  });

  it('stays valid with CRLF line ends and a byte order mark', () => {
    expect(codes(check(`\ufeff${patternA.replaceAll('\n', '\r\n')}`))).toEqual([]);
  });

  it('never makes the checker throw, whatever is cut, put in or swapped', () => {
    const pieces = [
      '"',
      "'",
      '{',
      '[',
      '}',
      ']',
      ':',
      '- ',
      '&a ',
      '*a',
      '<<: ',
      '\n',
      '\t',
      '${',
      '!',
      '|',
      '0',
      'null',
      '...',
      '---\n',
      '\ufeff',
    ];
    const edit = fc.record({
      at: fc.nat({ max: patternA.length }),
      cut: fc.nat({ max: 40 }),
      put: fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 6 })),
    });
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
        const text = edits.reduce(
          (current, { at, cut, put }) => current.slice(0, at) + put + current.slice(at + cut),
          patternA,
        );
        const { diagnostics, plan } = check(text);
        const errors = diagnostics.filter((diagnostic) => diagnostic.severity === 'error');
        expect(plan === null).toBe(errors.length > 0);
        const lines = text.split('\n').length;
        for (const { span } of diagnostics) {
          expect(span.line).toBeGreaterThan(0);
          expect(span.line).toBeLessThanOrEqual(lines);
          expect(span.column).toBeGreaterThan(0);
        }
      }),
      { numRuns: numberOfRuns(60) },
    );
  });

  it.each(['{ a: 1 }', '[{ a: 1 }]', '[a]', '5', 'null', ''])(
    'tells that the opcode is no word, and of the keys beside it: %s',
    (opcode) => {
      const text = patternA.replace('opcode: "RUN_VALIDATION"', `opcode: ${opcode}\n    gate: x`);
      expect(codes(check(text))).toEqual(
        expect.arrayContaining([expect.stringMatching(/^WF0(?:08|09|10)$/)]),
      );
    },
  );

  it('never makes the checker throw when any line is removed', () => {
    const lines = patternA.split('\n');
    for (const index of lines.keys()) {
      const text = lines.filter((_, other) => other !== index).join('\n');
      expect(() => check(text)).not.toThrow();
    }
  });
});

describe('one cause is one diagnostic', () => {
  it.each<[string, string, string, string[]]>([
    ['a misspelt key', 'prompt: "task.s', 'promt: "task.s', ['WF007']],
    ['a misspelt id key', '- id: "fix"', '- idd: "fix"', ['WF007']],
    [
      'a misspelt routes key',
      'routes:\n      completed: "execute_harness"',
      'rotues:\n      completed: "execute_harness"',
      ['WF007'],
    ],
    ['a misspelt steps key', 'steps:', 'stesp:', ['WF007']],
    ['a misspelt opcode', '"GATE"', '"GTAE"', ['WF010']],
    ['an opcode in lower case', '"EVALUATE"', '"evaluate"', ['WF010']],
    ['a misspelt target', 'partial: "fix"', 'partial: "fxi"', ['WF202']],
    ['a target that means nothing', 'partial: "fix"', 'partial: "elsewhere"', ['WF202']],
    ['a missing route', '      partial: "fix"\n', '', ['WF201']],
    ['a misspelt kind', 'kind: "script"', 'kind: "scirpt"', ['WF010']],
    ['a bare stop in lower case', 'success: "STOP"', 'success: "stop"', ['WF202']],
    ['a version in quotes', 'version: 1', 'version: "1"', ['WF009']],
  ])('%s', (_, from, to, expected) => {
    expect(codes(check(mutate([from, to])))).toEqual(expected);
  });

  it('an opcode that is nothing like any other is reported alone', () => {
    expect(codes(check(mutate(['"RUN_VALIDATION"', '"DEPLOY"'])))).toEqual(['WF010']);
  });

  it('independent causes are all reported in one run, in the order of the text', () => {
    const text = mutate(
      ['version: 1', 'version: 1.5'],
      ['agent: "claude-code"', 'agnt: "claude-code"'],
      ['error: "STOP"', 'error: "somewhere"'],
      ['${run_id}', '${runid}'],
      ['unsafe: "STOP"', 'unsafe: "fix"'],
      ['gate: "requires_approval"', 'gate: ""'],
    );
    const lost = '  - id: "lost"\n    opcode: "STOP"\n';
    expect(codes(check(text + lost))).toEqual([
      'WF009',
      'WF007',
      'WF202',
      'WF305',
      'WF205',
      'WF011',
      'WF401',
    ]);
  });
});
