import { listRuns, type RunsFilter, readSpend, runsDocument } from '../../../../app/runs/list-runs.ts';
import { shortIdsOf } from '../../../../overview/short-ids.ts';
import { formatShortCost, formatShortTokens } from '../../../../overview/spend.ts';
import { formatCount } from '../../../../text/count-of.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openRecords } from '../../open.ts';
import { withRepo } from '../../output/command-text.ts';
import { runTable } from '../../output/run-state.ts';
import { printLines, stderrOf, stdoutOf } from '../../output/terminal.ts';

export async function runs(context: CommandContext, filter: RunsFilter): Promise<ExitCode> {
  const records = await openRecords(context);
  const { store, clock } = records;
  const listed = await listRuns(store, filter);
  const spend = await readSpend(records, listed.shown);
  if (context.json) {
    printJson(context, runsDocument(listed, spend));
    return EXIT.success;
  }
  const { all, shown, hidden } = listed;
  const output = stdoutOf(context.terminal);
  const notes = stderrOf(context.terminal);
  if (all.length === 0)
    printLines(notes, [withRepo('no runs yet; start one with conductor run WORKFLOW', context.repo)]);
  else if (shown.length + hidden === 0)
    printLines(notes, [`none of ${formatCount(all.length, 'run')} is ${filter.state}`]);
  const short = shortIdsOf(all.map(({ runId }) => runId));
  const spentBy = (runId: string) => {
    const spent = spend.get(runId);
    return spent === undefined ? ['', 'unknown'] : [formatShortTokens(spent), formatShortCost(spent)];
  };
  output.write(runTable(output, context.repo, shown, clock.now(), short, spentBy));
  if (hidden > 0)
    printLines(notes, [`${hidden} more ${hidden === 1 ? 'is' : 'are'} hidden by --limit ${filter.limit}`]);
  return EXIT.success;
}
