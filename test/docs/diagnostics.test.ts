import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { indexPrompts } from '../../src/adapters/prompts/prompt-files.ts';
import { createTemplateReader } from '../../src/adapters/prompts/template.ts';
import { type CodeEntry, FAMILIES } from '../../src/diagnostics/codes.ts';
import { PROBLEM_CODES } from '../../src/work/results/problem-codes.ts';
import { checkWorkflow } from '../../src/workflow/check-workflow.ts';
import { checkConfig } from '../../src/workflow/config/config-document.ts';
import { limitDefaults } from '../../src/workflow/config/limit-defaults.ts';
import { CODES } from '../../src/workflow/diagnostic-codes.ts';
import { checkPrompt } from '../../src/workflow/document/prompt-document.ts';
import { findTemplateProblems } from '../../src/workflow/document/prompt-template.ts';
import type { CheckContext, KnownPrompt } from '../../src/workflow/rule.ts';
import { contractCodes } from './contract-examples.ts';
import { blockOf, type Page, ROOT, readPage } from './markdown.ts';

const FOLDER = join(ROOT, 'docs', 'reference', 'diagnostics');
const EXPLAINED = new Map<string, CodeEntry>([
  ...Object.entries(CODES),
  ...Object.entries(PROBLEM_CODES).map(([code, title]) => [code, { title, severity: 'error' }] as const),
]);
const ALL_FAMILIES = { ...FAMILIES, WR: 'result of a role, or body of a work item' };
type Family = keyof typeof ALL_FAMILIES;
const codes = [...EXPLAINED.keys()].sort();
const files = (await readdir(FOLDER)).filter((name) => name !== 'README.md').sort();
const withPage = codes.filter((code) => files.includes(`${code}.md`));
const pages = await Promise.all(
  withPage.map(async (code) => ({ code, page: await readPage(`docs/reference/diagnostics/${code}.md`) })),
);

const builtIn = indexPrompts([join(ROOT, 'prompts')]);

/** What a project without a configuration of its own knows, and the prompt that a page shows besides. */
function contextOf(page: Page): CheckContext {
  const given = page.blocks
    .filter(({ info }) => info === 'markdown given')
    .map(({ text }) => readPrompt(text));
  const shown = new Map<string, KnownPrompt>(given.map((prompt) => [prompt.ref, prompt]));
  return {
    defaults: limitDefaults(null),
    names: {
      agents: new Set(['claude-code', 'codex']),
      validators: new Set(['tests', 'lint', 'typecheck']),
      policies: new Set(['policy.workspace.v1']),
      prompts: { keys: builtIn.keys, get: (ref) => shown.get(ref) ?? builtIn.get(ref) },
      entrypoints: new Set(['node', 'python3', 'bash', 'sh']),
    },
    inputs: null,
    readTemplate: createTemplateReader(),
  };
}

function readPrompt(text: string) {
  const { prompt, diagnostics } = checkPrompt({ name: 'given.md', bytes: encode(text) });
  if (prompt === null) throw new Error(`a given prompt is wrong: ${diagnostics[0]?.message}`);
  const declared = prompt.inputs.map(({ name }) => name);
  const problem: KnownPrompt['problem'] = (names) => {
    const [first] = findTemplateProblems(createTemplateReader()(prompt.body), [...declared, ...names]);
    return first === undefined ? null : { ...first, place: 'given.md' };
  };
  return { ...prompt, problem };
}

/** A page cannot hold a NUL character and stay text, so it shows the sign for one. */
function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text.replaceAll('\u2400', '\0'));
}

/** What the name of the file promises, on a page whose examples have one. */
function fileNameOn(page: Page): string | null {
  return /^Both examples are the text of `(.+)\.md`\.$/m.exec(page.text)?.[1] ?? null;
}

function entryOf(code: string): CodeEntry {
  const entry = EXPLAINED.get(code);
  if (entry === undefined) throw new Error(`${code} is not registered`);
  return entry;
}

