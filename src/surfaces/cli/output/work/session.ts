import type { OpenWork, WorkOptions } from '../../../../app/work/opened-work.ts';
import { didYouMean } from '../../../../diagnostics/did-you-mean.ts';
import type { WorkSnapshot } from '../../../../runtime/work/work-engine.ts';
import type { Outcome, RunReport } from '../../../../work/engine/protocol.ts';
import type { RefusalCode } from '../../../../work/engine/refusal.ts';
import type { ItemRecord } from '../../../../work/items/state.ts';
import { CliError } from '../../cli-error.ts';
import type { CommandContext } from '../../command-context.ts';
import { ensureTrust } from '../../driving/ensure-trust.ts';
import { EXIT } from '../../exit-codes.ts';
import { openWork } from '../../open.ts';
import { printable } from '../terminal.ts';

/** Opens the work items of the repository, and closes their store after `use`. */
export async function withWork<T>(
  context: CommandContext,
  options: WorkOptions,
  use: (work: OpenWork) => Promise<T>,
): Promise<T> {
  const work = await openWork(context, options);
  try {
    return await use(work);
  } finally {
    await work.close();
  }
}

/** Same as `withWork`, for actions that may start agents or checks, even if only to complete an unfinished command. */
export async function withTrustedWork<T>(
  context: CommandContext,
  options: WorkOptions,
  use: (work: OpenWork) => Promise<T>,
): Promise<T> {
  await ensureTrust(context, { allWorkflows: true, work: true });
  return withWork(context, options, use);
}

/** Finds an item by its id, which may also be written as `#3`. */
export function findItem({ state }: WorkSnapshot, itemRef: string): ItemRecord {
  const known = state.items.get(itemRef) ?? state.items.get(itemRef.replace(/^#/, ''));
  if (known !== undefined) return known;
  const ids = [...state.items.keys()];
  const near = didYouMean(itemRef, ids);
  throw new CliError(
    `there is no work item "${printable(itemRef)}"`,
    ids.length === 0
      ? 'there are none yet: conductor work plan creates them from approved specs'
      : near === null
        ? 'conductor work list shows all items'
        : `did you mean ${near}? conductor work list shows all`,
  );
}

/** `done_before`: the command was executed earlier and is not repeated. */
export type Granted = Extract<Outcome['kind'], 'done' | 'done_before'>;

/** Returns if the command is done; throws the reason and the fix otherwise. */
export function expectDone(outcome: Outcome, item: string | null): Granted {
  switch (outcome.kind) {
    case 'done':
    case 'done_before':
      return outcome.kind;
    case 'refused':
      throw new CliError(
        printable(outcome.reason),
        outcome.help ?? suggestFix(outcome.code, item),
        EXIT.failed,
      );
    case 'failed':
      throw new CliError(
        printable(outcome.reason),
        outcome.help ?? 'nothing was changed; fix this, then try again',
        EXIT.failed,
      );
  }
}

/** Returns the report of an accepted run; throws the reason and the fix if the run was refused or not started. */
export function expectAccepted(
  report: RunReport,
  item: string | null,
): Extract<RunReport, { kind: 'accepted' }> {
  switch (report.kind) {
    case 'accepted':
      return report;
    case 'refused':
      throw new CliError(printable(report.reason), report.help ?? suggestFix(report.code, item), EXIT.failed);
    case 'not_started':
      throw new CliError(
        printable(report.reason),
        'conductor doctor shows what is missing; work.agents in .tnh/config.yaml sets the agent of each role',
        EXIT.failed,
      );
  }
}

function suggestFix(code: RefusalCode, item: string | null): string {
  const id = item ?? 'ID';
  switch (code) {
    case 'unknown_item':
      return 'conductor work list shows all items';
    case 'unknown_revision':
    case 'not_approved':
    case 'checks_not_passed':
      return `conductor work show ${id} shows its state`;
    case 'same_status':
    case 'illegal_transition':
    case 'people_only':
    case 'item_moved':
    case 'blockers_open':
    case 'blockers_unmerged':
    case 'revision_stale':
      return `conductor work show ${id} shows its state and the reason`;
    case 'planner_active':
    case 'item_active':
    case 'no_active_run':
    case 'run_not_active':
      return 'conductor runs lists the runs, conductor gates the open gates; conductor cancel ends a run';
    case 'revision_moved':
      return `review the current revision: conductor work review ${id}`;
    case 'scope_overlap':
    case 'no_free_place':
      return 'wait until the other item is in review; conductor work list shows why each item waits';
    case 'not_code':
      return `answer it in the spec, then: conductor work transition ${id} closed --reason "…"`;
    case 'nothing_to_plan':
      return 'set `status: approved` in the front matter of a spec and commit it';
    case 'path_invalid':
    case 'path_out_of_scope':
      return `conductor work show ${id} shows its scope`;
    case 'result_invalid':
      return 'correct the result, then apply it again; nothing of it was applied';
  }
}
