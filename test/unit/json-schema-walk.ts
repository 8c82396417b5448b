import { isJsonObject, type JsonObject } from '../../src/text/json.ts';

/** Every schema inside a schema, with its path. */
export function* schemasIn(schema: unknown, path: string): Generator<readonly [string, JsonObject]> {
  if (!isJsonObject(schema)) return;
  yield [path, schema];
  for (const key of ['properties', 'patternProperties', '$defs'])
    for (const [name, inner] of Object.entries(isJsonObject(schema[key]) ? schema[key] : {}))
      yield* schemasIn(inner, `${path}/${name}`);
  for (const key of ['items', 'additionalProperties']) yield* schemasIn(schema[key], `${path}/*`);
  for (const key of ['oneOf', 'anyOf', 'allOf']) {
    const inner = schema[key];
    if (Array.isArray(inner))
      for (const [at, one] of inner.entries()) yield* schemasIn(one, `${path}(${at})`);
  }
}

/** Paths of properties without a description. */
export function bareProperties(root: unknown): string[] {
  return [...schemasIn(root, '')].flatMap(([path, schema]) =>
    Object.entries(isJsonObject(schema.properties) ? schema.properties : {})
      .filter(([, inner]) => !isJsonObject(inner) || typeof inner.description !== 'string')
      .map(([key]) => `${path}/${key}`),
  );
}