function familyOf(code: string): Family {
  return code.slice(0, 2) as Family;
}

/** Each code that an example gets, once. */
function check(code: string, page: Page, kind: 'fails' | 'passes'): readonly string[] {
  const family = familyOf(code);
  const found = family === 'WR' ? contractCodes(code, page, kind) : diagnosticCodes(family, page, kind);
  return [...new Set(found)];
}

function diagnosticCodes(family: keyof typeof FAMILIES, page: Page, kind: 'fails' | 'passes') {
  const { text } = blockOf(page, `${family === 'PR' ? 'markdown' : 'yaml'} ${kind}`);
  const source = { name: 'example', bytes: encode(text) };
  switch (family) {
    case 'WF':
      return codesOf(checkWorkflow(source, contextOf(page)));
    case 'CF':
      return codesOf(checkConfig(source));
    case 'PR':
      return codesOf(checkPrompt(source, fileNameOn(page), createTemplateReader()));
  }
}

const codesOf = ({ diagnostics }: { readonly diagnostics: readonly { readonly code: string }[] }) =>
  diagnostics.map(({ code }) => code);

describe('the pages of the diagnostics', () => {
  it('exist for every code, and for nothing else', () => {
    const missing = codes.filter((code) => !withPage.includes(code)).map((code) => `${code}.md`);
    const unknown = files.filter((file) => !codes.some((code) => file === `${code}.md`));
    expect({ missing, unknown }).toEqual({ missing: [], unknown: [] });
  });

  it('are listed on the page of the folder as it would be written anew', async () => {
    await expect(renderIndex()).toMatchFileSnapshot(join(FOLDER, 'README.md'));
  });

  it.each(pages)('begin with the title and the severity that are registered: $code', ({ code, page }) => {
    const { title, severity } = entryOf(code);
    expect(page.text.split('\n').slice(0, 4)).toEqual([
      `# ${code}: ${title}`,
      '',
      `Severity: ${severity}.`,
      '',
    ]);
  });

  it.each(pages)('say what it means and show what fails before what passes: $code', ({ page }) => {
    expect(page.text).toMatch(
      /^Severity: \w+\.\n\n[A-Z`][\s\S]{80,}\n\n## Fails\n\n```[\s\S]+?```\n\n## Passes\n\n[A-Z]/m,
    );
  });

  it.each(pages)('have an example in which this is wrong and nothing else: $code', ({ code, page }) => {
    expect(check(code, page, 'fails')).toEqual([code]);
  });

  it.each(pages)('have an example in which nothing is wrong any more: $code', ({ code, page }) => {
    expect(check(code, page, 'passes')).toEqual([]);
  });

  it('name no code that does not exist', () => {
    const named = pages.flatMap(({ page }) =>
      [...page.text.matchAll(/\b(?:WF|CF|PR|WR)\d+\b/g)].map(([word]) => ({ at: page.path, word })),
    );
    expect(named.length).toBeGreaterThanOrEqual(pages.length);
    expect(named.filter(({ word }) => !EXPLAINED.has(word))).toEqual([]);
  });
});

/** `vitest -u` writes it. */
function renderIndex(): string {
  const sections = (Object.keys(ALL_FAMILIES) as Family[]).map((family) => {
    const rows = codes
      .filter((code) => familyOf(code) === family)
      .map((code) => [`[${code}](${code}.md)`, entryOf(code).severity, entryOf(code).title]);
    return `## ${family}: ${ALL_FAMILIES[family]}\n\n${renderTable([['code', 'severity', 'what is wrong'], ...rows])}`;
  });
  const head = `# Diagnostics

Every diagnostic, with an example that fails and one that passes. \`conductor explain CODE\` prints its page. A code never
changes its meaning. A workflow with errors doesn't run; warnings don't stop it.
`;
  return [head, ...sections].join('\n');
}

function renderTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |\n`;
  const [head = [], ...body] = rows;
  return [head, widths.map((width) => '-'.repeat(width)), ...body].map(line).join('');
}
