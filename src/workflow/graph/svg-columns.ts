/** An item in a row: a node, or a gap that edges pass through. */
export interface Slot {
  readonly width: number;
  /** Connected slots in the next row. */
  readonly below: readonly number[];
}

const GAP = 36;
const SWEEPS = 12;

/**
 * Computes the x coordinate of the middle of each slot. Orders the rows so that few lines cross, then moves every slot
 * towards the slots it is connected to, as far as its neighbours allow.
 */
export function placeColumns(slots: readonly Slot[], rows: readonly (readonly number[])[]): number[] {
  const above = slots.map((): number[] => []);
  for (const [from, slot] of slots.entries()) for (const to of slot.below) above[to]?.push(from);
  const ordered = orderRows(slots, rows, above);
  const middles: number[] = [];
  for (const row of ordered)
    packRow(
      row,
      row.map(() => 0),
      slots,
      middles,
    );
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    for (const row of sweep % 2 === 0 ? ordered : ordered.toReversed()) {
      const wanted = row.map((at) => {
        const near = [...(above[at] ?? []), ...(slots[at]?.below ?? [])];
        return mean(near.map((other) => middles[other] ?? 0)) ?? middles[at] ?? 0;
      });
      packRow(row, wanted, slots, middles);
    }
  }
  return middles;
}

function orderRows(
  slots: readonly Slot[],
  rows: readonly (readonly number[])[],
  above: readonly (readonly number[])[],
): number[][] {
  const ordered = rows.map((row) => [...row]);
  const rank: number[] = [];
  const note = (row: readonly number[]) => {
    for (const [position, at] of row.entries()) rank[at] = (position + 0.5) / row.length;
  };
  ordered.forEach(note);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const down = sweep % 2 === 0;
    for (const row of down ? ordered : ordered.toReversed()) {
      const pull = new Map(
        row.map((at) => {
          const near = (down ? above[at] : slots[at]?.below) ?? [];
          return [at, mean(near.map((other) => rank[other] ?? 0)) ?? rank[at] ?? 0];
        }),
      );
      row.sort((a, b) => (pull.get(a) ?? 0) - (pull.get(b) ?? 0));
      note(row);
    }
  }
  return ordered;
}

/** Places slots near their wanted positions: the mean of resolving overlaps to the right only and to the left only. */
function packRow(
  row: readonly number[],
  wanted: readonly number[],
  slots: readonly Slot[],
  middles: number[],
): void {
  const widthOf = (position: number) => slots[row[position] ?? -1]?.width ?? 0;
  const distance = (position: number) => (widthOf(position) + widthOf(position + 1)) / 2 + GAP;
  const right = [...wanted];
  for (let at = 1; at < row.length; at += 1)
    right[at] = Math.max(right[at] ?? 0, (right[at - 1] ?? 0) + distance(at - 1));
  const left = [...wanted];
  for (let at = row.length - 2; at >= 0; at -= 1)
    left[at] = Math.min(left[at] ?? 0, (left[at + 1] ?? 0) - distance(at));
  for (const [position, at] of row.entries())
    middles[at] = Math.round(((right[position] ?? 0) + (left[position] ?? 0)) / 2);
}

function mean(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
