import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';

/**
 * Checks requests and responses against GitHub's own description of its API. Only the schemas of operations that a test
 * calls are compiled: the description has 900 of them in 13 MB.
 */
export interface GitHubSchema {
  readonly find: (method: string, path: string) => Operation | null;
  readonly operation: (id: string) => Operation;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  /** For example `/repos/{owner}/{repo}/pulls`. */
  readonly template: string;
  readonly checkRequest: (query: URLSearchParams, body: unknown) => readonly string[];
  readonly checkResponse: (status: number, body: unknown) => readonly string[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly [keyword: string]: unknown;
}

interface Content {
  readonly $ref?: string;
  readonly required?: boolean;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface RawOperation {
  readonly operationId: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Answers that every operation can give; the description names them for few. */
const COMMON_STATUSES = [301, 307, 401, 403, 404, 422, 429, 500, 502, 503];

let loaded: GitHubSchema | null = null;

export function loadGitHubSchema(): GitHubSchema {
  loaded ??= createGitHubSchema();
  return loaded;
}

function createGitHubSchema(): GitHubSchema {
  const file = createRequire(import.meta.url).resolve('@octokit/openapi/generated/api.github.com.json');
  const description: Description = JSON.parse(readFileSync(file, 'utf8'));
  const ajv = new Ajv({ strict: false, allErrors: true, coerceTypes: false, logger: false });
  formats.default(ajv);
  const added = new Set<string>();

  /** Adds what a schema refers to, too. */
  const adopt = (schema: unknown): unknown => {
    const rewritten = withoutNullable(schema, (pointer) => {
      const name = pointer.replace('#/components/', '').replaceAll('/', '.');
      if (!added.has(name)) {
        added.add(name);
        ajv.addSchema(adopt(resolvePointer(description, pointer)) as object, name);
      }
      return name;
    });
    return rewritten;
  };
  const compile = (schema: unknown): ValidateFunction => ajv.compile(adopt(schema) as object);
  const check = (what: string, validate: ValidateFunction, value: unknown): readonly string[] =>
    validate(value)
      ? []
      : (validate.errors ?? [])
          .slice(0, 5)
          .map(({ instancePath, message }) => `${what}${instancePath}: ${message ?? 'is wrong'}`);

  const build = (method: string, template: string, raw: RawOperation): Operation => {
    const query = (raw.parameters ?? [])
      .map((parameter) => resolve<Parameter>(description, parameter))
      .filter((parameter) => parameter.in === 'query');
    const queryChecks = new Map(
      query.map((parameter) => [parameter.name, once(() => compile(parameter.schema))]),
    );
    const types = new Map(
      query.map((parameter) => [parameter.name, resolve<Schema>(description, parameter.schema)]),
    );
    const bodySchema = raw.requestBody?.content?.['application/json']?.schema;
    const bodyCheck = once(() => (bodySchema === undefined ? null : compile(bodySchema)));
    const responseChecks = new Map<number, () => ValidateFunction | null>();
    for (const [status, response] of Object.entries(raw.responses)) {
      const schema = resolve<Content>(description, response).content?.['application/json']?.schema;
      responseChecks.set(
        Number(status),
        once(() => (schema === undefined ? null : compile(schema))),
      );
    }
    return {
      id: raw.operationId,
      method,
      template,
      checkRequest: (params, body) => [
        ...[...params].flatMap(([name, value]) => {
          const validate = queryChecks.get(name);
          if (validate === undefined) return [`query: ${raw.operationId} has no parameter ${name}`];
          return check(`query ${name}`, validate(), typedValue(value, types.get(name)));
        }),
        ...checkBody(raw, bodySchema, bodyCheck(), body, description, check),
      ],
      checkResponse: (status, body) => {
        const found = responseChecks.get(status);
        if (found === undefined)
          return COMMON_STATUSES.includes(status) ? [] : [`${raw.operationId} does not answer ${status}`];
        const validate = found();
        return validate === null ? [] : check(`answer ${status}`, validate, body);
      },
    };
  };

  const operations = Object.entries(description.paths).flatMap(([template, methods]) =>
    Object.entries(methods)
      .filter(([, raw]) => raw.operationId !== undefined)
      .map(([method, raw]) => ({ method: method.toUpperCase(), template, raw })),
  );
  const byId = new Map(
    operations.map(({ method, template, raw }) => [
      raw.operationId,
      once(() => build(method, template, raw)),
    ]),
  );
  const patterns = operations
    .map(({ method, template, raw }) => ({
      method,
      id: raw.operationId,
      // What a path names literally goes before what it leaves open.
      open: template.split('{').length,
      pattern: patternOf(template),
    }))
    .sort((a, b) => a.open - b.open);
  const operation = (id: string): Operation => {
    const found = byId.get(id);
    if (found === undefined) throw new Error(`the description of GitHub has no operation ${id}`);
    return found();
  };
  return {
    operation,
    find: (method, path) => {
      const found = patterns.find((entry) => entry.method === method && entry.pattern.test(path));
      return found === undefined ? null : operation(found.id);
    },
  };
}

/** A ref may contain slashes; other parameters don't. */
export function patternOf(template: string): RegExp {
  const source = template.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, (_, name: string) => {
    const any = name === 'ref' && template.includes('/git/') ? '.+' : '[^/]+';
    return `(?<${name.replaceAll('-', '_')}>${any})`;
  });
  return new RegExp(`^${source}$`);
}

function checkBody(
  raw: RawOperation,
  schema: Schema | undefined,
  validate: ValidateFunction | null,
  body: unknown,
  description: Description,
  check: (what: string, validate: ValidateFunction, value: unknown) => readonly string[],
): readonly string[] {
  if (schema === undefined || validate === null)
    return body === undefined ? [] : [`body: ${raw.operationId} takes none`];
  if (body === undefined) return raw.requestBody?.required === true ? ['body: is missing'] : [];
  const { properties } = resolve<Schema>(description, schema);
  // GitHub ignores unknown fields, which hides a typing mistake in a client.
  const unknown =
    properties === undefined || typeof body !== 'object' || body === null || Array.isArray(body)
      ? []
      : Object.keys(body)
          .filter((key) => !(key in properties))
          .map((key) => `body: ${raw.operationId} has no field ${key}`);
  return [...unknown, ...check('body', validate, body)];
}

const IGNORED = ['example', 'examples', 'discriminator', 'description'];

/** OpenAPI 3.0 marks what may be null with a keyword that JSON Schema does not have. */
function withoutNullable(schema: unknown, nameRef: (pointer: string) => string): unknown {
  if (Array.isArray(schema)) return schema.map((part) => withoutNullable(part, nameRef));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { nullable, ...rest } = schema as Schema;
  if (typeof rest.$ref === 'string') return { $ref: nameRef(rest.$ref) };
  const converted = Object.fromEntries(
    Object.entries(rest)
      .filter(([key]) => !IGNORED.includes(key))
      .map(([key, value]) => [
        key,
        key === 'properties'
          ? Object.fromEntries(
              Object.entries(value as object).map(([name, part]) => [name, withoutNullable(part, nameRef)]),
            )
          : key === 'enum' || key === 'default'
            ? value
            : withoutNullable(value, nameRef),
      ]),
  );
  return nullable === true ? { anyOf: [{ type: 'null' }, converted] } : converted;
}

function resolve<T>(description: Description, value: unknown): T {
  const pointer = (value as { readonly $ref?: string }).$ref;
  return (pointer === undefined ? value : resolvePointer(description, pointer)) as T;
}

function resolvePointer(description: Description, pointer: string): unknown {
  let found: unknown = description;
  for (const part of pointer.slice(2).split('/')) found = (found as Record<string, unknown>)[part];
  return found;
}

function typedValue(value: string, schema: Schema | undefined): unknown {
  if (schema?.type === 'integer' || schema?.type === 'number') return value === '' ? value : Number(value);
  if (schema?.type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
  return value;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
