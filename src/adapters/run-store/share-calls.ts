/**
 * Calls that come while one is under way wait for the next, which serves them all. The one under way would
 * not do: it may have looked before they came.
 */
export function shareCalls(call: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const begin = (): Promise<void> => {
    const started = call().finally(() => {
      if (current === started) current = null;
    });
    current = started;
    return started;
  };
  return () => {
    if (current === null) return begin();
    next ??= current
      .catch(() => {})
      .then(() => {
        next = null;
        return begin();
      });
    return next;
  };
}
