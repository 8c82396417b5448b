import { cleanOutput } from '../../text/outside-text.ts';
import type { Outcome, RunReport } from '../../work/engine/protocol.ts';
import type { RefusalCode } from '../../work/engine/refusal.ts';
import { UseCaseError } from '../use-case-error.ts';

/** `done_before`: the command was executed earlier and is not repeated. */
export type CommandDone = Extract<Outcome['kind'], 'done' | 'done_before'>;

/** Returns if the command is done; throws the reason and the fix otherwise. */
export function expectDone(outcome: Outcome, item: string | null): CommandDone {
  switch (outcome.kind) {
    case 'done':
    case 'done_before':
      return outcome.kind;
    case 'refused':
      throw new UseCaseError(
        cleanOutput(outcome.reason),
        outcome.help ?? suggestFix(outcome.code, item),
        'failed',
      );
    case 'failed':
      throw new UseCaseError(
        cleanOutput(outcome.reason),
        outcome.help ?? 'nothing was changed; fix this, then try again',
        'failed',
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
      throw new UseCaseError(
        cleanOutput(report.reason),
        report.help ?? suggestFix(report.code, item),
        'failed',
      );
    case 'not_started':
      throw new UseCaseError(
        cleanOutput(report.reason),
        'conductor doctor shows what is missing; work.agents in .tnh/config.yaml sets the agent of each role',
        'failed',
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
