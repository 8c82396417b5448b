import {
  evaluate as evaluateEnvelope,
  evaluationDocument,
  expectEnvelope,
} from '../../../../app/planner/evaluate.ts';
import { formatJson } from '../../../../text/outside-text.ts';
import { CliError } from '../../cli-error.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { ensureTrust } from '../../driving/ensure-trust.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { readJson } from '../../input-text.ts';
import { openPlanner } from '../../open.ts';
import { printable, printLines, stderrOf } from '../../output/terminal.ts';

/** Evaluates a planner input without a run: the decision on stdout, the reasons on stderr. */
export async function evaluate(
  context: CommandContext,
  input: string | null,
  plannerName: string | null,
): Promise<ExitCode> {
  if (input === null)
    throw new CliError(
      'evaluate needs a planner input',
      'name its file: conductor evaluate --input planner_input.json',
    );
  const envelope = expectEnvelope(await readJson(input), input);
  if (plannerName !== null && plannerName !== 'rules') await ensureTrust(context);
  const evaluation = await evaluateEnvelope(await openPlanner(context, plannerName), envelope);
  if (context.json) {
    printJson(context, evaluationDocument(evaluation));
    return EXIT.success;
  }
  context.terminal.out(`${formatJson(evaluation.decision)}\n`);
  const { dim } = context.terminal.paint;
  printLines(stderrOf(context.terminal), [
    `${dim('reason:')} ${printable(evaluation.why)}`,
    `${dim('would be different after:')} ${printable(evaluation.change)}`,
  ]);
  return EXIT.success;
}
