import { CliError } from '../../cli-error.ts';
import type { CommandContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { driveWork } from '../../output/work/driving.ts';

export interface WatchOptions {
  readonly jobs: number | null;
  readonly as: string | null;
}

/** Plans, implements and reviews as work comes in, until the process is stopped. */
export async function watch(context: CommandContext, { jobs, as }: WatchOptions): Promise<ExitCode> {
  if (jobs === 0) throw new CliError('--jobs must be at least 1', 'omit it to use work.jobs');
  return driveWork(context, { jobs, as }, async ({ work, signal, onEvent }) => {
    context.terminal.err(`watching work items, ${work.jobs} at a time; Ctrl-C stops\n`);
    const { problems } = await work.engine.watch(signal, { onEvent });
    return {
      code: EXIT.interrupted,
      ok: problems.length === 0,
      reason: problems.length === 0 ? null : problems.join('; '),
      help: null,
    };
  });
}
