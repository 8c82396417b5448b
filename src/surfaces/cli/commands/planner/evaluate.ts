import {
  evaluate as evaluateEnvelope,
  evaluationDocument,
  expectEnvelope,
} from '../../../../app/planner/evaluate.ts';
import { formatJson } from '../../../../text/outside-text.ts';
import { CliError } from '../../cli-error.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { ensureTrust } from '../../driving/ensure-trust.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { readJson } from '../../given-text.ts';
import { openPlanner } from '../../open.ts';
import { printable, printLines, stderrOf } from '../../output/terminal.ts';

/** Evaluates an envelope without a run: the decision on stdout, the reasons on stderr. */
export async function evaluate(
  context: VerbContext,
  input: string | null,
  plannerName: string | null,
): Promise<ExitCode> {
  if (input === null)
    throw new CliError('evaluate takes an envelope', 'name it: conductor evaluate --input envelope.json');
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
    `${dim('why:')} ${printable(evaluation.why)}`,
    `${dim('it would change with:')} ${printable(evaluation.change)}`,
  ]);
  return EXIT.success;
}
