import type { JournalEntry } from '../../../../contracts/work/work-event.ts';
import type { WorkSnapshot } from '../../../../runtime/work/work-engine.ts';
import { readBody } from '../../../../work/bodies/body.ts';
import { type ItemRecord, revisionOf } from '../../../../work/items/state.ts';
import { isTerminal } from '../../../../work/items/status-table.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { renderTable } from '../../output/table.ts';
import { printable, shortId } from '../../output/terminal.ts';
import { itemDocument, labelsOfItem } from '../../output/work/documents.ts';
import { createEventLines, oneLine } from '../../output/work/event-lines.ts';
import { itemHistory, runsOfItem } from '../../output/work/history.ts';
import { findItem, withWork } from '../../output/work/session.ts';

/** Everything about one item: what it asks for, where it stands and why, what was made of it and said about it. */
export async function show(context: VerbContext, wanted: string): Promise<ExitCode> {
  return withWork(context, { jobs: null }, async ({ engine, history }) => {
    const snapshot = await engine.snapshot();
    const known = findItem(snapshot, wanted);
    const entries = itemHistory(await history(), known.item);
    if (context.json) printJson(context, showDocument(snapshot, known, entries));
    else printItem(context, snapshot, known, entries);
    return EXIT.success;
  });
}

function showDocument(snapshot: WorkSnapshot, known: ItemRecord, entries: readonly JournalEntry[]) {
  const { state } = snapshot;
  const revision = revisionOf(state, known.item);
  return {
    item: itemDocument(snapshot, known),
    body: known.body,
    labels: labelsOfItem(known),
    criteria: readBody(known.body).criteria.map(({ text, done }) => ({ text, done })),
    blockers: blockersOf(snapshot, known),
    revision,
    reviews: revision === null ? [] : (state.reviews.get(revision.id) ?? []),
    summaries: known.summaries.map(({ runId, summary }) => ({ run_id: runId, summary })),
    failures: known.failures,
    runs: runsOfItem(entries),
    history: entries,
  };
}

function blockersOf({ state }: WorkSnapshot, { item }: ItemRecord) {
  return item.blockedBy.map((id) => {
    const blocker = state.items.get(id)?.item;
    const status = blocker?.status ?? null;
    return { id, title: blocker?.title ?? null, status, done: status !== null && isTerminal(status) };
  });
}

function printItem(
  context: VerbContext,
  snapshot: WorkSnapshot,
  known: ItemRecord,
  entries: readonly JournalEntry[],
): void {
  const { out, paintOut } = context.terminal;
  const heading = (text: string) => out(`\n${paintOut.bold(text)}\n`);
  const { item } = known;
  const { waiting, run } = itemDocument(snapshot, known);
  out(`${paintOut.bold(`${item.id}  ${oneLine(item.title)}`)}\n`);
  const rows: [string, string][] = [
    [
      'status',
      `${item.status}${known.statusReason === '' ? '' : `  ${paintOut.dim(oneLine(known.statusReason))}`}`,
    ],
    ['labels', printable(labelsOfItem(known).join(', '))],
  ];
  if (waiting !== null) rows.push(['waits', paintOut.yellow(oneLine(waiting).replace(/^waits:? /, ''))]);
  if (run !== null) rows.push(['at work', `${run.role}, run ${shortId(run.run_id)}`]);
  for (const { id, status, title, done } of blockersOf(snapshot, known))
    rows.push(['blocked by', `${done ? '✓' : '…'} ${id}  ${status ?? 'unknown'}  ${oneLine(title ?? '')}`]);
  out(renderTable(rows.map(([name, value]) => [paintOut.dim(name), value])));
  printRevision(context, snapshot, known);
  for (const { runId, summary } of known.summaries) {
    heading(`Summary of run ${shortId(runId)}`);
    out(`${indented(summary)}\n`);
  }
  heading('Body');
  out(`${indented(known.body)}\n`);
  heading('History');
  const lineOf = createEventLines(paintOut, snapshot.state);
  for (const entry of entries) {
    const line = lineOf(entry);
    if (line !== null) out(`${paintOut.dim(entry.at.slice(0, 19).replace('T', ' '))}  ${line}\n`);
  }
}

function printRevision(context: VerbContext, { state }: WorkSnapshot, { item }: ItemRecord): void {
  const { out, paintOut } = context.terminal;
  const revision = revisionOf(state, item);
  if (revision === null) return;
  const { headRef, headSHA, pipeline } = revision;
  out(`\n${paintOut.bold('Revision')}\n`);
  out(`  ${headRef.replace('refs/heads/', '')} at ${headSHA.slice(0, 10)}, checks: ${pipeline.status}\n`);
  if (pipeline.reason !== null) out(`${indented(pipeline.reason)}\n`);
  for (const { review, headSHA: reviewed } of state.reviews.get(revision.id) ?? []) {
    out(`\n${paintOut.bold(`Review of ${reviewed.slice(0, 10)}: ${review.verdict}`)}\n`);
    out(`${indented(review.summary)}\n`);
    for (const { path, line, body } of review.comments)
      out(`  ${printable(path)}${line === null ? '' : `:${line}`}\n${indented(indented(body))}\n`);
  }
}

function indented(text: string): string {
  return printable(text)
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? '' : `  ${line}`))
    .join('\n');
}
