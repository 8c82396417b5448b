import { listRuns, type RunsFilter, runsDocument } from '../../../../app/runs/list-runs.ts';
import { countOf } from '../../../../text/count-of.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openRecords } from '../../open.ts';
import { withRepo } from '../../output/command-text.ts';
import { runTable } from '../../output/run-state.ts';
import { shortIdsOf } from '../../output/short-ids.ts';
import { printLines, stderrOf, stdoutOf } from '../../output/terminal.ts';

export async function runs(context: VerbContext, filter: RunsFilter): Promise<ExitCode> {
  const { store, clock } = await openRecords(context);
  const listed = await listRuns(store, filter);
  if (context.json) {
    printJson(context, runsDocument(listed));
    return EXIT.success;
  }
  const { all, shown, hidden } = listed;
  const output = stdoutOf(context.terminal);
  const notes = stderrOf(context.terminal);
  if (all.length === 0)
    printLines(notes, [withRepo('no runs yet; start one with conductor run WORKFLOW', context.repo)]);
  else if (shown.length + hidden === 0)
    printLines(notes, [`none of ${countOf(all.length, 'run')} is ${filter.state}`]);
  const short = shortIdsOf(all.map(({ runId }) => runId));
  output.write(runTable(output, context.repo, shown, clock.now(), short));
  if (hidden > 0)
    printLines(notes, [`${hidden} more ${hidden === 1 ? 'is' : 'are'} hidden by --limit ${filter.limit}`]);
  return EXIT.success;
}
