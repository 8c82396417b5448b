import * as z from 'zod/mini';
import type { Path } from '../yaml/yaml-tree.ts';

type AnySchema = z.core.$ZodType;

/** The keys that a mapping at this path may have; empty if any key is allowed. */
export function knownKeysAt(root: AnySchema, path: Path, data: unknown): readonly string[] {
  return Object.keys(shapeAt(root, path, data));
}

/** The first sentence of the key's schema description, in lower case for use after a colon; null if it has none. */
export function purposeAt(root: AnySchema, path: Path, data: unknown): string | null {
  const schema = shapeAt(root, path.slice(0, -1), data)[String(path.at(-1))];
  const description = schema === undefined ? undefined : z.globalRegistry.get(schema)?.description;
  const [first = ''] = description?.split(/\.(?:\s|$)/) ?? [];
  return first === '' ? null : first.charAt(0).toLowerCase() + first.slice(1);
}

function shapeAt(root: AnySchema, path: Path, data: unknown): Readonly<Record<string, AnySchema>> {
  let schema: AnySchema | null = resolveUnion(root, data);
  let value = data;
  for (const part of path) {
    if (schema === null) return {};
    value = isIndexable(value) ? value[String(part)] : undefined;
    schema = resolveUnion(childSchema(schema, part), value);
  }
  const def = schema === null ? null : definition(schema);
  return def?.type === 'object' ? def.shape : {};
}

function childSchema(schema: AnySchema, part: string | number): AnySchema | null {
  const def = definition(schema);
  switch (def.type) {
    case 'object':
      return def.shape[String(part)] ?? null;
    case 'array':
      return def.element;
    case 'record':
      return def.valueType;
    default:
      return null;
  }
}

/** Unwraps optional and default schemas, and resolves a union to the member that matches the mapping. */
function resolveUnion(schema: AnySchema | null, value: unknown): AnySchema | null {
  if (schema === null) return null;
  const def = definition(schema);
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
      return resolveUnion(def.innerType, value);
    case 'pipe':
      return resolveUnion(def.in, value);
    case 'union': {
      const options = def.options.map((option) => resolveUnion(option, value));
      const objects = options.filter((option) => option !== null && definition(option).type === 'object');
      const { discriminator } = def as { discriminator?: string };
      if (discriminator === undefined) return objects[0] ?? null;
      return objects.find((option) => option !== null && fits(option, discriminator, value)) ?? null;
    }
    default:
      return schema;
  }
}

function fits(option: AnySchema, discriminator: string, value: unknown): boolean {
  const def = definition(option);
  const tag = def.type === 'object' ? def.shape[discriminator] : undefined;
  const tagDef = tag === undefined ? null : definition(tag);
  if (tagDef?.type !== 'literal' || !isIndexable(value)) return false;
  return tagDef.values.some((word) => word === value[discriminator]);
}

function definition(schema: AnySchema): z.core.$ZodTypes['_zod']['def'] {
  return (schema as z.core.$ZodTypes)._zod.def;
}

function isIndexable(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object';
}
