import { planSpecs } from '../../../../app/work/plan-specs.ts';
import type { CommandContext } from '../../command-context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { printable } from '../../output/terminal.ts';
import { driveWork } from '../../output/work/driving.ts';

export interface PlanOptions {
  readonly force: boolean;
  readonly as: string | null;
}

/** Lets the planner turn approved specs into items. */
export async function plan(context: CommandContext, { force, as }: PlanOptions): Promise<ExitCode> {
  const { err, paint } = context.terminal;
  return driveWork(context, { jobs: null, as }, (driving) =>
    planSpecs(driving, {
      force,
      onSpecProblem: ({ filePath, line, message }) =>
        err(`${paint.yellow('!')} ${filePath}${line === null ? '' : `:${line}`} ${printable(message)}\n`),
    }),
  );
}
