import { WORK_STATUSES, type WorkStatus } from '../../../../contracts/work/work-item.ts';
import type { WorkSnapshot } from '../../../../runtime/work/work-engine.ts';
import { shorten } from '../../../../text/shorten.ts';
import type { ItemRecord } from '../../../../work/items/state.ts';
import { explainWaiting } from '../../../../work/items/waiting.ts';
import { renderTable } from '../table.ts';
import type { Output, Paint } from '../terminal.ts';
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

/** One section per status that has items; lines are shortened to the width of the terminal. */
export function renderBoard(
  { paint, width }: Pick<Output, 'paint' | 'width'>,
  snapshot: BoardState,
  items: readonly ItemRecord[],
): string {
  const idWidth = Math.max(0, ...items.map(({ item }) => item.id.length));
  const sections = WORK_STATUSES.map((status) => {
    const inStatus = items.filter(({ item }) => item.status === status);
    if (inStatus.length === 0) return '';
    const heading = `${colourOf(paint, status)(status.toUpperCase())} ${paint.dim(String(inStatus.length))}\n`;
    return heading + inStatus.map((known) => renderCard(paint, width, idWidth, snapshot, known)).join('');
  });
  return sections.join('');
}

function renderCard(
  paint: Paint,
  width: number,
  idWidth: number,
  snapshot: BoardState,
  known: ItemRecord,
): string {
  const { id, title, priority, type } = known.item;
  const kind = type === 'refinement' ? 'question' : priority;
  const head = `  ${paint.bold(id.padEnd(idWidth))}  ${paint.dim(kind.padEnd(8))}  `;
  const reasons = waitingReasons(snapshot, known).map(
    (why) => `  ${' '.repeat(idWidth)}  ${paint.yellow(shorten(`└ ${why}`, width - idWidth - 4))}\n`,
  );
  return `${head}${shorten(oneLine(title), width - idWidth - 14)}\n${reasons.join('')}`;
}

function waitingReasons(snapshot: BoardState, known: ItemRecord): string[] {
  const waiting = explainWaiting(known, snapshot);
  return waiting === null ? [] : [oneLine(waiting.text)];
}

/** The end of a loop: how many items have which status, and why others wait. The report has what needs the user. */
export function renderClosing(
  { paint, width }: Pick<Output, 'paint' | 'width'>,
  snapshot: BoardState,
): readonly string[] {
  const items = [...snapshot.state.items.values()];
  if (items.length === 0) return ['no work items'];
  const counts = WORK_STATUSES.flatMap((status) => {
    const count = items.filter(({ item }) => item.status === status).length;
    return count === 0 ? [] : [`${count} ${status}`];
  });
  const waiting = items.flatMap((known) => {
    const reason = explainWaiting(known, snapshot);
    if (reason === null || reason.needsUser) return [];
    return [shorten(`  ${known.item.id}  ${oneLine(known.item.title)}: ${oneLine(reason.text)}`, width)];
  });
  return [paint.bold(`work items: ${counts.join(', ')}`), ...waiting];
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
