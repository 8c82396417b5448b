import { isJsonObject, type JsonObject } from '../../src/text/json.ts';

/** Keys, nested keys and short lists of values; a `?` marks keys that may be missing. */
export function renderShape(schema: JsonObject): string {
  return wrap(shapeOf(schema));
}

const MOST_VALUES = 6;

function shapeOf(schema: JsonObject): string {
  const union = [schema.oneOf, schema.anyOf].find(Array.isArray);
  if (union !== undefined) {
    const shapes = union.map((one: unknown) => (isJsonObject(one) ? shapeOf(one) : ''));
    return [...new Set(shapes)].filter((shape) => shape !== '').join(' | ');
  }
  if (Array.isArray(schema.enum)) return schema.enum.length > MOST_VALUES ? '' : schema.enum.join('|');
  if (typeof schema.const === 'string') return schema.const;
  if (schema.type === 'array') return `[${isJsonObject(schema.items) ? shapeOfItem(schema.items) : ''}]`;
  if (isJsonObject(schema.properties)) return shapeOfObject(schema.properties, schema.required);
  if (isJsonObject(schema.additionalProperties))
    return `{ NAME: ${shapeOf(schema.additionalProperties)} }`.replace(': }', ' }');
  return '';
}

/** An item without keys is shown by its type. */
function shapeOfItem(item: JsonObject): string {
  const shape = shapeOf(item);
  return shape === '' && typeof item.type === 'string' ? item.type : shape;
}

function shapeOfObject(properties: JsonObject, required: unknown): string {
  const keys = Object.entries(properties).map(([key, field]) => {
    const isRequired = Array.isArray(required) && required.includes(key);
    const shape = isJsonObject(field) ? shapeOf(field) : '';
    return `${key}${isRequired ? '' : '?'}${shape === '' ? '' : `: ${shape}`}`;
  });
  return `{ ${keys.join(', ')} }`;
}

const WIDTH = 110;

function wrap(text: string): string {
  const lines = [''];
  for (const part of text.split(/(?<=,) /)) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + part.length >= WIDTH) lines.push(`  ${part}`);
    else lines[lines.length - 1] = line === '' ? part : `${line} ${part}`;
  }
  return lines.join('\n');
}
