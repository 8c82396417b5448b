import { isJsonObject, type JsonObject } from '../../text/json.ts';

/** Null if the text isn't a JSON object. */
export function parseObject(text: string | null): JsonObject | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
