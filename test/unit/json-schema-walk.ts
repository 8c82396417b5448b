export type Mapping = Readonly<Record<string, unknown>>;

export function isMapping(value: unknown): value is Mapping {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Every schema inside a schema, with the way to it. */
export function* schemasIn(schema: unknown, path: string): Generator<readonly [string, Mapping]> {
  if (!isMapping(schema)) return;
  yield [path, schema];
  for (const key of ['properties', 'patternProperties', '$defs'])
    for (const [name, inner] of Object.entries(isMapping(schema[key]) ? schema[key] : {}))
      yield* schemasIn(inner, `${path}/${name}`);
  for (const key of ['items', 'additionalProperties']) yield* schemasIn(schema[key], `${path}/*`);
  for (const key of ['oneOf', 'anyOf', 'allOf']) {
    const inner = schema[key];
    if (Array.isArray(inner))
      for (const [at, one] of inner.entries()) yield* schemasIn(one, `${path}(${at})`);
  }
}

/** Properties that nobody described, by their ways. */
export function bareProperties(root: unknown): string[] {
  return [...schemasIn(root, '')].flatMap(([path, schema]) =>
    Object.entries(isMapping(schema.properties) ? schema.properties : {})
      .filter(([, inner]) => !isMapping(inner) || typeof inner.description !== 'string')
      .map(([key]) => `${path}/${key}`),
  );
}
