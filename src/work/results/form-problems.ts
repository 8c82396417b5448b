import * as z from 'zod';
import { toProblems } from '../../planner/table/problems.ts';
import type { ContractProblem, ProblemCode } from './problem-codes.ts';

/** Codes for fields that are covered by their own rule of the contract. */
export type FieldCodes = Readonly<Record<string, ProblemCode>>;

export type Form<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly ContractProblem[] };

export function parseForm<Schema extends z.core.$ZodType>(
  schema: Schema,
  value: unknown,
  codes: FieldCodes = {},
): Form<z.infer<Schema>> {
  const parsed = z.safeParse(schema, value);
  if (parsed.success) return { ok: true, value: parsed.data };
  const problems = toProblems(parsed.error).map(({ path, message }) => ({
    path,
    code: codes[path] ?? 'WR001',
    message: describeProblem(path, message),
  }));
  return { ok: false, problems };
}

function describeProblem(path: string, message: string): string {
  const [, wanted] = /^expected (\w+), got nothing$/.exec(message) ?? [];
  if (path === '' || wanted === undefined) return `${path === '' ? 'the document' : path}: ${message}`;
  const value = wanted === 'array' ? 'an array (`[]` if empty)' : `a value of type ${wanted}`;
  return `\`${path}\` is missing: add ${value}`;
}

/**
 * The valid entries of a list, with their indexes, so that the rest of an invalid result is still checked.
 */
export function readValidEntries<Schema extends z.core.$ZodType>(
  schema: Schema,
  list: unknown,
): readonly { readonly index: number; readonly value: z.infer<Schema> }[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown, index) => {
    const parsed = z.safeParse(schema, entry);
    return parsed.success ? [{ index, value: parsed.data }] : [];
  });
}

export function fieldOf(value: unknown, key: string): unknown {
  return value !== null && typeof value === 'object' && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}
