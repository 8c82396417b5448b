import { ForgeError } from './forge-problem.ts';

/**
 * Every write to a forge goes through here, and so happens once: its intent is durable before it is sent, and a write whose
 * end is unknown (a crash, a 502, a closed connection) is looked up on the forge before it is repeated. A write that the
 * forge refuses because its result exists already adopts that result.
 */

/** A durable list of the writes that were begun and of those that were finished. */
export interface IntentJournal {
  /** Durable when it returns. */
  readonly begin: (intent: WriteIntent) => Promise<IntentState>;
  /** What `begin` would return, without beginning anything. */
  readonly look: (key: string) => Promise<IntentState>;
  /** `result` is what a later `begin` returns, as JSON. Durable when it returns. */
  readonly finish: (key: string, result: unknown) => Promise<void>;
}

export interface WriteIntent {
  /** Names the write: the same key is the same write. */
  readonly key: string;
  /** Names the operation for readers of the journal. It contains neither secrets nor texts. */
  readonly operation: string;
}

export type IntentState =
  | { readonly kind: 'new' }
  /** It was begun before, and may have taken effect. */
  | { readonly kind: 'begun' }
  | { readonly kind: 'finished'; readonly result: unknown };

export interface OnceRequest<T> extends WriteIntent {
  /** Reads the result that an earlier try recorded; null if it can't be used any more. */
  readonly recall: (result: unknown) => T | null;
  /** Looks for the effect of an earlier try; null if there is none. */
  readonly find: () => Promise<T | null>;
  readonly write: () => Promise<T>;
  /** What the journal keeps; the value itself by default. */
  readonly record?: (value: T) => unknown;
}

/** A second try after an end that is unknown; a third would hardly find anything new. */
const MAX_TRIES = 2;

export async function writeOnce<T>(journal: IntentJournal, request: OnceRequest<T>): Promise<T> {
  const { key, operation, recall, find, write, record = (value: T): unknown => value } = request;
  const state = await journal.begin({ key, operation });
  const finish = async (value: T): Promise<T> => {
    await journal.finish(key, record(value));
    return value;
  };
  if (state.kind === 'finished') {
    const known = recall(state.result);
    if (known !== null) return known;
  }
  if (state.kind !== 'new') {
    const found = await find();
    if (found !== null) return finish(found);
  }
  for (let tries = 1; ; tries += 1) {
    try {
      return await finish(await write());
    } catch (error) {
      if (!mayHaveTakenEffect(error)) throw error;
      const found = await find();
      if (found !== null) return finish(found);
      if (!isUnknownEnd(error) || tries >= MAX_TRIES) throw error;
    }
  }
}

function mayHaveTakenEffect(error: unknown): error is ForgeError {
  return error instanceof ForgeError && ['unreachable', 'conflict'].includes(error.problem.kind);
}

function isUnknownEnd(error: ForgeError): boolean {
  return error.problem.kind === 'unreachable';
}
