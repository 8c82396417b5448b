import type { WorkEvent } from '../../contracts/work/work-event.ts';
import type { RoleRunner } from '../../ports/role-runner.ts';
import type { WorkProvider } from '../../ports/work-provider.ts';
import { type Change, moveAlong } from '../../work/apply/change.ts';
import { applyImplementorResult, wishedRevision } from '../../work/apply/implementor.ts';
import { applyPlannerResult, type ReadLabels } from '../../work/apply/planner.ts';
import { applyReviewerResult } from '../../work/apply/reviewer.ts';
import { acceptRun, cancelRun, giveUpRun } from '../../work/apply/runs.ts';
import { type CommandOf, nameOf, type WorkCommand } from '../../work/command.ts';
import {
  type KnownItem,
  revisionOf,
  runOfItem,
  type StartedCommand,
  type WorkState,
} from '../../work/state.ts';

export interface PerformDeps {
  readonly provider: WorkProvider;
  readonly runner: Pick<RoleRunner, 'cancel'>;
  readonly readLabels: ReadLabels;
}

export type Performed =
  | { readonly ok: true; readonly events: readonly WorkEvent[] }
  | { readonly ok: false; readonly reason: string; readonly help: string | null };

/**
 * Performs a command that passed the guards and is in the journal. The result depends only on the state, the command,
 * the time at which it was started and the provider's answers to the same keys, so that a retry after a crash does the
 * same and nothing twice.
 */
export async function perform(
  deps: PerformDeps,
  state: WorkState,
  started: StartedCommand,
  command: WorkCommand,
): Promise<Performed> {
  const by = nameOf(started.by);
  const { at, key } = started;
  switch (command.kind) {
    case 'accept_run':
      return write(deps, key, acceptRun(state, command, by));
    case 'apply_planner_result':
      return write(deps, key, applyPlannerResult(state, command, { at, by, readLabels: deps.readLabels }));
    case 'apply_implementor_result':
      return performImplementor(deps, state, started, command);
    case 'apply_reviewer_result':
      return write(deps, key, applyReviewerResult(state, itemOf(state, command.itemId), command, by));
    case 'give_up_run':
      // No process resumes a run that was stopped or lost: this kills its processes and ends its record.
      if (!command.counted) await deps.runner.cancel(command.runId);
      return write(deps, key, giveUpRun(state, command, by));
    case 'transition': {
      const moves = moveAlong(itemOf(state, command.itemId), [command.to], by, command.reason);
      return write(deps, key, { writes: moves.writes, eventsOf: () => moves.events });
    }
    case 'merge':
      return performMerge(deps, state, started, command);
    case 'cancel_run':
      return performCancel(deps, state, started, command);
    case 'request_planner_run':
    case 'request_implementor_run':
    case 'request_reviewer_run':
      throw new Error(`${command.kind} starts an agent, which is no write`);
  }
}

async function write({ provider }: PerformDeps, key: string, change: Change): Promise<Performed> {
  const written = change.writes.length === 0 ? [] : await provider.write(key, change.writes);
  return { ok: true, events: change.eventsOf(written) };
}

/** Creates the revision first: an item is in review only if there is something to review. */
async function performImplementor(
  deps: PerformDeps,
  state: WorkState,
  { key, at, by }: StartedCommand,
  command: CommandOf<'apply_implementor_result'>,
): Promise<Performed> {
  const known = itemOf(state, command.itemId);
  const wish = wishedRevision(known, command, at);
  const made = wish === null ? null : await deps.provider.makeRevision(`${key}/revision`, wish);
  return write(deps, key, applyImplementorResult(state, known, command, { by: nameOf(by), made }));
}

async function performMerge(
  deps: PerformDeps,
  state: WorkState,
  { key, at, by }: StartedCommand,
  command: CommandOf<'merge'>,
): Promise<Performed> {
  const known = itemOf(state, command.itemId);
  const { item } = known;
  const revision = revisionOf(state, item);
  if (revision === null) throw new Error(`item ${item.id} has no revision`);
  const name = nameOf(by);
  const merged = await deps.provider.merge(`${key}/merge`, {
    itemId: item.id,
    revisionId: revision.id,
    headSHA: revision.headSHA,
    message: `${item.title}\n\nWork item: ${item.id}`,
    by: name,
    at,
  });
  if (!merged.ok) return merged;
  const moves = moveAlong(known, ['closed'], name, `merged into ${merged.into}`);
  const event: WorkEvent = {
    type: 'revision_merged',
    revision_id: revision.id,
    item_id: item.id,
    into: merged.into,
    commit: merged.commit,
    by: name,
  };
  return write(deps, key, { writes: moves.writes, eventsOf: () => [event, ...moves.events] });
}

async function performCancel(
  deps: PerformDeps,
  state: WorkState,
  { key, by }: StartedCommand,
  command: CommandOf<'cancel_run'>,
): Promise<Performed> {
  const run = runOfItem(state, command.itemId);
  if (run === null) throw new Error(`no run works on item ${command.itemId}`);
  await deps.runner.cancel(run.runId);
  return write(deps, key, cancelRun(state, itemOf(state, command.itemId), run, nameOf(by)));
}

function itemOf(state: WorkState, id: string): KnownItem {
  const known = state.items.get(id);
  if (known === undefined) throw new Error(`there is no item ${id}`);
  return known;
}
