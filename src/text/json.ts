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
