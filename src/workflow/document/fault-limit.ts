import * as z from 'zod/mini';
import { createMapping, type Mapping } from '../yaml/yaml-tree.ts';
import { surelyFits } from './schema-fit.ts';

type AnySchema = z.core.$ZodType;

/** How many invalid entries of lists and maps are checked. */
const MAX_FAULTS = 500;

/** How many unknown keys of one mapping are checked. */
const MAX_UNKNOWN_KEYS = 500;

/**
 * Returns the value, or a copy whose mappings have at most `MAX_UNKNOWN_KEYS` unknown keys. A schema collects all
 * issues before the caller can stop it, and a file can contain a million of them.
 */
export function limitUnknownKeys(schema: AnySchema, value: unknown): unknown {
  return limit(schema, value, { left: Number.POSITIVE_INFINITY });
}

/** Like `limitUnknownKeys`, and also cuts off lists and maps after `MAX_MISFITS` invalid entries. */
export function limitFaults(schema: AnySchema, value: unknown): unknown {
  return limit(schema, value, { left: MAX_FAULTS });
}

interface Allowance {
  left: number;
}

function limit(schema: AnySchema, value: unknown, allowance: Allowance): unknown {
  if (value === null || typeof value !== 'object') return value;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
      return limit(def.innerType, value, allowance);
    case 'array':
      return Array.isArray(value) ? limitList(def.element, value, allowance) : value;
    case 'record':
      return limitRecord(def.valueType, value as Mapping, allowance);
    case 'object':
      return limitFields(def.shape, value as Mapping, allowance);
    case 'union': {
      const { discriminator } = def as { readonly discriminator?: string };
      const member = def.options.find((option) => isMember(option, discriminator, value as Mapping));
      return member === undefined ? value : limit(member, value, allowance);
    }
    default:
      return value;
  }
}

/** Whether a mapping is meant for this union member: by discriminator, or because the member takes collections. */
function isMember(option: AnySchema, discriminator: string | undefined, value: Mapping): boolean {
  const { def } = (option as z.core.$ZodTypes)._zod;
  if (discriminator === undefined)
    return def.type === 'object' || def.type === 'union' || def.type === 'array';
  return option._zod.propValues?.[discriminator]?.has(value[discriminator] as z.core.util.Primitive) ?? false;
}

function limitList(element: AnySchema, list: readonly unknown[], allowance: Allowance): unknown {
  let copy: unknown[] | null = null;
  for (const [index, item] of list.entries()) {
    const limited = limitEntry(element, item, allowance);
    if (limited !== item) {
      copy ??= [...list];
      copy[index] = limited;
    }
    if (allowance.left <= 0 && index + 1 < list.length) return (copy ?? list).slice(0, index + 1);
  }
  return copy ?? list;
}

function limitRecord(valueType: AnySchema, value: Mapping, allowance: Allowance): unknown {
  const copy = createMapping();
  const keys = Object.keys(value);
  let changed = false;
  for (const [index, key] of keys.entries()) {
    copy[key] = limitEntry(valueType, value[key], allowance);
    changed ||= copy[key] !== value[key];
    if (allowance.left <= 0 && index + 1 < keys.length) return copy;
  }
  return changed ? copy : value;
}

/** Limits nested values first, so that the schema never sees more issues than allowed. */
function limitEntry(schema: AnySchema, value: unknown, allowance: Allowance): unknown {
  if (surelyFits(schema, value)) return value;
  const limited = limit(schema, value, allowance);
  const counts = Number.isFinite(allowance.left);
  if (counts && (limited !== value || !z.safeParse(schema, value, { jitless: true }).success))
    allowance.left -= 1;
  return limited;
}

function limitFields(shape: z.core.$ZodLooseShape, value: Mapping, allowance: Allowance): unknown {
  const known = Object.keys(shape);
  let copy: Mapping | null = null;
  if (Object.keys(value).length > known.length + MAX_UNKNOWN_KEYS) copy = withFewKeys(shape, value);
  for (const key of known) {
    const schema = shape[key] as AnySchema | undefined;
    if (schema === undefined || !Object.hasOwn(value, key)) continue;
    const limited = surelyFits(schema, value[key]) ? value[key] : limit(schema, value[key], allowance);
    if (limited === value[key]) continue;
    copy ??= Object.assign(createMapping(), value);
    copy[key] = limited;
  }
  return copy ?? value;
}

function withFewKeys(shape: z.core.$ZodLooseShape, value: Mapping): Mapping {
  const copy = createMapping();
  let unknown = 0;
  for (const key of Object.keys(value)) {
    const isKnown = Object.hasOwn(shape, key);
    if (!isKnown) unknown += 1;
    if (isKnown || unknown <= MAX_UNKNOWN_KEYS) copy[key] = value[key];
  }
  return copy;
}
