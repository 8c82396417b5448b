import {
  CONTRACT_KINDS,
  type ContractKind,
  checkContract as check,
} from '../../../../app/work/check-contract.ts';
import { didYouMean } from '../../../../diagnostics/did-you-mean.ts';
import { formatCount } from '../../../../text/count-of.ts';
import { parseExistingItems } from '../../../../work/results/existing-items.ts';
import type { ExistingItem } from '../../../../work/results/planned-ids.ts';
import type { ContractProblem } from '../../../../work/results/problem-codes.ts';
import { CliError } from '../../cli-error.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { parseJson, readJson, readText } from '../../input-text.ts';
import { printable, printLines, stderrOf, stdoutOf } from '../../output/terminal.ts';

interface ContractArguments {
  readonly kind: string;
  readonly file: string;
  readonly items: string | null;
}

/** Reports whether a document follows its contract, with all problems. */
export async function checkContract(context: CommandContext, given: ContractArguments): Promise<ExitCode> {
  const kind = expectKind(given.kind);
  if (given.items !== null && kind !== 'planner-result')
    throw new CliError(`--items is only for planner-result, not for ${kind}`, 'remove the option');
  const items = given.items === null ? [] : await readItems(given.items);
  const problems = check(kind, parseJson(await readText(given.file)), items);
  const ok = problems.length === 0;
  if (context.json) printJson(context, { ok, kind, problems });
  else printProblems(context, kind, given, problems);
  return ok ? EXIT.success : EXIT.usage;
}

function expectKind(word: string): ContractKind {
  const kind = CONTRACT_KINDS.find((known) => known === word);
  if (kind !== undefined) return kind;
  const near = didYouMean(word, CONTRACT_KINDS);
  const help = near === null ? `it is one of ${CONTRACT_KINDS.join(', ')}` : `did you mean ${near}?`;
  throw new CliError(`there is no contract for "${word}"`, help);
}

async function readItems(path: string): Promise<readonly ExistingItem[]> {
  const parsed = parseExistingItems(await readJson(path));
  if (parsed.ok) return parsed.items;
  throw new CliError(
    `${path} is not a list of items: ${parsed.message}`,
    'make one with conductor work list --json',
  );
}

/** Problems with ids that `--items` would make known. */
const NEEDS_ITEMS: readonly string[] = ['WR104', 'WR107', 'WR110'];

function printProblems(
  { terminal }: CommandContext,
  kind: ContractKind,
  { file, items }: ContractArguments,
  problems: readonly ContractProblem[],
): void {
  const output = stdoutOf(terminal);
  const { paint } = output;
  if (problems.length === 0) {
    printLines(output, [`${paint.green('✓')} ${file}: follows the contract of ${kind}`]);
    return;
  }
  const lines = problems.map(({ path, code, message }) => {
    // Some messages already start with the path.
    const place = path === '' || message.startsWith(`${path}: `) ? '' : `${printable(path)}: `;
    return `${file}: ${paint.red(code)}: ${place}${printable(message)}`;
  });
  printLines(output, [...lines, `${paint.red('✗')} ${file}: ${formatCount(problems.length, 'problem')}`]);
  if (items === null && problems.some(({ code }) => NEEDS_ITEMS.includes(code)))
    printLines(stderrOf(terminal), [
      `  ${terminal.paint.dim('help:')} name the items that exist with --items FILE; without it there are none`,
    ]);
}
