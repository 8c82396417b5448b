import { plannerDecisionSchema } from '../../../../contracts/planner/planner-decision.ts';
import { plannerInputSchema } from '../../../../contracts/planner/planner-input.ts';
import { harnessReportSchema } from '../../../../contracts/run/harness-report.ts';
import { didYouMean } from '../../../../diagnostics/did-you-mean.ts';
import { parseExistingItems } from '../../../../work/results/existing-items.ts';
import { checkForm } from '../../../../work/results/form-problems.ts';
import { checkImplementorResult } from '../../../../work/results/implementor-result.ts';
import type { ExistingItem } from '../../../../work/results/planned-ids.ts';
import { checkPlannerResult } from '../../../../work/results/planner-result.ts';
import type { ContractProblem } from '../../../../work/results/problem-codes.ts';
import { checkReviewerResult } from '../../../../work/results/reviewer-result.ts';
import { CliError } from '../../cli-error.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { parseJson, readJson, readText } from '../../given-text.ts';
import { printable } from '../../output/terminal.ts';

export const KINDS = [
  'planner-result',
  'implementor-result',
  'reviewer-result',
  'harness-report',
  'planner-decision',
  'planner-input',
] as const;
type Kind = (typeof KINDS)[number];

interface Given {
  readonly kind: string;
  readonly file: string;
  readonly items: string | null;
}

/** Says whether a document keeps its contract, with every reason why not. */
export async function checkContract(context: VerbContext, given: Given): Promise<ExitCode> {
  const kind = kindOf(given.kind);
  if (given.items !== null && kind !== 'planner-result')
    throw new CliError(`--items is for planner-result, and not for ${kind}`, 'leave it out');
  const items = given.items === null ? [] : await readItems(given.items);
  const document = parseJson(await readText(given.file));
  const problems = document.ok ? check(kind, document.value, items) : [notJson(document.why)];
  const ok = problems.length === 0;
  if (context.json) printJson(context, { ok, kind, problems });
  else printVerdict(context, kind, given, problems);
  return ok ? EXIT.success : EXIT.usage;
}

function kindOf(word: string): Kind {
  const kind = KINDS.find((known) => known === word);
  if (kind !== undefined) return kind;
  const near = didYouMean(word, KINDS);
  const help = near === null ? `it is one of ${KINDS.join(', ')}` : `did you mean ${near}?`;
  throw new CliError(`there is no contract for "${word}"`, help);
}

async function readItems(path: string): Promise<readonly ExistingItem[]> {
  const parsed = parseExistingItems(await readJson(path));
  if (parsed.ok) return parsed.items;
  throw new CliError(
    `${path} is no list of items: ${parsed.message}`,
    'conductor work list --json prints one',
  );
}

function check(kind: Kind, value: unknown, items: readonly ExistingItem[]): readonly ContractProblem[] {
  switch (kind) {
    case 'planner-result':
      return problemsIn(checkPlannerResult(value, { items }));
    case 'implementor-result':
      return problemsIn(checkImplementorResult(value));
    case 'reviewer-result':
      return problemsIn(checkReviewerResult(value));
    case 'harness-report':
      return problemsIn(checkForm(harnessReportSchema, value));
    case 'planner-decision':
      return problemsIn(checkForm(plannerDecisionSchema, value));
    case 'planner-input':
      return problemsIn(checkForm(plannerInputSchema, value));
  }
}

/** What an agent left half written is an invalid document like any other. */
function notJson(why: string): ContractProblem {
  return { path: '', code: 'WR001', message: `the document: it is not JSON: ${why}` };
}

type Verdict = { readonly ok: true } | { readonly ok: false; readonly problems: readonly ContractProblem[] };

function problemsIn(verdict: Verdict): readonly ContractProblem[] {
  return verdict.ok ? [] : verdict.problems;
}

/** Whoever forgets the items is told so, and not only that ids are unknown. */
const NEEDS_ITEMS: readonly string[] = ['WR104', 'WR107', 'WR110'];

function printVerdict(
  { terminal: { out, err, paint, paintOut } }: VerbContext,
  kind: Kind,
  { file, items }: Given,
  problems: readonly ContractProblem[],
): void {
  if (problems.length === 0) {
    out(`${paintOut.green('✓')} ${file}: keeps the contract of ${kind}\n`);
    return;
  }
  const lines = problems.map(({ path, code, message }) => {
    // A message that stands alone names its place already.
    const place = path === '' || message.startsWith(`${path}: `) ? '' : `${printable(path)}: `;
    return `${file}: ${paintOut.red(code)}: ${place}${printable(message)}\n`;
  });
  const count = `${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`;
  out(`${lines.join('')}${paintOut.red('✗')} ${file}: ${count}\n`);
  if (items === null && problems.some(({ code }) => NEEDS_ITEMS.includes(code)))
    err(`  ${paint.dim('help:')} --items FILE tells which items exist; without it there are none\n`);
}
