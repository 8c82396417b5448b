import type * as z from 'zod/mini';
import { isJsonObject } from '../../text/json.ts';

type AnySchema = z.core.$ZodType;
type Fit = (value: unknown) => boolean;

const fitsBySchema = new WeakMap<AnySchema, Fit | null>();

/**
 * Fast check whether a value satisfies a schema that doesn't transform values. Most documents are valid, and this
 * takes a fraction of a full parse. False means unknown: the schema has to decide and report.
 */
export function surelyFits(schema: AnySchema, value: unknown): boolean {
  return findFit(schema)?.(value) ?? false;
}

function findFit(schema: AnySchema): Fit | null {
  const known = fitsBySchema.get(schema);
  if (known !== undefined) return known;
  const made = createFit(schema);
  fitsBySchema.set(schema, made);
  return made;
}

/** Null for schemas that can change a value, such as a default, and for kinds that no document uses. */
function createFit(schema: AnySchema): Fit | null {
  const kind = createKindFit(schema);
  const checks = checksOf(schema).map(createCheckFit);
  const [first] = checks;
  if (kind === null || first === undefined) return kind;
  if (checks.length === 1) return (value) => kind(value) && first(value);
  return (value) => kind(value) && checks.every((check) => check(value));
}

function createKindFit(schema: AnySchema): Fit | null {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if ('coerce' in def && def.coerce) return null;
  switch (def.type) {
    case 'string':
      return (value) => typeof value === 'string';
    case 'number':
      return (value) => Number.isFinite(value);
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'literal':
      return (value) => def.values.includes(value as z.core.util.Literal);
    case 'enum': {
      const words = new Set<unknown>(Object.values(def.entries));
      return (value) => words.has(value);
    }
    case 'array':
      return createArrayFit(def.element);
    case 'object':
      return createObjectFit(def);
    case 'union':
      return createUnionFit(def);
    default:
      return null;
  }
}

function createArrayFit(element: AnySchema): Fit | null {
  const accepts = findFit(element);
  if (accepts === null) return null;
  return (value) => {
    if (!Array.isArray(value)) return false;
    for (const item of value) if (!accepts(item)) return false;
    return true;
  };
}

function createObjectFit(def: z.core.$ZodObjectDef): Fit | null {
  const fields = new Map<string, Fit>();
  const required: string[] = [];
  for (const [key, given] of Object.entries(def.shape)) {
    const field = (given as z.core.$ZodTypes)._zod.def;
    const accepts = findFit(field.type === 'optional' ? field.innerType : given);
    if (accepts === null) return null;
    fields.set(key, accepts);
    if (field.type !== 'optional') required.push(key);
  }
  return (value) => {
    if (!isJsonObject(value)) return false;
    for (const key of Object.keys(value)) {
      const accepts = fields.get(key);
      if (accepts === undefined || !accepts(value[key])) return false;
    }
    for (const key of required) if (!Object.hasOwn(value, key)) return false;
    return true;
  };
}

/** With a discriminator, only the member that it selects is checked. */
function createUnionFit(def: z.core.$ZodUnionDef & { readonly discriminator?: string }): Fit | null {
  const { discriminator } = def;
  const byDiscriminator = new Map<unknown, Fit>();
  const members: Fit[] = [];
  for (const option of def.options) {
    const accepts = findFit(option);
    if (accepts === null) return null;
    members.push(accepts);
    const words = discriminator === undefined ? undefined : option._zod.propValues?.[discriminator];
    for (const word of words ?? []) byDiscriminator.set(word, accepts);
  }
  if (discriminator === undefined) return (value) => members.some((accepts) => accepts(value));
  return (value) => isJsonObject(value) && (byDiscriminator.get(value[discriminator])?.(value) ?? false);
}

function checksOf(schema: AnySchema): readonly z.core.$ZodCheck<never>[] {
  const own = schema._zod.traits.has('$ZodCheck') ? [schema as unknown as z.core.$ZodCheck<never>] : [];
  return [...own, ...(schema._zod.def.checks ?? [])];
}

/** A check that changes the value or is asynchronous counts as no fit, so the schema decides. */
function createCheckFit(check: z.core.$ZodCheck<never>): Fit {
  const { def } = check._zod as { readonly def: { readonly format?: string; readonly pattern?: RegExp } };
  const { format, pattern } = def;
  if (format === 'regex' && pattern?.global === false && !pattern.sticky)
    return (value) => pattern.test(value as string);
  return (value) => {
    const payload = { value: value as never, issues: [] };
    const promised = check._zod.check(payload);
    return promised === undefined && payload.issues.length === 0 && payload.value === value;
  };
}
