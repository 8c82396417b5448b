import type { EventDraft } from '../contracts/event.ts';
import { maskSecrets } from '../policy/secrets.ts';

/**
 * The keys of payloads under which free text stands. Others name things, and must name them still. What a person said
 * at a gate is theirs, and is held against the file they said it in.
 */
const TEXT_KEYS: ReadonlySet<string> = new Set(['reason', 'note', 'message', 'command']);

/** An event without the secrets that somebody's words brought into it. */
export function maskDraft(draft: EventDraft, secrets: readonly string[]): EventDraft {
  const payload = Object.fromEntries(
    Object.entries(draft.payload).map(([key, value]: [string, unknown]) => [
      key,
      key === 'inputs' ? maskInputs(value) : maskText(key, value, secrets),
    ]),
  );
  // The keys are those it came with, and a text stays a text.
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
 * What came by `--input`, by name. It is also what agents are told to do, so a word that happens to be somebody's
 * password stays: only what looks like a secret goes.
 */
function maskInputs(inputs: unknown): unknown {
  return Object.fromEntries(
    Object.entries(Object(inputs) as Record<string, unknown>).map(([name, value]) => [
      name,
      typeof value === 'string' ? maskSecrets(value, []) : value,
    ]),
  );
}
