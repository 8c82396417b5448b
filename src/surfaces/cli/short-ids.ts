/** Characters of an id that are always shown. */
const LEAST_SHOWN = 8;

/** Names a run by the beginning of its id. */
export type ShortId = (runId: string) => string;

/** As much of each id as tells it from all others of the repository, at least 8 characters. */
export function shortIdsOf(ids: readonly string[]): ShortId {
  // In this order, the ids that begin alike stand side by side.
  const sorted = [...new Set(ids)].sort();
  const shown = new Map(
    sorted.map((id, at) => {
      const shared = Math.max(sharedLength(id, sorted[at - 1] ?? ''), sharedLength(id, sorted[at + 1] ?? ''));
      return [id, beginningOf(id, Math.max(LEAST_SHOWN, shared + 1))];
    }),
  );
  return (runId) => shown.get(runId) ?? runId;
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

/** A dash at the end would tell nothing. */
function beginningOf(id: string, length: number): string {
  return id.slice(0, id[length - 1] === '-' ? length + 1 : length);
}
