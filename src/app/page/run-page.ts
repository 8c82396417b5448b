import type { EventsDocument, RunPageFields } from '../../contracts/http/run-documents.ts';
import { findParked } from '../../runtime/record/run-view.ts';
import { listedState } from '../runs/listed-state.ts';
import { commandsForNeed, findResultBranch, nextCommands } from '../runs/next-commands.ts';
import type { OpenRun } from '../runs/open-run.ts';
import { readStatus } from '../runs/open-run.ts';
import { describePath } from '../runs/path-text.ts';
import { runDocument } from '../runs/run-document.ts';
import { type NeededAction, showRun } from '../runs/show-run.ts';

/** The run as the page shows it: the document of `conductor show --json`, and where the run stands. */
export async function composeRunPage(
  run: OpenRun,
  id: string,
): Promise<Readonly<Record<string, unknown>> & RunPageFields> {
  const { view, record } = run;
  const { findings, needs } = await showRun(run);
  const { status } = await readStatus(run);
  const { awaiting } = view;
  return {
    ...runDocument(view, record.directory.path, findings),
    path_text: describePath(view, record.driverPid !== null),
    state: listedState({ status, driverPid: record.driverPid }),
    driver_pid: record.driverPid,
    awaiting:
      awaiting === null
        ? null
        : {
            step_id: awaiting.stepId,
            attempt: awaiting.attempt,
            gate: awaiting.gate,
            requested_at: awaiting.requestedAt,
            expires_at: awaiting.expiresAt,
          },
    waiting_until: findParked(view)?.until ?? null,
    started_at: view.startedAt,
    ended_at: view.endedAt,
    branch: findResultBranch(view),
    as_of_seq: record.events.at(-1)?.seq ?? -1,
    commands: commandsFor(needs, run, id),
  };
}

/** What to run on the command line next. */
function commandsFor(needs: NeededAction | null, { view, record }: OpenRun, id: string): string[] {
  if (needs !== null) return commandsForNeed(needs, view, id);
  if (view.end !== null) return nextCommands({ kind: 'ended', end: view.end, view }, id);
  return record.driverPid === null
    ? nextCommands({ kind: 'interrupted', view }, id)
    : [`conductor status ${id} --watch`, `conductor cancel ${id}`];
}

/** Events from a sequence number on. */
export function composeEvents({ record }: OpenRun, from: number, limit: number): EventsDocument {
  return {
    events: record.events.slice(from, from + limit),
    last_seq: record.events.at(-1)?.seq ?? -1,
  };
}
