import * as z from 'zod/mini';
import { isJsonObject, type JsonObject } from '../../src/text/json.ts';

export interface PageSchema {
  readonly name: string;
  readonly schema: z.core.$ZodType;
  readonly about: string;
}

/** A section for each schema, with a table of its fields. Named schemas inside others are linked, not repeated. */
export function renderSchemas(schemas: readonly PageSchema[]): string {
  return schemas.map((entry) => renderSchema(entry, schemas)).join('\n');
}

function renderSchema({ name, schema, about }: PageSchema, all: readonly PageSchema[]): string {
  const root = z.toJSONSchema(schema, { io: 'input' }) as JsonObject;
  const variants = Array.isArray(root.oneOf) ? root.oneOf : [root];
  const parts = variants.map((variant: unknown) => {
    const shape = isJsonObject(variant) ? variant : {};
    const title = variants.length > 1 ? `### ${constOf(shape)}\n\n` : '';
    return `${title}${renderTable(rowsOf(shape, all))}`;
  });
  return `## ${name}\n\n${about}\n\n${parts.join('\n')}`;
}

function constOf(shape: JsonObject): string {
  const { type } = propertiesOf(shape);
  return isJsonObject(type) ? String(type.const) : '';
}

function rowsOf(shape: JsonObject, all: readonly PageSchema[]): string[][] {
  const required = Array.isArray(shape.required) ? shape.required : [];
  const rows = Object.entries(propertiesOf(shape)).map(([key, field]) => {
    const name = required.includes(key) ? `\`${key}\`` : `\`${key}\`, optional`;
    return [name, typeOf(field, all), isJsonObject(field) ? String(field.description) : ''];
  });
  return [['field', 'type', 'meaning'], ...rows];
}

function typeOf(field: unknown, all: readonly PageSchema[]): string {
  if (!isJsonObject(field)) return '';
  if ('const' in field) return `\`${String(field.const)}\``;
  if (Array.isArray(field.enum)) return field.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (Array.isArray(field.anyOf)) return field.anyOf.map((one: unknown) => typeOf(one, all)).join(' or ');
  if (Array.isArray(field.oneOf)) return linkTo(field, all);
  if (field.type === 'array') return `list of ${typeOf(field.items, all)}`;
  if (field.type === 'object') return linkTo(field, all);
  const types = [field.type].flat().filter((type) => typeof type === 'string');
  return types.length === 0 ? 'anything' : types.join(' or ');
}

/** By its fields: a description of its own does not make it another schema. */
function linkTo(field: JsonObject, all: readonly PageSchema[]): string {
  const same = all.find(
    ({ schema }) => fingerprint(z.toJSONSchema(schema, { io: 'input' })) === fingerprint(field),
  );
  return same === undefined ? 'object' : `[${same.name}](#${same.name.toLowerCase()})`;
}

function fingerprint(schema: unknown): string {
  const { properties, oneOf } = isJsonObject(schema) ? schema : {};
  return JSON.stringify([properties, oneOf]);
}

function propertiesOf(shape: JsonObject): JsonObject {
  return isJsonObject(shape.properties) ? shape.properties : {};
}

export function renderTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |\n`;
  const [head = [], ...body] = rows;
  return [head, widths.map((width) => '-'.repeat(width)), ...body].map(line).join('');
}
