import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createPromptCatalog } from '../../../src/adapters/prompts/prompt-catalog.ts';
import { readPrompts } from '../../../src/adapters/prompts/prompt-files.ts';
import { type PromptFrontMatter, promptFrontMatterSchema } from '../../../src/contracts/documents/prompt.ts';
import { isRuntimeInput } from '../../../src/workflow/runtime-inputs.ts';
import { parseYaml } from '../../../src/workflow/yaml/yaml-source.ts';

const FOLDER = join(import.meta.dirname, '../../../prompts');
const { byRef, broken } = readPrompts([FOLDER]);
const catalog = createPromptCatalog(byRef);
const prompts = [...byRef.values()];

/** A value that shows where it lands, for every input that built-in prompts take. */
const GIVEN: Readonly<Record<string, unknown>> = {
  task: 'Add a flag --quiet.',
  specs: '[{"filePath":"docs/specs/quiet.md"}]',
  items: '[{"id":"12"}]',
  item: '{"id":"7"}',
  item_body: '## Objective\n\nBe quiet.',
  revision: '{"id":"r7"}',
  reviews: '[{"verdict":"needs-changes"}]',
  scope_warnings: '["[Warning] odd.ts is not in scope"]',
  scope_extensions: '[{"path":"notes.md","reason":"it documents the flag","by":"ada"}]',
  stale_patch: '+++ b/stale.ts',
  patch: '+++ b/item.ts',
  run_id: '0199ab',
  diff: '+++ b/quiet.ts',
  component_kind: 'cli',
  eval_profile: 'smoke',
  diff_summary: '1 file changed',
  transcript: 'claim: implemented',
  step_intent: 'implementation',
  allowed_next_steps: ['refine', 'ask'],
  evidence: { artifacts: ['evidence.log'] },
  provenance_window: [{ step_id: 'first-step' }],
  harness_report: { suite_id: 'quiet-suite' },
  validation_results: { exit_codes: { tests: 17 } },
  review_report: { review: { verdict: 'needs-changes' } },
  blockers: [{ summary: 'the flag is ignored', evidence_ref: 'logs/tests.txt' }],
  human_feedback: { by: 'ada', comment: 'name the flag --silent' },
  fix_instructions: {
    objective: 'heed the flag',
    constraints: ['keep the exit codes'],
    edits: [{ target: 'quiet.ts', action: 'read the flag', rationale: 'tests: exit 17' }],
    verification: [{ command: 'npm test', expected_signal: 'exit 0' }],
  },
};

/** What a role is given besides, and always: the run of a role is started by the engine. */
const ROLE_INPUTS = [
  'specs',
  'items',
  'item',
  'item_body',
  'revision',
  'reviews',
  'patch',
  'scope_warnings',
  'scope_extensions',
  'stale_patch',
];

/** A planner gets the number of refinements; a task, what to refine. */
const REFINEMENTS: Readonly<Record<string, { given: unknown; marks: readonly string[] }>> = {
  planner: { given: { spent: 4, max: 5 }, marks: ['4 of 5'] },
  task: {
    given: {
      objective: 'heed the flag',
      issues: [
        { summary: 'it is ignored', target: 'quiet.ts', action: 'read it', artifact_refs: ['logs/q.txt'] },
        { summary: 'no test', target: null, action: 'add one', artifact_refs: ['review.json'] },
      ],
      constraints: ['keep the exit codes'],
      verification: [{ command: 'npm test', expected_signal: 'exit 0' }],
    },
    marks: [
      'heed the flag',
      'quiet.ts: read it. it is ignored (see logs/q.txt)',
      '- add one. no test (see review.json)',
      'keep the exit codes',
      'npm test: exit 0',
    ],
  },
};

/** What cannot be left out of the text once it is given. */
const MARKS: Readonly<Record<string, readonly string[]>> = {
  evidence: ['evidence.log'],
  provenance_window: ['first-step'],
  harness_report: ['quiet-suite'],
  validation_results: ['17'],
  review_report: ['needs-changes'],
  blockers: ['the flag is ignored', 'logs/tests.txt'],
  fix_instructions: ['heed the flag', 'keep the exit codes', 'read the flag', 'npm test', 'exit 0'],
  human_feedback: ['What ada said', 'name the flag --silent'],
  allowed_next_steps: ['refine, ask'],
};

function textOf(ref: string, inputs: Readonly<Record<string, unknown>>): string {
  const prompt = byRef.get(ref);
  if (prompt === undefined) throw new Error(`${ref} is not built in`);
  const rendered = catalog.render(prompt, inputs);
  if (!rendered.ok) throw new Error(rendered.message);
  return rendered.text;
}

