import { applyResult, BrokenContract } from '../../../../app/work/apply-result.ts';
import type { ContractProblem } from '../../../../work/results/problem-codes.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { readJson } from '../../input-text.ts';
import { printable } from '../../output/terminal.ts';
import { executeAsUser } from '../../output/work/user-commands.ts';

export interface ApplyOptions {
  readonly item: string | null;
  readonly run: string | null;
  readonly as: string | null;
  readonly again: boolean;
}

/** Applies a role's result from a file. */
export async function apply(
  context: CommandContext,
  file: string,
  { as, ...options }: ApplyOptions,
): Promise<ExitCode> {
  const value = await readJson(file);
  try {
    return await executeAsUser(context, as, (commands) => applyResult(commands, { file, value, ...options }));
  } catch (error) {
    if (!(error instanceof BrokenContract)) throw error;
    return printProblems(context, file, error.problems);
  }
}

function printProblems(
  context: CommandContext,
  file: string,
  problems: readonly ContractProblem[],
): ExitCode {
  if (context.json) {
    printJson(context, {
      ok: false,
      reason: 'the result breaks its contract',
      problems,
      events: [],
      items: [],
    });
    return EXIT.usage;
  }
  const { err, paint } = context.terminal;
  for (const { path, code, message } of problems)
    err(`${file}: ${paint.red(code)}: ${path === '' ? '' : `${printable(path)}: `}${printable(message)}\n`);
  err(`${paint.red('✗')} ${file}: nothing was applied\n`);
  err(
    `  ${paint.dim('help:')} correct the result, then apply it again; conductor contract check only looks\n`,
  );
  return EXIT.usage;
}
