import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CodeEntry } from '../../../../diagnostics/codes.ts';
import { didYouMean } from '../../../../diagnostics/did-you-mean.ts';
import { PROBLEM_CODES } from '../../../../work/results/problem-codes.ts';
import { CODES } from '../../../../workflow/diagnostic-codes.ts';
import { CliError } from '../../cli-error.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';

/** Diagnostics of documents and problems of role results. Every code has a page. */
const EXPLAINED: Readonly<Record<string, CodeEntry>> = {
  ...CODES,
  ...Object.fromEntries(
    Object.entries(PROBLEM_CODES).map(([code, title]) => [code, { title, severity: 'error' as const }]),
  ),
};

/** Prints the documentation page of a code. */
export async function explain(context: VerbContext, word: string): Promise<ExitCode> {
  const code = codeOf(word);
  const { packageRoot } = await context.services();
  const page = await readFile(join(packageRoot, 'docs', 'reference', 'diagnostics', `${code}.md`), 'utf8');
  if (context.json) printJson(context, { code, ...EXPLAINED[code], page });
  else context.terminal.out(page);
  return EXIT.success;
}

/** Returns only registered codes, because the code becomes part of a path. */
function codeOf(word: string): string {
  const upper = word.toUpperCase();
  const isKnown = (code: string): boolean => Object.hasOwn(EXPLAINED, code);
  if (isKnown(upper)) return upper;
  // `WF7` means WF007.
  const padded = upper.replace(/\d+$/, (number) => number.padStart(3, '0'));
  const near = isKnown(padded) ? padded : didYouMean(upper, Object.keys(EXPLAINED));
  throw new CliError(
    `there is no diagnostic "${word}"`,
    near === null
      ? 'a code looks like WF007; conductor validate prints it in brackets'
      : `did you mean ${near}?`,
  );
}
