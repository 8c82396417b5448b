import { describe, expect, it } from 'vitest';
import { createWorkflow } from '../../../../bench/workflow-file.mjs';
import { type Diagnostic, MAX_DIAGNOSTICS } from '../../../../src/diagnostics/diagnostic.ts';
import { renderHuman } from '../../../../src/diagnostics/render-human.ts';
import { type CheckedWorkflow, checkWorkflow } from '../../../../src/workflow/check-workflow.ts';
import { checkConfig } from '../../../../src/workflow/config/config-document.ts';
import { checkPrompt } from '../../../../src/workflow/document/prompt-document.ts';

const MEBIBYTE = 1024 * 1024;
const context = {
  defaults: { timeoutMs: 1_800_000, idleTimeoutMs: 300_000, maxVisits: 10 },
  names: null,
  inputs: null,
};
const HEAD = 'workflow_id: a\nversion: 1\ndescription: d\nentry_step: a\nsteps:\n';

function many(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join('');
}

/** How long it takes is measured in the bench; here a reader that runs away meets the limit of the test. */
function checkBytes(bytes: Uint8Array): CheckedWorkflow {
  return checkWorkflow({ name: 'x.yaml', bytes }, context);
}

const sourceOf = (text: string) => ({ name: 'x', bytes: new TextEncoder().encode(text) });
const check = (text: string) => checkBytes(new TextEncoder().encode(text));

describe('a hostile file', () => {
  it.each<[string, () => string, string]>([
    ['a megabyte of [', () => '['.repeat(MEBIBYTE), 'WF004'],
    ['a megabyte of {a: ', () => '{a: '.repeat(MEBIBYTE / 4), 'WF004'],
    ['a megabyte of dashes', () => '- '.repeat(MEBIBYTE / 2), 'WF004'],
    ['a megabyte of keys on one line', () => 'a: '.repeat(MEBIBYTE / 3), 'WF004'],
    ['keys that go deeper line by line', () => many(1400, (index) => `${' '.repeat(index)}a:\n`), 'WF004'],
    [
      'aliases of aliases of aliases',
      () =>
        `k0: &k0 [x]\n${many(12, (index) => `k${index + 1}: &k${index + 1} [${`*k${index},`.repeat(9)}]\n`)}`,
      'WF004',
    ],
    ['a megabyte of commas', () => `[${','.repeat(MEBIBYTE)}`, 'WF004'],
    ['a megabyte of quotes', () => '"'.repeat(MEBIBYTE), 'WF004'],
    ['a megabyte of anchors', () => '&a '.repeat(MEBIBYTE / 3), 'WF004'],
    ['300,000 aliases', () => `a: &a 1\nb: [${'*a,'.repeat(300_000)}]\n`, 'WF004'],
    ['20,000 documents', () => 'a: 1\n---\n'.repeat(20_000), 'WF003'],
    ['half a million question marks', () => '? a\n'.repeat(500_000), 'WF004'],
    ['a million blank lines before a slip', () => `${'\n'.repeat(1_000_000)}a: [}\n`, 'WF004'],
    ['a million keys', () => many(1_000_000, (index) => `k${index}: 1\n`), 'WF004'],
    [
      'a long name behind many aliases',
      () => `x: &x ${'a'.repeat(MEBIBYTE)}\n${many(20, (index) => `k${index}: *x\n`)}`,
      'WF004',
    ],
    ['a NUL behind a megabyte', () => `${'#'.repeat(MEBIBYTE)}\0`, 'WF001'],
  ])('of %s is refused at once, for that one reason', (_, text, code) => {
    const checked = check(text());
    expect(checked.diagnostics.map((diagnostic) => diagnostic.code)).toEqual([code]);
  });

  it.each<[string, () => Uint8Array]>([
    ['17 MiB', () => new Uint8Array(17 * MEBIBYTE).fill(0x20)],
    ['16 MiB that are not UTF-8', () => new Uint8Array(16 * MEBIBYTE).fill(0x20).fill(0xff, -1)],
  ])('of %s is refused before it is read as YAML', (_, bytes) => {
    const checked = checkBytes(bytes());
    expect(checked.diagnostics.map((diagnostic) => diagnostic.code)).toEqual(['WF001']);
  });

  it.each<[string, () => string]>([
    ['10,000 duplicate keys', () => 'a: 1\n'.repeat(10_000)],
    ['10,000 unknown keys', () => many(10_000, (index) => `key_${index}: 1\n`)],
    [
      '10,000 unknown keys in a step',
      () => `${HEAD}  - id: a\n    opcode: STOP\n${many(10_000, (index) => `    k${index}: 1\n`)}`,
    ],
    ['5,000 empty steps', () => HEAD + '  - {}\n'.repeat(5_000)],
    ['10,000 numbers for steps', () => HEAD + many(10_000, (index) => `  - ${index}\n`)],
    [
      '10,000 numbers for inputs',
      () =>
        `${HEAD}  - id: a\n    opcode: RUN_AGENT\n    inputs:\n${many(10_000, (index) => `      - ${index}\n`)}`,
    ],
    [
      '10,000 unknown substitutions in one text',
      () =>
        `${HEAD}  - id: a\n    opcode: RUN_VALIDATION\n    run:\n      - id: v\n        kind: script\n        entrypoint: ./v\n        args: ["${many(10_000, (index) => `\${n${index}}`)}"]\n`,
    ],
    [
      '2,500 misspelt opcodes',
      () => HEAD + many(2500, (index) => `  - id: s${index}\n    opcode: RUN_AGNT\n    rotes: {}\n`),
    ],
    [
      '2,500 misspelt targets',
      () =>
        HEAD +
        many(
          1250,
          (index) =>
            `  - id: step_number_${index}\n    opcode: ROLLBACK\n    target: pre_run\n    routes: { completed: step_nomber_${index}, error: stap_number_${index} }\n`,
        ),
    ],
  ])('with %s gets a readable number of diagnostics, and a note that there are more', (_, text) => {
    const checked = check(text());
    expect(checked.diagnostics).toHaveLength(MAX_DIAGNOSTICS);
    expect(checked.diagnostics.at(-1)?.notes.at(-1)).toMatch(/^there are more problems;/);
    expect(checked.diagnostics.slice(0, -1).flatMap(({ notes }) => notes)).not.toContainEqual(
      expect.stringMatching(/more problems/),
    );
    expect(checked.plan).toBeNull();
  });

  it.each<[string, string]>([
    ['unquoted', `workflow_id: ${'x y'.repeat(MEBIBYTE / 3)}\n`],
    ['quoted', `workflow_id: "${'x y'.repeat(MEBIBYTE / 3)}"\n`],
    ['in brackets', `workflow_id: [${"'a',".repeat(MEBIBYTE / 4)}]\n`],
  ])('of one line of a megabyte, %s, is quoted in part', (_, text) => {
    const checked = check(text);
    const rendered = renderHuman(checked.diagnostics, { name: 'x', text: checked.text }, { color: false });
    expect(checked.diagnostics.length).toBeGreaterThan(0);
    expect(rendered.length).toBeLessThan(10_000);
  });
});

