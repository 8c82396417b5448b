import type * as z from 'zod/mini';
import { FORM_ERROR_PREFIX, FORMS, type FormName } from '../../contracts/forms.ts';
import type { Path } from '../yaml/yaml-tree.ts';

/** A zod issue in terms of the edited file. A `choice` has to be one of the given values; a `form` is one of `FORMS`. */
export type ShapeIssue =
  | { readonly kind: 'unknown_key'; readonly path: Path }
  | { readonly kind: 'missing'; readonly path: Path; readonly discriminator: boolean }
  | { readonly kind: 'type'; readonly path: Path; readonly found: unknown; readonly wanted: string }
  | {
      readonly kind: 'choice';
      readonly path: Path;
      readonly found: unknown;
      readonly choices: readonly string[];
      /** Whether this value selects the member of a union, and with it the keys of its mapping. */
      readonly discriminator: boolean;
    }
  | { readonly kind: 'form'; readonly path: Path; readonly found: unknown; readonly form: FormName }
  | { readonly kind: 'bound'; readonly path: Path; readonly message: string };

type ZodIssue = z.core.$ZodIssue;

export function flattenIssues(issues: readonly ZodIssue[], data: unknown): ShapeIssue[] {
  return issues.flatMap((issue) => flattenIssue(issue, [], data));
}

function flattenIssue(issue: ZodIssue, prefix: Path, data: unknown): ShapeIssue[] {
  const path: Path = [
    ...prefix,
    ...issue.path.map((part) => (typeof part === 'number' ? part : String(part))),
  ];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ kind: 'unknown_key', path: [...path, key] }));
  }
  const found = valueAt(data, path);
  if (found === undefined && path.length > 0)
    return [{ kind: 'missing', path, discriminator: isDiscriminator(issue) }];
  const form = formNameOf(issue.message);
  if (form !== null) return [formIssue(form, path, found)];
  switch (issue.code) {
    case 'invalid_type':
      return [typeIssue(path, found, issue.expected)];
    case 'invalid_value':
      return [choiceIssue(path, found, issue.values.map(String), false)];
    case 'invalid_union':
      return flattenUnion(issue, path, data, found);
    case 'too_small':
      return [{ kind: 'bound', path, message: describeTooSmall(issue, found) }];
    case 'too_big':
      return [{ kind: 'bound', path, message: `is ${String(found)}, but must be at most ${issue.maximum}` }];
    default:
      return [{ kind: 'bound', path, message: describeMalformed(issue) }];
  }
}

/** Our own schema messages start in lower case. Those of zod don't, and are too technical to show. */
function describeMalformed({ message }: ZodIssue): string {
  return /^[a-z]/.test(message) ? `is malformed: ${message}` : 'is malformed';
}

/** A value of the wrong type is reported as a type issue, not as a malformed value. */
function formIssue(form: FormName, path: Path, found: unknown): ShapeIssue {
  const scalar = typeof found === 'string' || (form === 'duration' && typeof found === 'number');
  if (scalar) return { kind: 'form', path, found, form };
  return { kind: 'type', path, found, wanted: form === 'duration' ? FORMS.duration.wanted : 'text' };
}

function typeIssue(path: Path, found: unknown, expected: string): ShapeIssue {
  return { kind: 'type', path, found, wanted: typeName(expected) };
}

function choiceIssue(
  path: Path,
  found: unknown,
  choices: readonly string[],
  discriminator: boolean,
): ShapeIssue {
  if (typeof found === 'object') return { kind: 'type', path, found, wanted: 'text' };
  return { kind: 'choice', path, found, choices, discriminator };
}

type UnionIssue = Extract<ZodIssue, { code: 'invalid_union' }>;

function flattenUnion(issue: UnionIssue, path: Path, data: unknown, found: unknown): ShapeIssue[] {
  if (isDiscriminator(issue)) {
    const { options } = issue as { options?: readonly unknown[] };
    return [choiceIssue(path, found, (options ?? []).map(String), true)];
  }
  // Report only the errors of the member whose type matches: it is the one the author meant.
  const meant = issue.errors.find(
    (errors) => !errors.some((error) => error.path.length === 0 && error.code === 'invalid_type'),
  );
  if (meant !== undefined) return meant.flatMap((error) => flattenIssue(error, path, data));
  const wanted = issue.errors.flatMap((errors) =>
    errors.map((error) => (error.code === 'invalid_type' ? typeName(error.expected) : 'something else')),
  );
  return [{ kind: 'type', path, found, wanted: [...new Set(wanted)].join(' or ') }];
}

function isDiscriminator(issue: ZodIssue): boolean {
  return issue.code === 'invalid_union' && issue.errors.length === 0;
}

/** The schemas require at least one item or character, never more, so a text or list that is too short is empty. */
function describeTooSmall(issue: Extract<ZodIssue, { code: 'too_small' }>, found: unknown): string {
  if (Array.isArray(found) || typeof found === 'string') return 'is empty';
  const least = issue.inclusive ? `must be at least ${issue.minimum}` : `must be more than ${issue.minimum}`;
  return `is ${String(found)}, but ${least}`;
}

function typeName(expected: string): string {
  switch (expected) {
    case 'string':
      return 'text';
    case 'number':
      return 'a number';
    case 'int':
      return 'a whole number';
    case 'boolean':
      return '`true` or `false`';
    case 'array':
      return 'a list';
    case 'object':
    case 'record':
      return 'a mapping';
    default:
      return expected;
  }
}

function formNameOf(message: string): FormName | null {
  if (!message.startsWith(FORM_ERROR_PREFIX)) return null;
  const name = message.slice(FORM_ERROR_PREFIX.length);
  return Object.hasOwn(FORMS, name) ? (name as FormName) : null;
}

export function valueAt(data: unknown, path: Path): unknown {
  let value = data;
  for (const part of path) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}
