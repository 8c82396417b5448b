import { shortIdsOf } from '../../../overview/short-ids.ts';
import { CliError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { openRecords } from '../open.ts';
import { runTable } from '../output/run-state.ts';
import { printLines, stderrOf } from '../output/terminal.ts';

/** The maximum number of listed runs; the rest is only counted. */
const MAX_LISTED = 10;

/** Refuses a command that is missing its run argument, after listing the existing runs, newest first. */
export async function listAvailableRuns(
  context: CommandContext,
  command: string,
  suggestion: string,
): Promise<never> {
  const { store, clock } = await openRecords(context);
  const listed = await store.list();
  if (listed.length === 0)
    throw new CliError(
      `${command} needs a run, and there is none in this repository`,
      'start one with conductor run WORKFLOW',
    );
  const now = clock.now();
  const output = stderrOf(context.terminal);
  const short = shortIdsOf(listed.map(({ runId }) => runId));
  output.write(runTable(output, context.repo, listed.slice(0, MAX_LISTED), now, short));
  const hidden = listed.length - MAX_LISTED;
  if (hidden > 0) printLines(output, [`… and ${hidden} more; conductor runs lists them all`]);
  throw new CliError(`${command} needs a run`, `name one by its id, or the newest: ${suggestion}`);
}
