import { WORK_STATUSES, type WorkStatus } from '../../../../contracts/work/work-item.ts';
import type { WorkSnapshot } from '../../../../runtime/work/work-engine.ts';
import type { ItemRecord } from '../../../../work/items/state.ts';
import { explainWait } from '../../../../work/items/waiting.ts';
import { renderTable } from '../table.ts';
import type { Paint, Terminal } from '../terminal.ts';
import { oneLine } from './event-lines.ts';

type BoardState = Pick<WorkSnapshot, 'state' | 'limits'>;

/** One line per item, in the order of creation. */
export function renderItems(snapshot: BoardState, items: readonly ItemRecord[]): string {
  return renderTable(
    items.map((known) => [
      known.item.id,
      known.item.status,
      known.item.priority,
      oneLine(known.item.title),
      ...waitingReasons(snapshot, known),
    ]),
  );
}

/** One section per status that has items; lines are clipped at the width of the terminal. */
export function renderBoard(
  { paintOut, columns }: Pick<Terminal, 'paintOut' | 'columns'>,
  snapshot: BoardState,
  items: readonly ItemRecord[],
): string {
  const width = Math.max(0, ...items.map(({ item }) => item.id.length));
  const sections = WORK_STATUSES.map((status) => {
    const inStatus = items.filter(({ item }) => item.status === status);
    if (inStatus.length === 0) return '';
    const heading = `${colourOf(paintOut, status)(status.toUpperCase())} ${paintOut.dim(String(inStatus.length))}\n`;
    return (
      heading + inStatus.map((known) => renderCard(paintOut, columns(), width, snapshot, known)).join('')
    );
  });
  return sections.join('');
}

function renderCard(
  paint: Paint,
  columns: number,
  width: number,
  snapshot: BoardState,
  known: ItemRecord,
): string {
  const { id, title, priority, type } = known.item;
  const kind = type === 'refinement' ? 'question' : priority;
  const head = `  ${paint.bold(id.padEnd(width))}  ${paint.dim(kind.padEnd(8))}  `;
  const reasons = waitingReasons(snapshot, known).map(
    (why) => `  ${' '.repeat(width)}  ${paint.yellow(clip(`└ ${why}`, columns - width - 4))}\n`,
  );
  return `${head}${clip(title, columns - width - 14)}\n${reasons.join('')}`;
}

function waitingReasons({ state, limits }: BoardState, known: ItemRecord): string[] {
  const why = explainWait(state, known, limits);
  return why === null ? [] : [oneLine(why)];
}

function colourOf(paint: Paint, status: WorkStatus): (text: string) => string {
  switch (status) {
    case 'approved':
    case 'closed':
      return paint.green;
    case 'needs-refinement':
    case 'blocked':
      return paint.yellow;
    case 'in-progress':
    case 'review':
      return paint.blue;
    case 'pending':
    case 'ready':
      return paint.bold;
  }
}

function clip(text: string, room: number): string {
  const line = oneLine(text);
  return line.length <= room ? line : `${line.slice(0, Math.max(0, room - 1))}…`;
}
