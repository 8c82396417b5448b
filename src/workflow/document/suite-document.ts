import { type HarnessSuite, harnessSuiteSchema } from '../../contracts/documents/harness-suite.ts';
import {
  type EntryForm,
  entryProblem,
  PAGE_EXPECTATION,
  PAGE_STEP,
} from '../../contracts/documents/page-entries.ts';
import { createDiagnostic, type Diagnostic } from '../../diagnostics/diagnostic.ts';
import { messageOf } from '../../text/error-message.ts';
import { asList, asObject, asText } from '../../text/json.ts';

import type { Source } from '../yaml/source-text.ts';
import type { YamlSource } from '../yaml/yaml-source.ts';
import type { Path } from '../yaml/yaml-tree.ts';
import { checkWholeDocument } from './whole-document.ts';

export interface CheckedSuite {
  readonly diagnostics: readonly Diagnostic[];
  /** Null if there is an error. */
  readonly suite: HarnessSuite | null;
  readonly text: string;
}

/** Parses and checks a suite file in YAML or JSON. Returns the suite, or all its problems. */
export function checkSuite(source: Source): CheckedSuite {
  const { value, ...checked } = checkWholeDocument(source, {
    schema: harnessSuiteSchema,
    describe,
    empty: { message: 'the suite is empty', help: 'add `suite_id` and `cases`' },
    rules: (shape) => checkCases(shape.data, shape.source),
  });
  return { ...checked, suite: value };
}

function describe(path: Path, data: unknown): string {
  const [root, index, list, inner] = path;
  if (root === undefined) return 'the suite';
  if (root !== 'cases' || typeof index !== 'number') return `\`${path.join('.')}\``;
  const id = asText(asObject(asList(asObject(data).cases)[index]).id);
  const named = id === null ? `case ${index + 1}` : `the case \`${id}\``;
  if (list === undefined) return named;
  if (typeof inner !== 'number') return `\`${String(list)}\` of ${named}`;
  return `${list === 'steps' ? 'step' : 'entry'} ${inner + 1} of ${named}`;
}

function checkCases(data: unknown, source: YamlSource): Diagnostic[] {
  const first = new Map<string, Path>();
  return asList(asObject(data).cases).flatMap((entry, index) => {
    const fields = asObject(entry);
    const path: Path = ['cases', index];
    return [
      ...checkId(asText(fields.id), [...path, 'id'], first, source),
      ...checkPatterns(fields, path, source),
      ...checkEntries(fields.steps, [...path, 'steps'], PAGE_STEP, source),
      ...checkEntries(fields.expect, [...path, 'expect'], PAGE_EXPECTATION, source),
    ];
  });
}

function checkId(id: string | null, path: Path, first: Map<string, Path>, source: YamlSource): Diagnostic[] {
  if (id === null) return [];
  const earlier = first.get(id);
  if (earlier === undefined) {
    first.set(id, path);
    return [];
  }
  return [
    createDiagnostic('CF011', {
      message: `the case id \`${id}\` is used more than once`,
      span: source.locate(path, 'value'),
      related: [{ message: 'first used here', span: source.locate(earlier, 'value') }],
    }),
  ];
}

function checkEntries(list: unknown, path: Path, form: EntryForm, source: YamlSource): Diagnostic[] {
  return asList(list).flatMap((entry, index) => {
    const problem = entryProblem(asObject(entry), form);
    if (problem === null) return [];
    const { message, help, key } = problem;
    const at: Path = [...path, index];
    const span = key === null ? source.locateFirstKey(at) : source.locate([...at, key], 'key');
    return [createDiagnostic('CF011', { message, span, help })];
  });
}

/** Checks the regular expressions under `matches` and `replace` at any depth. */
function checkPatterns(value: unknown, path: Path, source: YamlSource): Diagnostic[] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    const at: Path = [...path, Array.isArray(value) ? Number(key) : key];
    if ((key !== 'matches' && key !== 'replace') || typeof inner !== 'string')
      return checkPatterns(inner, at, source);
    const reason = patternProblem(inner);
    if (reason === null) return [];
    const span = source.locate(at, 'value');
    return [
      createDiagnostic('CF011', { message: `\`${key}\` is not a valid regular expression: ${reason}`, span }),
    ];
  });
}

function patternProblem(pattern: string): string | null {
  try {
    new RegExp(pattern, 'm');
    return null;
  } catch (error) {
    const text = messageOf(error);
    return text.split(': ').at(-1)?.toLowerCase() ?? text;
  }
}
