/** The minimum length of a short id. */
const MIN_LENGTH = 8;

/** Shortens a run id to a prefix. */
export type ShortId = (runId: string) => string;

/** Shortens each id to a prefix that is unique among the ids, of at least 8 characters. */
export function shortIdsOf(ids: readonly string[]): ShortId {
  // In sorted order, an id shares its longest common prefix with one of its neighbours.
  const sorted = [...new Set(ids)].sort();
  const shortIds = new Map(
    sorted.map((id, at) => {
      const shared = Math.max(
        commonPrefixLength(id, sorted[at - 1] ?? ''),
        commonPrefixLength(id, sorted[at + 1] ?? ''),
      );
      return [id, prefixOf(id, Math.max(MIN_LENGTH, shared + 1))];
    }),
  );
  return (runId) => shortIds.get(runId) ?? runId;
}

/** Same as `shortIdsOf`, but also shortens ids of runs that start later. */
export function growingShortIds(ids: readonly string[]): ShortId {
  const known = new Set(ids);
  let short = shortIdsOf(ids);
  return (runId) => {
    if (!known.has(runId)) short = shortIdsOf([...known.add(runId)]);
    return short(runId);
  };
}

function commonPrefixLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

/** One character longer if the prefix would end in a dash. */
function prefixOf(id: string, length: number): string {
  return id.slice(0, id[length - 1] === '-' ? length + 1 : length);
}
