import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isSchemaName, jsonSchemaOf } from '../../src/contracts/json-schemas.ts';
import { ALL_ROUTES } from '../../src/surfaces/http/routes/all-routes.ts';
import { isJsonObject, type JsonObject } from '../../src/text/json.ts';
import { ROOT, readPage } from './markdown.ts';
import { renderTable } from './schema-page.ts';
import { renderShape } from './schema-shape.ts';

const GENERATED =
  /<!-- generated: (keys|shape|events|routes) of ([a-z.-]+) -->\n[\s\S]*?<!-- \/generated -->\n/g;

/** A part of a page: a table of keys, the shape of a document, or the payload of each event. `vitest -u` writes it. */
function renderPart(form: string, name: string): string {
  if (form === 'routes') return renderRoutes();
  if (!isSchemaName(name)) throw new Error(`there is no schema ${name}`);
  const schema = jsonSchemaOf(name) as JsonObject;
  if (form === 'keys') return renderTable([['key', 'values', 'meaning'], ...keysOf(schema, '')]);
  if (form === 'events') return renderTable([['event', 'payload'], ...eventsOf(schema)]);
  return `\`\`\`text\n${renderShape(schema)}\n\`\`\`\n`;
}

/** Every address, and what a session needs for it. */
function renderRoutes(): string {
  const rows = ALL_ROUTES.map(({ method, path, access }) => {
    const needs = { anyone: 'no session', look: 'a session', answer: 'a session that may answer' }[access];
    return [`\`${method} ${path.replace('/:path{.+}', '/*path')}\``, needs];
  });
  return renderTable([['address', 'needs'], ...rows]);
}

function keysOf(schema: JsonObject, prefix: string): string[][] {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  return Object.entries(properties).flatMap(([key, field]) => {
    if (!isJsonObject(field)) return [];
    const meaning = typeof field.description === 'string' ? field.description : '';
    const row = [`\`${prefix}${key}\``, valuesOf(field), meaning];
    const named = isJsonObject(field.additionalProperties) ? `${prefix}${key}.NAME.` : null;
    const inner = named === null ? field : (field.additionalProperties as JsonObject);
    return [row, ...merge(variantsOf(inner).flatMap((one) => keysOf(one, named ?? `${prefix}${key}.`)))];
  });
}

/** Variants of a mapping, such as the kinds of agents, share keys: each is listed once, with the values of all variants. */
function merge(rows: string[][]): string[][] {
  return [...new Set(rows.map(([key = '']) => key))].map((key) => {
    const same = rows.filter(([other]) => other === key);
    const values = new Set(same.map(([, value = '']) => value));
    return [key, [...values].join(', '), values.size > 1 ? '' : (same[0]?.[2] ?? '')];
  });
}

function variantsOf(schema: JsonObject): JsonObject[] {
  const union = [schema.oneOf, schema.anyOf].find(Array.isArray);
  return union === undefined ? [schema] : union.filter(isJsonObject);
}

function valuesOf(field: JsonObject): string {
  const variants = variantsOf(field).map((one) => {
    if (Array.isArray(one.enum)) return one.enum.map((value) => `\`${String(value)}\``).join(', ');
    if (typeof one.const === 'string') return `\`${one.const}\``;
    if (one.type === 'array') return 'list';
    if (one.type === 'object') return 'mapping';
    return [one.type].flat().filter(Boolean).join(' or ');
  });
  return [...new Set(variants)].join(' or ');
}

function eventsOf(schema: JsonObject): string[][] {
  return variantsOf(schema).map(({ properties }) => {
    const { event_type: type, payload } = isJsonObject(properties) ? properties : {};
    const shape = isJsonObject(payload) ? renderShape(payload).replaceAll('\n ', '') : '';
    return [`\`${isJsonObject(type) ? String(type.const) : ''}\``, `\`${shape}\``.replaceAll('|', '\\|')];
  });
}

describe('the generated parts of the reference', () => {
  it.each([
    ['docs/reference/configuration.md', 3],
    ['docs/reference/run-directory.md', 4],
    ['docs/reference/http-api.md', 22],
  ])('are as they would be written anew: %s', async (path, count) => {
    const { text } = await readPage(path);
    expect([...text.matchAll(GENERATED)]).toHaveLength(count);
    const written = text.replace(
      GENERATED,
      (_, form: string, name: string) =>
        `<!-- generated: ${form} of ${name} -->\n\n${renderPart(form, name)}\n<!-- /generated -->\n`,
    );
    await expect(written).toMatchFileSnapshot(join(ROOT, path));
  });
});
