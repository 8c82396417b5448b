import { parseEnvelope } from '../../../../planner/envelope.ts';
import { reasonsFor } from '../../../../planner/table/explain-evaluation.ts';
import type { Problem } from '../../../../planner/table/problems.ts';
import { formatJson } from '../../../../text/outside-text.ts';
import { CliError } from '../../cli-error.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { ensureTrust } from '../../driving/ensure-trust.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { readJson } from '../../given-text.ts';
import { openPlanner } from '../../open.ts';
import { printable } from '../../output/terminal.ts';

/** Problems that are told before the rest is only counted. */
const TOLD = 5;

/** Asks the planner about an envelope, without a run: the decision on stdout, the reasons on stderr. */
export async function evaluate(
  context: VerbContext,
  input: string | null,
  plannerName: string | null,
): Promise<ExitCode> {
  if (input === null)
    throw new CliError('evaluate takes an envelope', 'name it: conductor evaluate --input envelope.json');
  const parsed = parseEnvelope(await readJson(input));
  if (!parsed.ok) throw misfit(input, 'an envelope', 'planner-input', parsed.problems);
  if (plannerName !== null && plannerName !== 'rules') await ensureTrust(context);
  const planner = await openPlanner(context, plannerName);
  const { decision, trace } = await planner.judge(parsed.envelope, new AbortController().signal);
  if (context.json) {
    const { floor, proposal } = trace;
    printJson(context, { ...decision, x_trace: { floor, proposal } });
    return EXIT.success;
  }
  const { out, err, paint } = context.terminal;
  out(`${formatJson(decision)}\n`);
  const { why, change } = reasonsFor(parsed.envelope, decision.status, decision.blockers);
  err(`${paint.dim('why:')} ${printable(why)}\n${paint.dim('it would change with:')} ${printable(change)}\n`);
  return EXIT.success;
}

export function misfit(path: string, what: string, schema: string, problems: readonly Problem[]): CliError {
  const told = problems
    .slice(0, TOLD)
    .map((problem) => `${problem.path === '' ? 'the document' : problem.path}: ${problem.message}`);
  const more = problems.length > TOLD ? `; and ${problems.length - TOLD} more` : '';
  return new CliError(
    `${path} is not ${what}: ${told.join('; ')}${more}`,
    `conductor schema ${schema} prints its form`,
  );
}
