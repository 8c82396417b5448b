import { endOfLoop, type WorkDriving, type WorkEnd } from '../../../../app/work/work-end.ts';
import { ATTENDED_VARIABLE } from '../../../../contracts/run/detached-process.ts';
import { CliError } from '../../cli-error.ts';
import type { CommandContext } from '../../command-context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { printLines, stderrOf } from '../../output/terminal.ts';
import { renderClosing } from '../../output/work/board.ts';
import { driveWork } from '../../output/work/driving.ts';

export interface WatchOptions {
  readonly jobs: number | null;
  /** End when everything that is left needs a user. */
  readonly untilIdle: boolean;
  readonly as: string | null;
}

/** Plans, implements and reviews as work comes in, until the process is stopped; ends with a summary. */
export async function watch(
  context: CommandContext,
  { jobs, untilIdle, as }: WatchOptions,
): Promise<ExitCode> {
  if (jobs === 0) throw new CliError('--jobs must be at least 1', 'omit it to use work.jobs');
  return driveWork(context, { jobs, as }, async (driving) => {
    const ending = untilIdle ? 'ends when only you can continue' : 'Ctrl-C stops';
    context.terminal.err(`watching work items, ${driving.work.jobs} at a time; ${ending}\n`);
    const end = untilIdle ? await watchUntilIdle(driving) : await watchUntilStopped(driving);
    if (!context.json) await printClosing(context, driving);
    return end;
  });
}

async function watchUntilIdle({ work, signal, onEvent, onProblem }: WorkDriving): Promise<WorkEnd> {
  const end = await work.engine.runUntilIdle(signal, { onEvent, onProblem });
  const snapshot = await work.engine.snapshot();
  return endOfLoop(end, snapshot, [...snapshot.state.items.keys()], false);
}

async function watchUntilStopped({ work, signal, onEvent, onProblem }: WorkDriving): Promise<WorkEnd> {
  const { problems } = await work.engine.watch(endingWithStarter(signal), { onEvent, onProblem });
  const isFine = problems.length === 0;
  return { kind: 'stopped', ok: isFine, reason: isFine ? null : problems.join('; '), help: null };
}

/** For `conductor serve --work`: the loop ends with the server that started it, even if that was killed. */
function endingWithStarter(signal: AbortSignal): AbortSignal {
  if (process.env[ATTENDED_VARIABLE] !== '1') return signal;
  const ended = new AbortController();
  process.stdin.on('end', () => ended.abort()).on('error', () => ended.abort());
  process.stdin.resume();
  return AbortSignal.any([signal, ended.signal]);
}

/** The report of a loop: what is done, and what each of the other items waits for. */
async function printClosing({ terminal }: CommandContext, { work }: WorkDriving): Promise<void> {
  const output = stderrOf(terminal);
  printLines(output, renderClosing(output, await work.engine.snapshot()));
}
