import type { EventDraft } from '../../contracts/run/event.ts';
import { maskSecrets } from '../../policy/secrets.ts';

/**
 * Payload keys that contain free text. Other keys contain names, which must not change. A gate's comment is not
 * masked: it is compared with the file in which the user's answer is stored.
 */
const TEXT_KEYS: ReadonlySet<string> = new Set(['reason', 'note', 'message', 'command']);

/** Masks secrets in the free text of an event. */
export function maskDraft(draft: EventDraft, secrets: readonly string[]): EventDraft {
  const payload = Object.fromEntries(
    Object.entries(draft.payload).map(([key, value]: [string, unknown]) => [
      key,
      key === 'inputs' ? maskInputs(value) : maskText(key, value, secrets),
    ]),
  );
  // Masking keeps the keys and the types of their values.
  return { ...draft, payload } as EventDraft;
}

function maskText(key: string, value: unknown, secrets: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => maskText(key, item, secrets));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([inner, item]: [string, unknown]) => [
        inner,
        maskText(inner, item, secrets),
      ]),
    );
  return typeof value === 'string' && TEXT_KEYS.has(key) ? maskSecrets(value, secrets) : value;
}

/**
 * Masks the values given with `--input`. They are also instructions for agents, so known secret values are kept (a
 * common word may be someone's password) and only text that looks like a secret is masked.
 */
function maskInputs(inputs: unknown): unknown {
  return Object.fromEntries(
    Object.entries(Object(inputs) as Record<string, unknown>).map(([name, value]) => [
      name,
      typeof value === 'string' ? maskSecrets(value, []) : value,
    ]),
  );
}
