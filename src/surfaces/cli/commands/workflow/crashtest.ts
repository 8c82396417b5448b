import { didYouMean } from '../../../../diagnostics/did-you-mean.ts';
import { renderJson } from '../../../../diagnostics/render-json.ts';
import type { Plan } from '../../../../kernel/plan.ts';
import { defaultsToRecord } from '../../../../runtime/record/recorded-run.ts';
import {
  type CrashtestFailure,
  type CrashtestReport,
  crashtest as runCrashtest,
  type ScriptReport,
  scriptsOf,
} from '../../../../simulation/crashtest.ts';
import { formatJson } from '../../../../text/outside-text.ts';
import { checkWorkflow } from '../../../../workflow/check-workflow.ts';
import { CliError } from '../../cli-error.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { displayPath, findWorkflow } from '../../driving/find-workflow.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { printRefusal } from '../../output/refused-document.ts';
import { renderTable } from '../../output/table.ts';
import { type Paint, stdoutOf } from '../../output/terminal.ts';
import { readSource } from './validate.ts';

export interface CrashtestOptions {
  readonly seed: number;
  /** Only the script of this name. */
  readonly script: string | null;
}

/** Simulates crashes of a workflow in memory: starts no agent and touches no file. */
export async function crashtest(
  context: VerbContext,
  workflow: string,
  options: CrashtestOptions,
): Promise<ExitCode> {
  const { terminal } = context;
  const opened = await (await context.services()).openCheck(context.startDir);
  if (!opened.ok) throw new CliError(opened.obstacle.message, opened.obstacle.help);
  const { context: checkContext, workflowFolders } = opened.value;
  const path = await findWorkflow(workflow, workflowFolders);
  const name = displayPath(path);
  const bytes = await readSource(path);
  const checked = checkWorkflow({ name, bytes }, checkContext);
  if (checked.plan === null) {
    if (context.json) terminal.out(`${formatJson(renderJson([{ path, ...checked }]))}\n`);
    else printRefusal(terminal, { name, ...checked });
    return EXIT.usage;
  }
  expectScript(checked.plan, options);
  const report = await runCrashtest({
    plan: checked.plan,
    workflowText: bytes,
    defaults: defaultsToRecord(checkContext.defaults),
    seed: options.seed,
    only: options.script,
  });
  const { workflowId } = checked.plan;
  const ok = report.failure === null;
  if (context.json) printJson(context, { ok, workflow_id: workflowId, seed: options.seed, ...report });
  else printReport(context, { workflow, name }, report, options.seed);
  return ok ? EXIT.success : EXIT.failed;
}

function expectScript(plan: Plan, { seed, script }: CrashtestOptions): void {
  const names = scriptsOf(plan, seed).map((known) => known.name);
  if (script === null || names.includes(script)) return;
  const near = didYouMean(script, names);
  throw new CliError(
    `no script "${script}"`,
    near === null ? `scripts: ${names.join('; ')}` : `did you mean ${near}?`,
  );
}

interface Subject {
  /** As the user gave it. */
  readonly workflow: string;
  readonly name: string;
}

function printReport(context: VerbContext, subject: Subject, report: CrashtestReport, seed: number): void {
  const { out, paintOut } = context.terminal;
  const heads = ['script', 'events', 'boundaries', 'recoveries', 'end', 'result'].map(paintOut.bold);
  out(
    renderTable([heads, ...report.scripts.map((script) => rowOf(script, paintOut))], '', {
      width: stdoutOf(context.terminal).width,
      drop: [3, 1],
    }),
  );
  if (report.cut > 0)
    out(`${paintOut.yellow('!')} ${report.cut} more scripts were skipped; another --seed chooses others\n`);
  const boundaries = report.scripts.reduce((sum, script) => sum + script.boundaries, 0);
  if (report.failure === null) {
    const count = `${report.scripts.length} ${report.scripts.length === 1 ? 'script' : 'scripts'}`;
    out(
      `${paintOut.green('✓')} ${subject.name}: ${count}, killed at ${boundaries} boundaries, the same ends\n`,
    );
    return;
  }
  for (const line of describeFailure(report.failure)) out(`${paintOut.red('✗')} ${line}\n`);
  out(
    `  repeat: conductor crashtest ${subject.workflow} --seed ${seed} --script '${report.failure.script}'\n`,
  );
}

function rowOf(script: ScriptReport, paint: Paint): readonly string[] {
  const { name, events, boundaries, recoveries, end } = script;
  const result = script.ok ? paint.green('same') : paint.red('differs');
  return [name, `${events}`, `${boundaries}`, `${recoveries}`, end, result];
}

function describeFailure({ script, boundary, torn, lost, difference }: CrashtestFailure): readonly string[] {
  const before = lost === null ? '' : `, before ${lost}`;
  return [
    `${script}: killed after event ${boundary}${before}${torn ? ', with a torn line' : ''}`,
    `${difference.what} should be: ${difference.expected}`,
    `${difference.what} is: ${difference.found}`,
  ];
}
