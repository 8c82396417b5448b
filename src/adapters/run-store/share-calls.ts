/**
 * Combines concurrent calls: calls that arrive while one is in progress share the next one. The one in progress does
 * not suffice: it may have started before the change that a new caller made.
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
