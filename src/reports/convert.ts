import { readGoJson } from './go-json.ts';
import { boundsProblem, findObjectEnd, type JsonBounds } from './json-bounds.ts';
import { readJunit } from './junit/junit.ts';
import { readPlaywrightJson } from './playwright-json.ts';
import type { ReportForm } from './report-source.ts';
import { readTap } from './tap/tap.ts';
import {
  CASE_LIMIT,
  type Invoked,
  type Reading,
  type TestResult,
  TOO_MANY_CASES,
  unreadable,
} from './test-results.ts';
import { readVitestJson } from './vitest-json.ts';

/** A JSON object in a text that contains more than JSON. */
type FoundJson =
  | { readonly kind: 'value'; readonly value: unknown }
  /** The text ends inside the object. */
  | { readonly kind: 'cut off' }
  | { readonly kind: 'refused'; readonly why: string };

/**
 * Limits the search for the ends of objects to this many passes over the text, because each unclosed brace is
 * searched for separately.
 */
const MAX_PASSES = 8;

/**
 * Finds the outermost JSON objects in the output of a command such as `npm test > out.json`, with a banner and
 * other output around the report. Nested objects are never returned: a fragment of a truncated report is not a
 * report.
 */
function* findJsonObjects(text: string, refuse: (object: string) => string | null): Generator<FoundJson> {
  const start = /\{(?=\s*")/g;
  let column = Number.POSITIVE_INFINITY;
  let searched = 0;
  for (let match = start.exec(text); match !== null; match = start.exec(text)) {
    if (searched > MAX_PASSES * text.length) return;
    const line = text.lastIndexOf('\n', match.index) + 1;
    const isLineStart = text.slice(line, match.index).trim() === '';
    searched += match.index - line;
    // Text indented below an unclosed object is most likely part of it.
    if (match.index - line > column || (column < Number.POSITIVE_INFINITY && !isLineStart)) continue;
    const end = findObjectEnd(text, match.index);
    searched += (end ?? text.length) - match.index;
    if (end === null) {
      if (!isLineStart) continue;
      column = match.index - line;
      yield { kind: 'cut off' };
      continue;
    }
    start.lastIndex = end;
    const object = text.slice(match.index, end);
    const why = refuse(object);
    if (why === null) yield* parse(object);
    else yield { kind: 'refused', why };
  }
}

function* parse(object: string): Generator<FoundJson> {
  try {
    yield { kind: 'value', value: JSON.parse(object) };
  } catch {
    // It only looks like JSON, such as an object printed by `console.log`.
  }
}

const REPORT_BOUNDS: JsonBounds = { levels: 256, values: 1_000_000 };

/** Reads a text in the format that a validator declares. */
export function readTestReport(form: ReportForm, text: string, invoked: Invoked): Reading {
  switch (form) {
    case 'junit':
      return readJunit(text, invoked);
    case 'tap':
      return readTap(text, invoked);
    case 'go-json':
      return readGoJson(text, invoked);
    case 'vitest-json':
      return readJson(text, (value) => readVitestJson(value, invoked));
    case 'playwright-json':
      return readJson(text, (value) => readPlaywrightJson(value, invoked));
  }
}

/** Joins several files into one suite, since JUnit reporters write one file per class. */
export function joinReadings(readings: readonly Extract<Reading, { ok: true }>[]): Reading {
  const results: TestResult[] = readings.flatMap((reading) => [...reading.results]);
  if (results.length > CASE_LIMIT) return unreadable(TOO_MANY_CASES);
  const repeats = new Set(readings.map((reading) => reading.repeats));
  const durations = readings.flatMap(({ durationMs }) => durationMs ?? []);
  return {
    ok: true,
    kind: readings.some(({ kind }) => kind === 'web') ? 'web' : 'unit',
    results,
    durationMs: durations.length === 0 ? null : durations.reduce((sum, value) => sum + value, 0),
    ...(repeats.size === 0 || repeats.has(undefined)
      ? {}
      : { repeats: repeats.has('perhaps-reruns') ? 'perhaps-reruns' : 'reruns' }),
  };
}

function readJson(text: string, read: (value: unknown) => Reading): Reading {
  const whole = text.replace(/^\ufeff/, '').trim();
  const problem = boundsProblem(whole, REPORT_BOUNDS);
  if (problem !== null && /^[{[]/.test(whole)) return unreadable(problem);
  let value: unknown;
  try {
    value = problem === null ? JSON.parse(whole) : undefined;
  } catch {
    // The text is not pure JSON, but may contain some.
  }
  return value === undefined ? readEmbedded(whole, read) : read(value);
}

/**
 * Reads all reports embedded in a text, such as two if a command tests two packages. Several are read as one, so
 * that printing a second report can't hide the failures of the first.
 */
function readEmbedded(text: string, read: (value: unknown) => Reading): Reading {
  const readings: Extract<Reading, { ok: true }>[] = [];
  let refusal = unreadable('is not JSON');
  let isCutOff = false;
  for (const found of findJsonObjects(text, (object) => boundsProblem(object, REPORT_BOUNDS))) {
    if (found.kind === 'refused') return unreadable(found.why);
    if (found.kind === 'cut off') isCutOff = true;
    if (found.kind !== 'value') continue;
    const reading = read(found.value);
    if (!reading.ok) refusal = reading;
    else {
      readings.push(reading);
      isCutOff = false;
    }
  }
  if (isCutOff) return unreadable('is not JSON');
  const [only, ...others] = readings;
  if (only === undefined) return refusal;
  return others.length === 0 ? only : joinReadings(readings);
}
