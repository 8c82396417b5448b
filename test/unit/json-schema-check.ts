import { isJsonObject } from '../../src/text/json.ts';

/** Holds a value against a JSON Schema: the keywords that zod writes, and an error for any other. */

type Schema = Readonly<Record<string, unknown>> | boolean;

/** Where and why, or nothing. */
export function schemaProblems(root: Schema, value: unknown): string[] {
  return check(root, value, '', root);
}

const ANNOTATIONS = ['$schema', '$id', 'title', 'description', '$defs', 'format', 'default'];

function check(schema: Schema, value: unknown, path: string, root: Schema): string[] {
  if (typeof schema === 'boolean') return schema ? [] : [`${path}: nothing is allowed here`];
  return Object.entries(schema).flatMap(([keyword, wanted]) => {
    if (ANNOTATIONS.includes(keyword)) return [];
    const judge = KEYWORDS[keyword];
    if (judge === undefined) throw new Error(`the keyword ${keyword} is not known here`);
    return judge({ wanted, value, path, schema, root });
  });
}

interface Question {
  readonly wanted: unknown;
  readonly value: unknown;
  readonly path: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly root: Schema;
}

type Keyword = (question: Question) => string[];

const KEYWORDS: Readonly<Record<string, Keyword>> = {
  type: ({ wanted, value, path }) =>
    [wanted].flat().some((type) => hasType(value, type)) ? [] : [`${path}: is no ${String(wanted)}`],
  const: ({ wanted, value, path }) => (value === wanted ? [] : [`${path}: is not ${String(wanted)}`]),
  enum: ({ wanted, value, path }) =>
    asArray(wanted).includes(value) ? [] : [`${path}: is not one of ${asArray(wanted).join(', ')}`],
  pattern: ({ wanted, value, path }) =>
    typeof value !== 'string' || new RegExp(String(wanted), 'u').test(value)
      ? []
      : [`${path}: does not match ${String(wanted)}`],
  minLength: text((length, limit) => length >= limit),
  maxLength: text((length, limit) => length <= limit),
  minimum: numeric((value, limit) => value >= limit),
  maximum: numeric((value, limit) => value <= limit),
  exclusiveMinimum: numeric((value, limit) => value > limit),
  exclusiveMaximum: numeric((value, limit) => value < limit),
  minItems: ({ wanted, value, path }) =>
    Array.isArray(value) && value.length < Number(wanted) ? [`${path}: has too few items`] : [],
  items: ({ wanted, value, path, root }) =>
    Array.isArray(value)
      ? value.flatMap((item, at) => check(asSchema(wanted), item, `${path}/${at}`, root))
      : [],
  required: ({ wanted, value, path }) =>
    isJsonObject(value)
      ? asArray(wanted)
          .filter((key) => !Object.hasOwn(value, String(key)))
          .map((key) => `${path}: has no ${String(key)}`)
      : [],
  properties: ({ wanted, value, path, root }) =>
    isJsonObject(value)
      ? Object.entries(asMapping(wanted)).flatMap(([key, inner]) =>
          Object.hasOwn(value, key) ? check(asSchema(inner), value[key], `${path}/${key}`, root) : [],
        )
      : [],
  patternProperties: ({ wanted, value, path, root }) =>
    isJsonObject(value)
      ? Object.entries(asMapping(wanted)).flatMap(([pattern, inner]) =>
          Object.keys(value)
            .filter((key) => new RegExp(pattern, 'u').test(key))
            .flatMap((key) => check(asSchema(inner), value[key], `${path}/${key}`, root)),
        )
      : [],
  additionalProperties: ({ wanted, value, path, schema, root }) =>
    isJsonObject(value)
      ? Object.keys(value)
          .filter((key) => !isNamed(schema, key))
          .flatMap((key) => check(asSchema(wanted), value[key], `${path}/${key}`, root))
      : [],
  propertyNames: ({ wanted, value, path, root }) =>
    isJsonObject(value)
      ? Object.keys(value).flatMap((key) => check(asSchema(wanted), key, `${path}/${key}`, root))
      : [],
  anyOf: (question) => (fitting(question) > 0 ? [] : [`${question.path}: fits none of the choices`]),
  oneOf: (question) =>
    fitting(question) === 1 ? [] : [`${question.path}: fits ${fitting(question)} of the choices`],
  allOf: ({ wanted, value, path, root }) =>
    asArray(wanted).flatMap((inner) => check(asSchema(inner), value, path, root)),
  not: ({ wanted, value, path, root }) =>
    check(asSchema(wanted), value, path, root).length > 0 ? [] : [`${path}: fits what it must not`],
  $ref: ({ wanted, value, path, root }) => check(resolve(root, String(wanted)), value, path, root),
};

function fitting({ wanted, value, path, root }: Question): number {
  return asArray(wanted).filter((inner) => check(asSchema(inner), value, path, root).length === 0).length;
}

function isNamed(schema: Readonly<Record<string, unknown>>, key: string): boolean {
  const patterns = Object.keys(asMapping(schema.patternProperties ?? {}));
  return (
    Object.hasOwn(asMapping(schema.properties ?? {}), key) ||
    patterns.some((pattern) => new RegExp(pattern, 'u').test(key))
  );
}

function resolve(root: Schema, ref: string): Schema {
  if (!ref.startsWith('#')) throw new Error(`${ref} is in another document`);
  const parts = ref.split('/').slice(1);
  return asSchema(parts.reduce<unknown>((current, part) => asMapping(current)[part], root));
}

function numeric(holds: (value: number, limit: number) => boolean): Keyword {
  return ({ wanted, value, path }) =>
    typeof value !== 'number' || holds(value, Number(wanted)) ? [] : [`${path}: is out of bounds`];
}

function text(holds: (length: number, limit: number) => boolean): Keyword {
  return ({ wanted, value, path }) =>
    typeof value !== 'string' || holds([...value].length, Number(wanted))
      ? []
      : [`${path}: has a wrong length`];
}

function hasType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
    case 'string':
    case 'boolean':
      return typeof value === type;
    default:
      throw new Error(`${String(type)} is no type of JSON`);
  }
}

function asMapping(value: unknown): Readonly<Record<string, unknown>> {
  if (!isJsonObject(value)) throw new Error('a mapping is wanted in a schema');
  return value;
}

function asArray(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error('a list is wanted in a schema');
  return value;
}

function asSchema(value: unknown): Schema {
  return typeof value === 'boolean' ? value : asMapping(value);
}
