import { shortIdsIn } from '../../../../app/runs/resolve-run.ts';
import { findItem } from '../../../../app/work/find-item.ts';
import {
  blockersOf,
  itemDocument,
  itemHistory,
  labelsOfItem,
  shownItemDocument,
} from '../../../../app/work/show-item.ts';
import type { JournalEntry } from '../../../../contracts/work/work-event.ts';
import type { ShortId } from '../../../../overview/short-ids.ts';
import type { WorkSnapshot } from '../../../../runtime/work/work-engine.ts';
import { type ItemRecord, revisionOf } from '../../../../work/items/state.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { renderTable } from '../../output/table.ts';
import { formatAge, type Output, printable, printLines, stdoutOf } from '../../output/terminal.ts';
import { createEventLines, oneLine } from '../../output/work/event-lines.ts';
import { withWork } from '../../output/work/session.ts';

/** Shows one item: its body, its status and the reason for it, its revision with reviews, and its history. */
export async function show(context: CommandContext, itemRef: string): Promise<ExitCode> {
  return withWork(context, { jobs: null }, async (work) => {
    const snapshot = await work.engine.snapshot();
    const known = findItem(snapshot, itemRef);
    const history = itemHistory(await work.history(), known.item);
    if (context.json) printJson(context, shownItemDocument(snapshot, known, history));
    else {
      const facts = { snapshot, known, history, short: await shortIdsIn(work), now: work.clock.now() };
      printItem(stdoutOf(context.terminal), facts);
    }
    return EXIT.success;
  });
}

interface ItemFacts {
  readonly snapshot: WorkSnapshot;
  readonly known: ItemRecord;
  readonly history: readonly JournalEntry[];
  readonly short: ShortId;
  readonly now: Date;
}

function printItem(output: Output, facts: ItemFacts): void {
  const { known, short } = facts;
  const { paint } = output;
  const { item } = known;
  printLines(output, [paint.bold(`${item.id}  ${oneLine(item.title)}`)]);
  output.write(renderTable(itemRows(output, facts), '', { width: output.width }));
  printLines(output, [
    ...revisionLines(output, facts),
    ...known.summaries.flatMap(({ runId, summary }) => [
      '',
      paint.bold(`Summary of run ${short(runId)}`),
      ...indented(summary),
    ]),
    '',
    paint.bold('Body'),
    ...indented(known.body),
    '',
    paint.bold('History'),
    ...historyLines(output, facts),
  ]);
}

function itemRows({ paint }: Output, { snapshot, known, short }: ItemFacts): string[][] {
  const { item, statusReason } = known;
  const { waiting, run } = itemDocument(snapshot, known);
  const rows: [string, string][] = [
    ['status', `${item.status}${statusReason === '' ? '' : `  ${paint.dim(oneLine(statusReason))}`}`],
    ['labels', printable(labelsOfItem(known).join(', '))],
  ];
  if (waiting !== null) rows.push(['waits', paint.yellow(oneLine(waiting).replace(/^waits:? /, ''))]);
  if (run !== null) rows.push(['at work', `${run.role}, run ${short(run.run_id)}`]);
  for (const { id, status, title, done } of blockersOf(snapshot, known))
    rows.push(['blocked by', `${done ? '✓' : '…'} ${id}  ${status ?? 'unknown'}  ${oneLine(title ?? '')}`]);
  return rows.map(([name, value]) => [paint.dim(name), value]);
}

function revisionLines({ paint }: Output, { snapshot: { state }, known }: ItemFacts): string[] {
  const revision = revisionOf(state, known.item);
  if (revision === null) return [];
  const { headRef, headSHA, pipeline } = revision;
  return [
    '',
    paint.bold('Revision'),
    `  ${headRef.replace('refs/heads/', '')} at ${headSHA.slice(0, 10)}, checks: ${pipeline.status}`,
    ...(pipeline.reason === null ? [] : indented(pipeline.reason)),
    ...(state.reviews.get(revision.id) ?? []).flatMap(({ review, headSHA: reviewed }) => [
      '',
      paint.bold(`Review of ${reviewed.slice(0, 10)}: ${review.verdict}`),
      ...indented(review.summary),
      ...review.comments.flatMap(({ path, line, body }) => [
        `  ${printable(path)}${line === null ? '' : `:${line}`}`,
        ...indented(body).map((each) => `  ${each}`),
      ]),
    ]),
  ];
}

function historyLines({ paint }: Output, { snapshot, history, short, now }: ItemFacts): string[] {
  const renderEvent = createEventLines(paint, snapshot.state, short);
  return history.flatMap((entry) => {
    const line = renderEvent(entry);
    const age = `${formatAge(now.getTime() - Date.parse(entry.at))} ago`;
    return line === null ? [] : [`${paint.dim(age.padStart(8))}  ${line}`];
  });
}

function indented(text: string): string[] {
  return printable(text)
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? '' : `  ${line}`));
}
