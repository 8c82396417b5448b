/**
 * Looks up a key that comes from outside. Plain indexing would also find inherited properties, and `constructor` is a
 * legal step id.
 */
export function ownValue<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
