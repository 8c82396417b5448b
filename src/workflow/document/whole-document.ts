import type * as z from 'zod';
import {
  arrangeDiagnostics,
  createDiagnostic,
  type Diagnostic,
  hasErrors,
  limitDiagnostics,
} from '../../diagnostics/diagnostic.ts';
import { decodeSource, type Source } from '../yaml/source-text.ts';
import { parseYaml } from '../yaml/yaml-source.ts';
import { checkShape, type ShapeRequest, type ShapeResult } from './shape.ts';

interface WholeDocumentRequest<Schema extends z.core.$ZodType>
  extends Pick<ShapeRequest<Schema>, 'schema' | 'describe'> {
  /** The diagnostic for an empty file. */
  readonly empty: { readonly message: string; readonly help: string };
  /** Rules that the schema can't express. */
  readonly rules: (shape: ShapeResult<Schema>) => readonly Diagnostic[];
}

interface WholeDocument<Value> {
  readonly diagnostics: readonly Diagnostic[];
  /** Null if there is an error: such a document is never used in part. */
  readonly value: Value | null;
  readonly text: string;
}

/**
 * Parses and checks a YAML or JSON document that uses the CF codes. Returns its value, or all its problems.
 */
export function checkWholeDocument<Schema extends z.core.$ZodType>(
  source: Source,
  { schema, describe, empty, rules }: WholeDocumentRequest<Schema>,
): WholeDocument<z.output<Schema>> {
  const { text, problem } = decodeSource(source, 'CF');
  const refuse = (diagnostics: readonly Diagnostic[]): WholeDocument<z.output<Schema>> => ({
    diagnostics: limitDiagnostics(arrangeDiagnostics(diagnostics)),
    value: null,
    text,
  });
  if (problem !== null) return refuse([problem]);
  const yaml = parseYaml(text, 'CF');
  if (yaml.empty) {
    const span = { line: 1, column: 1, endLine: 1, endColumn: 1 };
    return refuse([createDiagnostic('CF008', { ...empty, span })]);
  }
  if (yaml.source === null) return refuse(yaml.diagnostics);
  const shape = checkShape({
    family: 'CF',
    schema,
    source: yaml.source,
    nameMaps: [],
    override: () => null,
    describe,
  });
  const found = [...yaml.diagnostics, ...shape.diagnostics, ...rules(shape)];
  if (shape.value === null || hasErrors(found)) return refuse(found);
  return { diagnostics: [], value: shape.value, text };
}
