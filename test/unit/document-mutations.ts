import * as fc from 'fast-check';
import { isJsonObject } from '../../src/text/json.ts';
import type { WorkflowValue } from '../../testing/workflow-arbitrary.ts';

/** Structural mistakes: each makes a valid document one that no reader of its form can accept. */
export type Mistake = 'wrong type' | 'unknown key' | 'missing key' | 'bad word';
export const MISTAKES: readonly Mistake[] = ['wrong type', 'unknown key', 'missing key', 'bad word'];

type Key = string | number;

interface Place {
  readonly path: readonly Key[];
  readonly value: unknown;
}

const REQUIRED = new Set(
  `workflow_id version description entry_step steps id opcode agent prompt routes run allowed_next_steps gate
   target kind entrypoint step completed success partial unsafe needs_human gate_approved
   gate_rejected`.split(/\s+/),
);
const WORDS = new Set(['opcode', 'intent', 'kind', 'target', 'component_kind', 'eval_profile']);

/** One mistake of a kind, somewhere in the document. */
export function withMistake(document: WorkflowValue, mistake: Mistake): fc.Arbitrary<WorkflowValue> {
  const places = placesOf(document, []).filter((place) => allows(mistake, place));
  return fc.constantFrom(...places).map((place) => {
    const copy: unknown = structuredClone(document);
    make(mistake, copy, place);
    return copy as WorkflowValue;
  });
}

/** All places but those that belong to the author alone. */
function placesOf(value: unknown, path: readonly Key[]): Place[] {
  const here = { path, value };
  if (Array.isArray(value)) return [here, ...value.flatMap((item, at) => placesOf(item, [...path, at]))];
  if (!isJsonObject(value)) return [here];
  const own = Object.entries(value).filter(([key]) => !key.startsWith('x-'));
  return [here, ...own.flatMap(([key, item]) => placesOf(item, [...path, key]))];
}

function allows(mistake: Mistake, { path, value }: Place): boolean {
  const key = path.at(-1);
  switch (mistake) {
    case 'wrong type':
      return path.length > 0;
    case 'unknown key':
      return isJsonObject(value);
    case 'missing key':
      return typeof key === 'string' && REQUIRED.has(key);
    case 'bad word':
      return typeof key === 'string' && WORDS.has(key);
  }
}

function make(mistake: Mistake, document: unknown, { path, value }: Place): void {
  const parent = path.slice(0, -1).reduce<unknown>((current, key) => asMapping(current)[key], document);
  const key = path.at(-1);
  if (mistake === 'unknown key') {
    const found = key === undefined ? document : asMapping(parent)[key];
    asMapping(found).zz_unknown = 1;
    return;
  }
  if (key === undefined) throw new Error(`the whole document can't have a ${mistake}`);
  if (mistake === 'missing key') delete asMapping(parent)[key];
  else asMapping(parent)[key] = mistake === 'bad word' ? 'zz' : wrongFor(value);
}

function wrongFor(value: unknown): unknown {
  if (typeof value === 'boolean') return 'yes';
  return typeof value === 'object' ? true : {};
}

function asMapping(value: unknown): Record<Key, unknown> {
  if (value === null || typeof value !== 'object') throw new Error('a path leads through a scalar');
  return value as Record<Key, unknown>;
}
