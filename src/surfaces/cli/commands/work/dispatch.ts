import { dispatchAll, dispatchOne } from '../../../../app/work/dispatch-items.ts';
import { CliError } from '../../cli-error.ts';
import type { CommandContext } from '../../command-context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { driveWork } from '../../output/work/driving.ts';

export interface DispatchOptions {
  readonly all: boolean;
  readonly jobs: number | null;
  readonly as: string | null;
}

/** Implements and reviews one item, or all that are ready, until no agent has anything left to do. */
export async function dispatch(
  context: CommandContext,
  itemRef: string | null,
  { all, jobs, as }: DispatchOptions,
): Promise<ExitCode> {
  if ((itemRef === null) !== all)
    throw new CliError(
      'work dispatch takes one item, or --all',
      'conductor work dispatch 3, or --all --jobs 4',
    );
  if (jobs === 0) throw new CliError('--jobs must be at least 1', 'omit it to use work.jobs');
  return driveWork(context, { jobs, as }, (driving) =>
    itemRef === null ? dispatchAll(driving) : dispatchOne(driving, itemRef),
  );
}
