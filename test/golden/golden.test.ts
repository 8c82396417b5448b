import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTemplateReader } from '../../src/adapters/prompts/template.ts';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { renderHuman } from '../../src/diagnostics/render-human.ts';
import { checkWorkflow } from '../../src/workflow/check-workflow.ts';
import { checkConfig } from '../../src/workflow/config/config-document.ts';
import { CODES } from '../../src/workflow/diagnostic-codes.ts';
import { checkPrompt } from '../../src/workflow/document/prompt-document.ts';
import type { CheckContext } from '../../src/workflow/rule.ts';
import type { Source } from '../../src/workflow/yaml/source-text.ts';

const context: CheckContext = {
  defaults: { timeoutMs: 1_800_000, idleTimeoutMs: 300_000, maxVisits: 10 },
  names: {
    agents: new Set(['fixer']),
    validators: new Set(['audit']),
    policies: new Set(),
    prompts: new Map([
      ['task.work.v1', { role: 'task', schemaRef: null, inputs: [{ name: 'task', required: true }] }],
      ['task.needy.v1', { role: 'task', schemaRef: null, inputs: [{ name: 'ticket', required: true }] }],
      [
        'task.torn.v1',
        {
          role: 'task',
          schemaRef: null,
          inputs: [],
          problem: () => ({
            message: 'the text uses `tsak`, which is no input of the prompt',
            help: 'did you mean `task`?',
            place: '.tnh/prompts/task.torn.v1.md:9:4',
          }),
        },
      ],
      ['planner.judge.v1', { role: 'planner', schemaRef: 'planner_decision.v1', inputs: [] }],
      ['planner.free.v1', { role: 'planner', schemaRef: null, inputs: [] }],
    ]),
    entrypoints: new Set(['node', 'python3']),
  },
  inputs: null,
  readTemplate: createTemplateReader(),
};

interface Checked {
  readonly diagnostics: readonly Diagnostic[];
  readonly text: string;
}

const kinds: Record<string, (source: Source) => Checked> = {
  workflow: (source) => checkWorkflow(source, context),
  config: checkConfig,
  prompt: (source) => checkPrompt(source, promisedBy(source.name), createTemplateReader()),
};

/** Goldens are named for what they show; the part after the code is the name of the prompt where it matters. */
function promisedBy(file: string): string | null {
  return /^PR107-(.+)\.md$/.exec(file)?.[1] ?? null;
}

const cases = Object.keys(kinds).flatMap((kind) =>
  readdirSync(join(import.meta.dirname, kind))
    .filter((file) => /\.(?:yaml|md)$/.test(file))
    .map((file) => ({ kind, file })),
);

function check(kind: string, file: string): Checked {
  const source = { name: file, bytes: readFileSync(join(import.meta.dirname, kind, file)) };
  const checker = kinds[kind];
  if (checker === undefined) throw new Error(`no checker for ${kind}`);
  return checker(source);
}

describe('golden diagnostics', () => {
  it.each(cases)(
    '$kind/$file is reported as its .out file shows, and as nothing else',
    async ({ kind, file }) => {
      const { diagnostics, text } = check(kind, file);
      const expected = file.startsWith('valid') ? [] : [file.split('-')[0]];
      expect([...new Set(diagnostics.map((diagnostic) => diagnostic.code))]).toEqual(expected);
      const rendered = renderHuman(diagnostics, { name: file, text }, { color: false });
      const out = file.replace(/\.(?:yaml|md)$/, '.out');
      await expect(rendered).toMatchFileSnapshot(join(import.meta.dirname, kind, out));
    },
  );

  it('there is a golden for every registered code', () => {
    const covered = new Set(cases.map(({ file }) => file.split('-')[0]));
    expect(Object.keys(CODES).filter((code) => !covered.has(code))).toEqual([]);
  });
});
