import { CliError } from '../../cli-error.ts';
import type { CommandContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { printable } from '../../output/terminal.ts';
import { driveWork, type WorkDriving, type WorkEnd } from '../../output/work/driving.ts';
import { expectAccepted } from '../../output/work/session.ts';

export interface PlanOptions {
  readonly force: boolean;
  readonly as: string | null;
}

/** How many unusable specs a message names. */
const MAX_NAMED = 3;

/** Lets the planner turn approved specs into items. */
export async function plan(context: CommandContext, { force, as }: PlanOptions): Promise<ExitCode> {
  return driveWork(context, { jobs: null, as }, async (driving) => {
    const { work } = driving;
    const { problems } = await work.readSpecs();
    for (const { filePath, line, message } of problems)
      context.terminal.err(
        `${context.terminal.paint.yellow('!')} ${filePath}${line === null ? '' : `:${line}`} ${printable(message)}\n`,
      );
    await work.engine.recover();
    const { state, unplanned } = await work.engine.snapshot();
    const approved = state.specs.filter(({ frontmatterStatus }) => frontmatterStatus === 'approved');
    if (approved.length > 0 && unplanned.length === 0 && !force)
      return {
        code: EXIT.success,
        ok: true,
        reason: `nothing to plan: ${describeApproved(approved.length)} as planned before`,
        help: 'conductor work plan --force plans anyway',
      };
    return planNow(driving);
  });
}

async function planNow({ work, person, signal, onEvent, short }: WorkDriving): Promise<WorkEnd> {
  const report = await work.engine.plan(person, signal, { onEvent });
  if (report.kind === 'refused' && report.code === 'nothing_to_plan') throw await noApprovedSpec(work);
  const { conclusion, runId } = expectAccepted(report, null);
  const id = short(runId);
  if (signal.aborted)
    return {
      code: EXIT.interrupted,
      ok: false,
      reason: 'stopped',
      help: 'run conductor work plan again to start over',
    };
  if (conclusion.kind === 'waiting')
    return {
      code: EXIT.waiting,
      ok: true,
      reason: `run ${id} is ${printable(conclusion.reason)}`,
      help: 'conductor gates shows what it asks; the result is applied when the run has ended',
    };
  if (conclusion.kind === 'driven')
    throw new CliError(`another process drives the run ${id}`, `conductor status ${id} --watch`, EXIT.failed);
  if (!conclusion.ok)
    return {
      code: EXIT.failed,
      ok: false,
      reason: `the plan was not applied: ${printable(conclusion.reason)}`,
      help: `conductor show ${id} has what the planner did`,
    };
  await work.engine.recover();
  return { code: EXIT.success, ok: true, reason: null, help: null };
}

/** Names where specs were searched, so that the user does not look for a mistake in a spec that was never read. */
async function noApprovedSpec({ readSpecs, specPlace }: WorkDriving['work']): Promise<CliError> {
  const [{ specs, problems }, { branch, named, globs }] = await Promise.all([readSpecs(), specPlace()]);
  if (branch === null)
    return new CliError(
      named === null
        ? 'there is no approved spec: specs are read from the default branch, which is unknown'
        : `there is no approved spec: specs are read from the branch "${printable(named)}", which does not exist`,
      `${named === null ? 'name' : 'correct'} the branch: work.branch in .tnh/config.yaml`,
      EXIT.failed,
    );
  const seen = [
    ...specs.map(({ filePath, frontmatterStatus }) => `${filePath} is ${frontmatterStatus}`),
    ...problems.map(({ filePath }) => `${filePath} can't be used`),
  ];
  const more = seen.length > MAX_NAMED ? [`${seen.length - MAX_NAMED} more`] : [];
  const found = [...seen.slice(0, MAX_NAMED), ...more].join(', ');
  return new CliError(
    printable(
      seen.length === 0
        ? `there is no approved spec: no file on ${branch} matches ${globs.join(', ')}`
        : `there is no approved spec on ${branch}: ${found}`,
    ),
    `set \`status: approved\` in the front matter of a spec and commit it on ${printable(branch)}; work.branch and work.specs in .tnh/config.yaml say where specs are`,
    EXIT.failed,
  );
}

function describeApproved(specs: number): string {
  return specs === 1 ? 'the one approved spec is' : `all ${specs} approved specs are`;
}
