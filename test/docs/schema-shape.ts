import { isMapping, type Mapping } from '../unit/json-schema-walk.ts';

/** Keys, nested keys and short lists of values; a `?` marks keys that may be missing. */
export function renderShape(schema: Mapping): string {
  return wrap(shapeOf(schema));
}

const MOST_VALUES = 6;

function shapeOf(schema: Mapping): string {
  const union = [schema.oneOf, schema.anyOf].find(Array.isArray);
  if (union !== undefined) {
    const shapes = union.map((one: unknown) => (isMapping(one) ? shapeOf(one) : ''));
    return [...new Set(shapes)].filter((shape) => shape !== '').join(' | ');
  }
  if (Array.isArray(schema.enum)) return schema.enum.length > MOST_VALUES ? '' : schema.enum.join('|');
  if (typeof schema.const === 'string') return schema.const;
  if (schema.type === 'array') return `[${isMapping(schema.items) ? shapeOfItem(schema.items) : ''}]`;
  if (isMapping(schema.properties)) return shapeOfObject(schema.properties, schema.required);
  if (isMapping(schema.additionalProperties))
    return `{ NAME: ${shapeOf(schema.additionalProperties)} }`.replace(': }', ' }');
  return '';
}

/** An item without keys is shown by its type. */
function shapeOfItem(item: Mapping): string {
  const shape = shapeOf(item);
  return shape === '' && typeof item.type === 'string' ? item.type : shape;
}

function shapeOfObject(properties: Mapping, required: unknown): string {
  const keys = Object.entries(properties).map(([key, field]) => {
    const isRequired = Array.isArray(required) && required.includes(key);
    const shape = isMapping(field) ? shapeOf(field) : '';
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
