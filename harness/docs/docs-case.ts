import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import picomatch from 'picomatch';
import { didYouMean } from '../../src/diagnostics/did-you-mean.ts';
import { compileGlob } from '../../src/text/glob.ts';
import type { Attempt } from '../attempt.ts';
import type { DocsOptions } from '../case.ts';
import { type CaseContext, parseTimeoutMs } from '../case-context.ts';
import { countText } from '../text-match.ts';
import { createExampleRunner, EXAMPLE_LANGUAGES } from './docs-examples.ts';
import { checkLinks } from './docs-links.ts';
import { type MarkdownPage, readMarkdown } from './markdown-page.ts';

/** Folders without documentation of this repository. */
const SKIPPED_FOLDERS = new Set(['.git', '.tnh', 'node_modules']);

interface NamedPage {
  readonly path: string;
  readonly page: MarkdownPage;
}

/** Reads pages, checks their links inside the repository, and runs their examples. */
export async function runDocsCase(
  context: CaseContext,
  _id: string,
  options: DocsOptions,
  attempt: Attempt,
): Promise<void> {
  for (const language of options.run ?? []) checkLanguage(language);
  const pages: NamedPage[] = [];
  for (const pattern of options.files) {
    const paths = findMatches(context.cwd, pattern);
    if (paths.length === 0) attempt.problems.push(`no file matches ${pattern}`);
    for (const path of paths.filter((one) => pages.every((known) => known.path !== one))) {
      pages.push({ path, page: readMarkdown(readFileSync(join(context.cwd, path), 'utf8')) });
    }
  }
  const findings = pages.map(({ path, page }) => checkLinks(context.cwd, path, page));
  attempt.problems.push(...findings.flatMap(({ problems }) => problems));
  const sum = (count: 'checked' | 'external'): number =>
    findings.reduce((total, finding) => total + finding[count], 0);
  const ran = await runExamples(context, options, pages, attempt);
  attempt.observations.push(
    `${countText(pages.length, 'page')}, ${countText(sum('checked'), 'link')} inside the repository, ${sum('external')} elsewhere and not followed, ${countText(ran, 'example')} run`,
  );
}

function checkLanguage(language: string): void {
  if (EXAMPLE_LANGUAGES.includes(language)) return;
  const near = didYouMean(language, EXAMPLE_LANGUAGES);
  const help = near === null ? `they can be run in ${EXAMPLE_LANGUAGES.join(', ')}` : `did you mean ${near}?`;
  throw new Error(`examples in ${language} can't be run; ${help}`);
}

async function runExamples(
  context: CaseContext,
  options: DocsOptions,
  pages: readonly NamedPage[],
  attempt: Attempt,
): Promise<number> {
  const languages = options.run ?? [];
  const chosen = pages.flatMap(({ path, page }) =>
    page.examples
      .filter(({ language }) => languages.includes(language))
      .map((example) => ({ path, example })),
  );
  if (chosen.length === 0) return 0;
  const runner = createExampleRunner(context.cwd, options.env ?? {});
  try {
    for (const { path, example } of chosen) {
      attempt.problems.push(...(await runner.run(path, example, parseTimeoutMs(options.timeout))));
    }
  } finally {
    runner.close();
  }
  return chosen.length;
}

function findMatches(root: string, pattern: string): string[] {
  const { isGlob } = picomatch.scan(pattern);
  const matches = compileGlob(pattern, { dot: true });
  const paths = filesBelow(root, '');
  return isGlob
    ? paths.filter((path) => matches(path))
    : paths.filter((path) => path === pattern.replace(/^\.\//, ''));
}

function filesBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) return SKIPPED_FOLDERS.has(entry.name) ? [] : filesBelow(root, path);
      return entry.isFile() ? [path] : [];
    });
}
