import type { JournalEntry, WorkEvent } from '../../../../contracts/work/work-event.ts';
import type { ShortId } from '../../../../overview/short-ids.ts';
import { describeConflict } from '../../../../work/items/stack.ts';
import type { WorkState } from '../../../../work/items/state.ts';
import { type Paint, printable } from '../terminal.ts';

/** Renders each event as one line. Remembers which item each run and each revision belongs to. */
export function createEventLines(
  paint: Paint,
  state: WorkState,
  short: ShortId,
): (entry: JournalEntry) => string | null {
  const runs = new Map([...state.runs.values()].map(({ runId, itemId }) => [runId, itemId]));
  const revisions = new Map([...state.revisions.values()].map(({ id, workItemID }) => [id, workItemID]));
  return ({ event }) => {
    if (event.type === 'run_accepted') runs.set(event.run_id, event.item_id);
    if (event.type === 'revision_made') revisions.set(event.revision.id, event.revision.workItemID);
    return renderEvent(paint, event, {
      short,
      run: (id) => runs.get(id) ?? null,
      revision: (id) => revisions.get(id) ?? null,
    });
  };
}

interface Names {
  readonly short: ShortId;
  /** The item that a run or a revision belongs to. */
  readonly run: (id: string) => string | null;
  readonly revision: (id: string) => string | null;
}

function renderEvent(paint: Paint, event: WorkEvent, names: Names): string | null {
  const line = (item: string | null, mark: string, text: string) =>
    `${mark} ${(item ?? 'plan').padEnd(5)} ${text}`;
  switch (event.type) {
    case 'item_created':
      return line(event.item.id, paint.green('+'), oneLine(event.item.title));
    case 'item_linked':
      return line(event.item_id, ' ', paint.dim(`is blocked by ${event.blocked_by.join(', ')}`));
    case 'item_updated':
      return line(event.item.id, paint.blue('~'), `updated: ${oneLine(event.item.title)}`);
    case 'status_changed':
      return line(
        event.item_id,
        markOf(paint, event.to),
        `${event.from} → ${paint.bold(event.to)}${reasonSuffix(paint, event.reason)}`,
      );
    case 'revision_made':
      return line(
        event.revision.workItemID,
        ' ',
        `${event.revision.headRef.replace('refs/heads/', '')} is at ${event.revision.headSHA.slice(0, 10)}`,
      );
    case 'pipeline_changed': {
      const { status, reason } = event.pipeline;
      const mark = status === 'success' ? paint.green('✓') : status === 'failure' ? paint.red('✗') : ' ';
      return line(
        names.revision(event.revision_id),
        mark,
        `checks: ${status}${reasonSuffix(paint, reason ?? '')}`,
      );
    }
    case 'review_posted': {
      const { verdict, summary } = event.review.review;
      const mark = verdict === 'approve' ? paint.green('✓') : paint.yellow('!');
      return line(
        names.revision(event.review.revisionID),
        mark,
        `review: ${verdict}${reasonSuffix(paint, summary)}`,
      );
    }
    case 'revision_merged':
      return line(
        event.item_id,
        paint.green('✓'),
        `merged into ${event.into} as ${event.commit.slice(0, 10)} by ${oneLine(event.by)}`,
      );
    case 'scope_extended':
      return line(
        event.item_id,
        paint.blue('~'),
        `scope: ${oneLine(event.path)} allowed by ${oneLine(event.by)}${reasonSuffix(paint, event.reason)}`,
      );
    case 'stack_conflicted':
      return line(event.item_id, paint.yellow('!'), `blockers conflict: ${oneLine(describeConflict(event))}`);
    case 'notification_sent': {
      const target = oneLine(event.target);
      return event.ok
        ? null
        : line(
            event.item_id,
            paint.yellow('!'),
            `not notified: ${target}${reasonSuffix(paint, event.message ?? '')}`,
          );
    }
    case 'run_accepted':
      return line(event.item_id, paint.blue('▶'), `${event.role}, run ${names.short(event.run_id)}`);
    case 'run_ended':
      return event.ok
        ? null
        : line(
            names.run(event.run_id),
            paint.red('✗'),
            `run ${names.short(event.run_id)} failed${reasonSuffix(paint, event.reason)}`,
          );
    case 'command_refused':
    case 'command_failed': {
      const how = event.type === 'command_refused' ? 'refused' : 'failed';
      return line(
        event.item_id,
        paint.yellow('!'),
        `${event.kind.replaceAll('_', ' ')} ${how}${reasonSuffix(paint, event.reason)}`,
      );
    }
    case 'specs_planned':
      return line(
        null,
        paint.green('✓'),
        `planned: ${event.specs.map(({ filePath }) => oneLine(filePath)).join(', ')}`,
      );
    case 'specs_seen':
    case 'summary_kept':
    case 'command_started':
    case 'command_done':
      return null;
  }
}

function markOf(paint: Paint, status: string): string {
  if (status === 'approved' || status === 'closed') return paint.green('✓');
  return status === 'blocked' || status === 'needs-refinement' ? paint.yellow('?') : paint.blue('→');
}

function reasonSuffix(paint: Paint, reason: string): string {
  const text = oneLine(reason);
  return text === '' ? '' : paint.dim(`  ${text}`);
}

/** The first line of a text from outside, neutralised. */
export function oneLine(text: string): string {
  return printable(text).trim().split('\n', 1)[0] ?? '';
}
