import { printJson, type VerbContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openRecords } from '../../open.ts';
import { withRepo } from '../../output/command-text.ts';
import { isInState, runTable, stateWord } from '../../output/run-state.ts';
import { shortIdsOf } from '../../output/short-ids.ts';

export interface RunsOptions {
  /** How they stand or how they ended. */
  readonly state: string | null;
  readonly limit: number | null;
}

export async function runs(context: VerbContext, options: RunsOptions): Promise<ExitCode> {
  const { store, clock } = await openRecords(context);
  const listed = await store.list();
  const { state, limit } = options;
  const chosen = state === null ? listed : listed.filter((run) => isInState(run, state));
  const shown = limit === null ? chosen : chosen.slice(0, limit);
  const hidden = chosen.length - shown.length;
  if (context.json) {
    printJson(context, {
      runs: shown.map((run) => ({
        run_id: run.runId,
        title: run.status?.title ?? null,
        run_directory: run.path,
        state: stateWord(run),
        status: run.status,
        driver_pid: run.driverPid,
      })),
      hidden,
    });
    return EXIT.success;
  }
  const { out, err } = context.terminal;
  if (listed.length === 0)
    err(withRepo('no runs yet; start one with conductor run WORKFLOW\n', context.repo));
  else if (chosen.length === 0) err(`none of ${listed.length} runs is ${state}\n`);
  const now = clock.now();
  out(runTable(context, shown, now, shortIdsOf(listed.map(({ runId }) => runId))));
  if (hidden > 0) err(`${hidden} more ${hidden === 1 ? 'is' : 'are'} hidden by --limit ${limit}\n`);
  return EXIT.success;
}
