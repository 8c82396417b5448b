import { boundsProblem, type JsonBounds } from './json-bounds.ts';
import { readJunit } from './junit.ts';
import { readPlaywrightJson } from './playwright-json.ts';
import type { ReportForm } from './report-source.ts';
import { readTap } from './tap.ts';
import {
  CASE_LIMIT,
  type Invoked,
  type Reading,
  type TestResult,
  TOO_MANY_CASES,
  unreadable,
} from './test-results.ts';
import { readVitestJson } from './vitest-json.ts';

const REPORT_BOUNDS: JsonBounds = { levels: 256, values: 1_000_000 };

/** Reads one text in the form that a validator declares. */
export function readTestReport(form: ReportForm, text: string, invoked: Invoked): Reading {
  switch (form) {
    case 'junit':
      return readJunit(text, invoked);
    case 'tap':
      return readTap(text, invoked);
    case 'vitest-json':
      return withJson(text, (value) => readVitestJson(value, invoked));
    case 'playwright-json':
      return withJson(text, (value) => readPlaywrightJson(value, invoked));
  }
}

/** Several files are one suite, as JUnit writes one for each class. */
export function joinReadings(readings: readonly Extract<Reading, { ok: true }>[]): Reading {
  const results: TestResult[] = readings.flatMap((reading) => [...reading.results]);
  if (results.length > CASE_LIMIT) return unreadable(TOO_MANY_CASES);
  const durations = readings.flatMap(({ durationMs }) => durationMs ?? []);
  return {
    ok: true,
    kind: readings.some(({ kind }) => kind === 'web') ? 'web' : 'unit',
    results,
    durationMs: durations.length === 0 ? null : durations.reduce((sum, value) => sum + value, 0),
    repeatsAreReruns: readings.every(({ repeatsAreReruns }) => repeatsAreReruns === true),
  };
}

function withJson(text: string, read: (value: unknown) => Reading): Reading {
  const problem = boundsProblem(text, REPORT_BOUNDS);
  if (problem !== null) return unreadable(problem);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return unreadable('is not JSON');
  }
  return read(value);
}
