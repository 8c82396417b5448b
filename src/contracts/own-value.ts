/**
 * Looks a name up that somebody else chose. Plain indexing would also find what every object inherits:
 * `constructor` is a legal step id.
 */
export function ownValue<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
