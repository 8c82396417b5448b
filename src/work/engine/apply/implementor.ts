import type { WorkEvent } from '../../../contracts/work/work-event.ts';
import type { Revision, WorkStatus } from '../../../contracts/work/work-item.ts';
import { firstLine } from '../../../text/shorten.ts';
import type { RevisionMade, RevisionRequest } from '../../items/provider-values.ts';
import type { ItemRecord, WorkState } from '../../items/state.ts';
import { describeBlocker } from '../../results/blocked-summary.ts';
import type { CommandOf } from '../command.ts';
import { isEmptyPatch } from '../result-guards.ts';
import {
  type AfterFailure,
  type Change,
  createRunEndEvents,
  decideAfterFailure,
  moveThrough,
} from './change.ts';

type Apply = CommandOf<'apply_implementor_result'>;

/** The revision that a result asks for; null if it asks for none. */
export function describeRevision(known: ItemRecord, command: Apply, at: string): RevisionRequest | null {
  const { outcome, patch, summary } = command.result;
  if (outcome !== 'completed' || patch === null || isEmptyPatch(patch)) return null;
  const { id, title } = known.item;
  return {
    itemId: id,
    title,
    base: command.base,
    patch,
    message: composeCommitMessage(known, summary),
    body: summary,
    author: 'implementor',
    at,
    ...(command.stackedOn === undefined || command.stackedOn.length === 0
      ? {}
      : { stackedOn: command.stackedOn }),
  };
}

function composeCommitMessage({ item }: ItemRecord, summary: string): string {
  const corrections = readScopeCorrections(summary);
  return [item.title, '', `Work item: ${item.id}`, ...corrections].join('\n');
}

/** Lines of a summary that correct a listed file name. They belong into the commit message. */
export function readScopeCorrections(summary: string): readonly string[] {
  return summary.split(/\r?\n/).flatMap((line) => {
    const found = /^\s*(?:[-*]\s+)?(?:\*\*)?scope correction:(?:\*\*)?\s*(\S.*)$/i.exec(line);
    return found?.[1] === undefined ? [] : [`Scope correction: ${found[1].trim()}`];
  });
}

/** Moves the item after a revision was created, could not be created, or was not requested. */
export function applyImplementorResult(
  state: WorkState,
  known: ItemRecord,
  command: Apply,
  context: { readonly by: string; readonly made: RevisionMade | null },
): Change {
  const { runId, result } = command;
  const { item } = known;
  const end = decideEnd(known, command, context.made);
  const path: WorkStatus[] = item.status === 'ready' ? ['in-progress', end.to] : [end.to];
  const moves = moveThrough(known, path, context.by, end.reason);
  const revision = context.made?.ok === true ? [revisionMade(context.made.revision, runId)] : [];
  return {
    writes: [{ kind: 'keep_summary', id: item.id, runId, summary: result.summary }, ...moves.writes],
    createEvents: () => [
      ...revision,
      { type: 'summary_kept', item_id: item.id, run_id: runId, summary: result.summary },
      ...createRunEndEvents(state, runId, { ok: end.ok, countsAsFailure: !end.ok, reason: end.reason }),
      ...moves.events,
    ],
  };
}

function revisionMade(revision: Revision, runId: string): WorkEvent {
  return { type: 'revision_made', revision, run_id: runId };
}

type End = AfterFailure & { readonly ok: boolean };

function decideEnd(known: ItemRecord, { result }: Apply, made: RevisionMade | null): End {
  switch (result.outcome) {
    case 'blocked':
      return { ok: true, to: 'blocked', reason: describeBlocker(result.summary) };
    case 'validation-failure':
      return { ok: true, to: 'needs-refinement', reason: firstLine(result.summary) };
    case 'completed':
      if (made?.ok === true) return { ok: true, to: 'review', reason: 'implemented' };
      return countFailure(known, made?.reason ?? 'it reports completed, but changed no file');
  }
}

function countFailure(known: ItemRecord, reason: string): End {
  const failures = [...known.failures, { at: 'implementor', reason } as const];
  return { ok: false, ...decideAfterFailure('in-progress', failures, reason) };
}
