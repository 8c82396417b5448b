/** Returns null for invalid JSON; the caller has to check the shape anyway. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns null unless the text is a JSON object; a byte order mark is allowed. */
export function parseJsonObject(text: string | null): JsonObject | null {
  if (text === null) return null;
  const value = parseJson(text.replace(/^\uFEFF/, ''));
  return isJsonObject(value) ? value : null;
}

/** Sorts the keys of all objects and drops undefined values, so that equal values have equal JSON. */
export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, entry]) => entry !== undefined)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, entry]) => [key, sortKeys(entry)]),
  );
}

const NO_OBJECT: JsonObject = Object.freeze(Object.create(null));

/** Empty unless the value is a JSON object. */
export function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : NO_OBJECT;
}

/** Empty unless the value is a list. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Null unless the value is a text. */
export function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