function inputsOf(ref: string, which: 'all' | 'required'): Record<string, unknown> {
  const inputs = byRef.get(ref)?.inputs.filter(({ required }) => which === 'all' || required) ?? [];
  const refinement = REFINEMENTS[byRef.get(ref)?.role ?? '']?.given;
  return Object.fromEntries(
    inputs.map(({ name }) => [name, name === 'refinement' ? refinement : GIVEN[name]]),
  );
}

describe('the built-in prompts', () => {
  it('are all without an error', () => {
    expect(broken.map(({ name }) => name)).toEqual([]);
    expect(prompts).toHaveLength(readdirSync(FOLDER).length);
  });

  it.each(prompts)('$ref asks only for what the runtime supplies, or for the task', ({ ref, inputs }) => {
    const given = ref.startsWith('work.') ? ROLE_INPUTS : ['task'];
    expect(
      inputs.map(({ name }) => name).filter((name) => !given.includes(name) && !isRuntimeInput(name)),
    ).toEqual([]);
  });

  it.each(prompts)('$ref states its kind, its owner and the source of each input', ({ ref }) => {
    const { summary, owner, status, inputs } = frontMatterOf(ref);
    expect({ summary, owner, status }).toEqual({
      summary: expect.stringMatching(/^[A-Z].+\.$/),
      owner: 'conductor',
      status: 'current',
    });
    expect(inputs?.filter(({ source, description }) => !source || !description)).toEqual([]);
  });

  it.each(prompts)(
    '$ref says what a step with it is for, or what it answers',
    ({ role, intent, schemaRef }) => {
      if (role === 'planner') expect([intent, schemaRef]).toEqual([null, 'planner_decision.v1']);
      else expect([intent === null, schemaRef]).toEqual([false, null]);
    },
  );

  it.each(prompts)('$ref renders with what it requires alone, and leaves no gap', ({ ref }) => {
    const text = textOf(ref, inputsOf(ref, 'required'));
    expect(text).not.toMatch(/\{[{%]|undefined|null,? *$|\[object|\n{4}/m);
  });

  it.each(prompts)('$ref uses every input it declares', ({ ref, role, inputs }) => {
    const given = inputsOf(ref, 'all');
    const text = textOf(ref, given);
    for (const { name } of inputs) {
      const marks = name === 'refinement' ? REFINEMENTS[role]?.marks : MARKS[name];
      for (const mark of marks ?? [String(given[name])]) expect(text, name).toContain(mark);
    }
  });

  it.each(prompts)('$ref is not rendered without an input it requires', ({ ref, inputs }) => {
    const prompt = byRef.get(ref);
    for (const { name, required } of inputs) {
      if (!required || prompt === undefined) continue;
      const rendered = catalog.render(prompt, { ...inputsOf(ref, 'all'), [name]: null });
      expect(rendered).toMatchObject({ ok: false, message: expect.stringContaining(name) });
    }
  });

  it.each(prompts)('$ref has nothing wrong with its text', (prompt) => {
    expect(catalog.problem(prompt, [])).toBeNull();
  });

  it.each([
    ['{{ gone }}', [], /`gone`, which is not an input/],
    ['{{ task }} {{ diff }}', [], null],
    ['{{ gone }}', ['gone'], null],
    ['{% for each in own %}{{ each.name }}{% endfor %}', [], null],
    ['{% if own %}', [], /not closed/],
    ['{{ own', [], /not closed/],
    ['{{ own | nothing_like_it }}', [], /undefined filter/],
    ['{% include "other" %}', [], /includes no files/],
  ])('of the text %j with %j given, a run would not get past %s', (body, given, problem) => {
    const [prompt] = prompts;
    if (prompt === undefined) throw new Error('no prompt is built in');
    const inputs = [{ name: 'own', type: 'string', required: true }] as const;
    const found = catalog.problem({ ...prompt, inputs, body }, given);
    if (problem === null) expect(found).toBeNull();
    else expect(found).toMatch(problem);
  });

  it.each(prompts)('$ref renders to the same text every time', ({ ref }) => {
    const again = createPromptCatalog(readPrompts([FOLDER]).byRef);
    const prompt = byRef.get(ref);
    if (prompt === undefined) throw new Error(`${ref} is gone`);
    const rendered = again.render(prompt, inputsOf(ref, 'all'));
    expect(rendered).toEqual({ ok: true, text: textOf(ref, inputsOf(ref, 'all')) });
  });
});

function frontMatterOf(ref: string): PromptFrontMatter {
  const [, text = ''] = readFileSync(join(FOLDER, `${ref}.md`), 'utf8').split(/^---$/m);
  return promptFrontMatterSchema.parse(parseYaml(text.trimStart(), 'PR').source?.data);
}