describe('a hostile name', () => {
  it.each(['agent', 'prompt', 'policy'])('of a megabyte as %s is reported briefly', (key) => {
    const name = `${'a'.repeat(MEBIBYTE)}!`;
    const names = { agents: new Set<string>(), validators: new Set<string>(), policies: new Set<string>() };
    const known = { ...names, prompts: new Map(), entrypoints: new Set<string>() };
    const text = `${HEAD}  - id: a\n    opcode: RUN_AGENT\n    ${key}: ${name}\n`;
    const bytes = new TextEncoder().encode(text);
    const { diagnostics } = checkWorkflow({ name: 'x.yaml', bytes }, { ...context, names: known });
    const rendered = renderHuman(diagnostics, { name: 'x', text }, { color: false });
    expect(rendered).toContain('aaaa…');
    expect(rendered.length).toBeLessThan(20_000);
  });
});

describe('other hostile documents', () => {
  const keys = many(1000, (index) => `key_${index}: 1\n`);

  it.each<[string, () => readonly Diagnostic[]]>([
    ['a configuration', () => checkConfig(sourceOf(keys)).diagnostics],
    ['a prompt', () => checkPrompt(sourceOf(`---\n${keys}---\nbody\n`)).diagnostics],
  ])('%s with too many problems gets a readable number', (_, diagnose) => {
    const diagnostics = diagnose();
    expect(diagnostics).toHaveLength(MAX_DIAGNOSTICS);
    expect(diagnostics.at(-1)?.notes.at(-1)).toMatch(/^there are more problems;/);
  });

  it('a configuration with a thousand sound agents is sound', () => {
    const agents = many(1000, (index) => `  a${index}: { kind: command, command: [a] }\n`);
    const checked = checkConfig(sourceOf(`agents:\n${agents}`));
    expect(checked.diagnostics).toEqual([]);
    expect(Object.keys(checked.config?.agents ?? {})).toContain('a999');
  });
});

describe('a very long workflow', () => {
  it('of 1,500 steps is valid', () => {
    const text = createWorkflow(300);
    const checked = check(text);
    expect(checked.diagnostics).toEqual([]);
    expect(checked.plan).not.toBeNull();
  });
});
