import * as z from 'zod/mini';
import { harnessSuiteSchema } from '../src/contracts/documents/harness-suite.ts';
import {
  type EntryForm,
  entryProblem,
  PAGE_EXPECTATION,
  PAGE_STEP,
} from '../src/contracts/documents/page-entries.ts';
import { didYouMean } from '../src/diagnostics/did-you-mean.ts';
import { knownKeysAt } from '../src/workflow/document/schema-walk.ts';
import { flattenIssues, type ShapeIssue } from '../src/workflow/document/shape-issues.ts';
import type { Case } from './case.ts';
import { parseTimeoutMs } from './case-context.ts';

/**
 * Problems in a case that a program declares. An expectation under a misspelt name would be ignored silently,
 * and the failure it should detect would pass.
 */
export function declarationProblems(one: Case): string[] {
  return (one.kind === 'unit' ? unitProblems(one) : shapeProblems(one)).map(
    (problem) => `the case ${JSON.stringify(one.id)}: ${problem}`,
  );
}

function unitProblems({ options }: Extract<Case, { kind: 'unit' }>): string[] {
  const { test, retries = 0, timeout } = options;
  parseTimeoutMs(timeout);
  return [
    ...(typeof test === 'function' ? [] : ['it has no function']),
    ...(Number.isInteger(retries) && retries >= 0 ? [] : ['`retries` is no whole number']),
  ];
}

function shapeProblems({ id, kind, options }: Exclude<Case, { kind: 'unit' }>): string[] {
  const data = { suite_id: 'suite', cases: [{ ...(toFileForm(options, '') as object), id, kind }] };
  const parsed = z.safeParse(harnessSuiteSchema, data);
  if (!parsed.success) return flattenIssues(parsed.error.issues, data).map((issue) => describe(issue, data));
  return parsed.data.cases.flatMap((one) =>
    one.kind === 'web'
      ? [
          ...entryProblems('steps', one.steps ?? [], PAGE_STEP),
          ...entryProblems('expect', one.expect ?? [], PAGE_EXPECTATION),
        ]
      : [],
  );
}

function entryProblems(
  list: string,
  entries: readonly Readonly<Record<string, unknown>>[],
  form: EntryForm,
): string[] {
  return entries.flatMap((entry, index) => {
    const problem = entryProblem(entry, form);
    return problem === null ? [] : [`\`${list}.${index}\`: ${problem.message}; ${problem.help}`];
  });
}

/** Converts patterns to the form of suite files, which contain their source. */
function toFileForm(value: unknown, key: string): unknown {
  if (value instanceof RegExp)
    return key === 'matches' || key === 'replace' ? value.source : { matches: value.source };
  if (Array.isArray(value)) return value.map((item) => toFileForm(item, key));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.map(([name, inner]) => [name, toFileForm(inner, name)]));
}

function describe(issue: ShapeIssue, data: unknown): string {
  const key = String(issue.path.at(-1));
  const path = `\`${issue.path.slice(2).join('.')}\``;
  switch (issue.kind) {
    case 'unknown_key': {
      const near = didYouMean(key, knownKeysAt(harnessSuiteSchema, issue.path.slice(0, -1), data));
      return `${path} is an unknown key${near === null ? '' : `; did you mean \`${near}\`?`}`;
    }
    case 'missing':
      return `${path} is missing`;
    case 'type':
      return `${path} is not ${issue.wanted}`;
    case 'choice':
      return `${path} is not one of ${issue.choices.join(', ')}`;
    case 'form':
      return `${path} is not as it should be: ${JSON.stringify(issue.found)}`;
    case 'bound':
      return `${path} ${issue.message}`;
  }
}
