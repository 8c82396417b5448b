export type JsonObject = Readonly<Record<string, unknown>>;

/** Null for a text that is no JSON object. */
export function parseObject(text: string | null): JsonObject | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

export function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
