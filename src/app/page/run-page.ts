import type { EventsDocument } from '../../contracts/http/run-documents.ts';
import type { RunPage } from '../../contracts/http/run-page.ts';
import { commandsForNeed, nextCommands } from '../runs/next-commands.ts';
import type { OpenRun } from '../runs/open-run.ts';
import { type NeededAction, showRun } from '../runs/show-run.ts';
import { UseCaseError } from '../use-case-error.ts';
import { composeRunState, rewindRun } from './run-state.ts';

/** The run as the page shows it, now or as it was after an event. */
export async function composeRunPage(run: OpenRun, shortId: string, seq: number | null): Promise<RunPage> {
  const lastSeq = run.record.events.at(-1)?.seq ?? -1;
  const then = seq === null ? run : rewindRun(run, seq);
  if (then === null) throw new UseCaseError('the run had not started', null);
  const commands = commandsFor((await showRun(run)).needs, run, shortId);
  return composeRunState(then, { shortId, lastSeq, isPast: seq !== null, commands });
}

/** What to run on the command line next. */
function commandsFor(needs: NeededAction | null, { view, record }: OpenRun, id: string): string[] {
  if (needs !== null) return commandsForNeed(needs, view, id);
  if (view.end !== null) return nextCommands({ kind: 'ended', end: view.end, view }, id);
  return record.driver === null
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
