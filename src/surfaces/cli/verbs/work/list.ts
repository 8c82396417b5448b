import { WORK_STATUSES, type WorkStatus } from '../../../../contracts/work-item.ts';
import type { WorkSnapshot } from '../../../../runtime/work/loop.ts';
import type { KnownItem } from '../../../../work/state.ts';
import { waitingReason } from '../../../../work/waiting.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { renderTable } from '../../table.ts';
import { printJson, type VerbContext } from '../../verb.ts';
import { itemDocument } from '../../work/documents.ts';
import { oneLine } from '../../work/event-lines.ts';
import { withWork } from '../../work/session.ts';

/** The board: items by status, with why each of them waits. */
export async function list(context: VerbContext, status: string | null): Promise<ExitCode> {
  return withWork(context, { jobs: null }, async ({ engine }) => {
    const snapshot = await engine.snapshot();
    const items = [...snapshot.state.items.values()].filter(
      ({ item }) => status === null || item.status === status,
    );
    if (context.json) {
      printJson(context, {
        items: items.map((known) => itemDocument(snapshot, known)),
        unplanned: snapshot.unplanned.map(({ filePath }) => filePath),
        planning_stopped: snapshot.planningStopped,
      });
      return EXIT.success;
    }
    if (context.terminal.liveOut) printBoard(context, snapshot, items);
    else printLines(context, snapshot, items);
    tellRest(context, snapshot, items.length, status);
    return EXIT.success;
  });
}

function printLines({ terminal: { out } }: VerbContext, snapshot: WorkSnapshot, items: readonly KnownItem[]) {
  out(
    renderTable(
      items.map((known) => [
        known.item.id,
        known.item.status,
        known.item.priority,
        oneLine(known.item.title),
        ...whyOf(snapshot, known),
      ]),
    ),
  );
}

/** A section for each status that has items; what does not fit on a line is cut. */
function printBoard(context: VerbContext, snapshot: WorkSnapshot, items: readonly KnownItem[]): void {
  const { out, paintOut, columns } = context.terminal;
  const width = Math.max(0, ...items.map(({ item }) => item.id.length));
  for (const status of WORK_STATUSES) {
    const here = items.filter(({ item }) => item.status === status);
    if (here.length === 0) continue;
    out(`${colourOf(context, status)(status.toUpperCase())} ${paintOut.dim(String(here.length))}\n`);
    for (const known of here) {
      const { id, title, priority, type } = known.item;
      const kind = type === 'refinement' ? 'question' : priority;
      out(
        `  ${paintOut.bold(id.padEnd(width))}  ${paintOut.dim(kind.padEnd(8))}  ${clip(title, columns() - width - 14)}\n`,
      );
      for (const why of whyOf(snapshot, known))
        out(`  ${' '.repeat(width)}  ${paintOut.yellow(clip(`└ ${why}`, columns() - width - 4))}\n`);
    }
  }
}

function whyOf({ state, limits }: WorkSnapshot, known: KnownItem): string[] {
  const why = waitingReason(state, known, limits);
  return why === null ? [] : [oneLine(why)];
}

function colourOf({ terminal: { paintOut } }: VerbContext, status: WorkStatus): (text: string) => string {
  switch (status) {
    case 'approved':
    case 'closed':
      return paintOut.green;
    case 'needs-refinement':
    case 'blocked':
      return paintOut.yellow;
    case 'in-progress':
    case 'review':
      return paintOut.blue;
    case 'pending':
    case 'ready':
      return paintOut.bold;
  }
}

function tellRest(
  { terminal: { err } }: VerbContext,
  { unplanned, planningStopped, state }: WorkSnapshot,
  shown: number,
  status: string | null,
): void {
  if (shown === 0 && state.items.size > 0) err(`no item is ${status}\n`);
  if (state.items.size === 0)
    err('there are no work items yet; conductor work plan makes them from approved specs\n');
  if (planningStopped !== null) err(`${oneLine(planningStopped)}; conductor work plan tries it again\n`);
  else if (unplanned.length > 0)
    err(`not planned yet: ${unplanned.map(({ filePath }) => filePath).join(', ')}; conductor work plan\n`);
}

function clip(text: string, room: number): string {
  const line = oneLine(text);
  return line.length <= room ? line : `${line.slice(0, Math.max(0, room - 1))}…`;
}
