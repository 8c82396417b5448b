import {
  type CaseStatus,
  countCases,
  type HarnessReport,
  REPORT_VERSION,
} from '../contracts/run/harness-report.ts';
import { formatCommand, quoteWord } from '../text/shell-words.ts';
import { relativeToCheckout } from './checkout-paths.ts';
import { oneLine, plainText, shortened, withoutForeignFrames } from './plain-text.ts';
import { createFailure, type TestResult, type TestResults } from './test-results.ts';

/** `test/a.test.ts:12`: a path inside the checkout with a line, as in stacks and messages of all languages. */
const PLACE = /(?:^|[\s("'`[])((?:[\w@+~-][\w.@+~-]*\/)*[\w@+~-][\w.@+~-]*\.[A-Za-z]{1,5}):(\d+)/gm;

/**
 * The location of a failed case, as a path from the workspace root. The location that the runner reports takes
 * precedence; if it has no line, the line comes from an observation that names the same file.
 */
function locate(
  { location = null }: Pick<TestResult, 'location'>,
  observations: readonly string[],
  folder: string,
): string | null {
  const places = observations.flatMap((text) => [...text.matchAll(PLACE)]);
  if (location === null) return null;
  const at = inFolder(location, folder);
  if (/:\d+$/.test(at)) return at;
  const seen = places.find(([, path = '']) => path === at || inFolder(path, folder) === at);
  return seen === undefined ? at : `${at}:${seen[2]}`;
}

function inFolder(path: string, folder: string): string {
  return folder === '' || path.startsWith('/') ? path : `${folder}/${path}`;
}

const ID_LIMIT = 300;
const OBSERVATION_LIMIT = 4_000;
const OBSERVATIONS_OF_A_CASE = 10;
/** Failures after this many are shortened: the first ones have to be fixed before these matter. */
const DETAILED_FAILURES = 200;
const SHORT_OBSERVATION_LIMIT = 300;

export interface ComposeFacts {
  /** The id of the validator. */
  readonly suiteId: string;
  readonly generatedAt: string;
  readonly command: readonly string[];
  /** The folder the command runs in, relative to the checkout; empty for the checkout itself. */
  readonly folder: string;
  /** Absolute paths of the checkout that it ran in. */
  readonly checkouts?: readonly string[];
  /** Null if it was killed. */
  readonly exitCode: number | null;
  /** The end of the runner's output. */
  readonly lastOutput: string;
  /** How long the process took, for runners that don't report it. */
  readonly durationMs: number;
  /** Ids of cases that failed on an earlier attempt. */
  readonly failedBefore: ReadonlySet<string>;
  /** The reference of an attachment, relative to the run directory; null if it was not kept. */
  readonly referenceOf: (attachment: string) => string | null;
}

/**
 * Composes a harness report as if the validator had written one. An exit code that no case explains becomes a
 * failed case, so the report never claims success when the runner failed.
 */
export function composeReport(read: TestResults, facts: ComposeFacts): HarnessReport {
  const ended = facts.exitCode === 0 ? joinReruns(read) : read.results;
  const results = [...ended, ...unexplainedExit(ended, facts)];
  const nextId = createIdSource();
  let failures = 0;
  const cases = results.map((result) => {
    if (result.status === 'failed') failures += 1;
    const limit = failures > DETAILED_FAILURES ? SHORT_OBSERVATION_LIMIT : OBSERVATION_LIMIT;
    const id = nextId(result.id);
    const observations = observationsOf(result, limit, facts.checkouts ?? []);
    const location = result.status === 'failed' ? locate(result, observations, facts.folder) : null;
    return {
      id,
      kind: read.kind,
      status: result.status === 'passed' && facts.failedBefore.has(id) ? 'flaky' : result.status,
      repro: reproOf(result, facts),
      observations,
      artifacts: [...new Set(result.attachments.flatMap((path) => facts.referenceOf(path) ?? []))],
      ...(location === null ? {} : { location }),
      ...(result.durationMs === null ? {} : { duration_ms: toMicroseconds(result.durationMs) }),
    };
  });
  return {
    suite_id: facts.suiteId,
    version: REPORT_VERSION,
    generated_at: facts.generatedAt,
    cases,
    summary: countCases(cases, toMicroseconds(read.durationMs ?? sumDurations(results) ?? facts.durationMs)),
  };
}

/** If a runner exits with 0 although a test failed, the test passed in another attempt. */
function joinReruns({ results, repeats }: TestResults): readonly TestResult[] {
  if (repeats === undefined) return results;
  const statuses = new Map<string, Set<CaseStatus>>();
  for (const { id, status } of results) statuses.set(id, (statuses.get(id) ?? new Set()).add(status));
  const isRerun = (id: string) => {
    const seen = statuses.get(id);
    return (
      repeats === 'reruns' || (seen?.has('failed') === true && (seen.has('passed') || seen.has('flaky')))
    );
  };
  const joined: TestResult[] = [];
  const places = new Map<string, number>();
  for (const result of results) {
    const place = isRerun(result.id) ? places.get(result.id) : undefined;
    const earlier = place === undefined ? undefined : joined[place];
    if (place !== undefined && earlier !== undefined) joined[place] = mergeRerun(earlier, result);
    else {
      places.set(result.id, joined.length);
      joined.push(result);
    }
  }
  return joined;
}

function mergeRerun(one: TestResult, other: TestResult): TestResult {
  return {
    ...one,
    status: rerunStatus([one.status, other.status]),
    observations: [...one.observations, ...other.observations],
    durationMs:
      one.durationMs === null && other.durationMs === null
        ? null
        : (one.durationMs ?? 0) + (other.durationMs ?? 0),
  };
}

function rerunStatus(statuses: readonly [CaseStatus, CaseStatus]): CaseStatus {
  const failed = statuses.includes('failed');
  if (statuses.includes('flaky') || (failed && statuses.includes('passed'))) return 'flaky';
  return failed ? 'failed' : statuses[0];
}

function unexplainedExit(
  results: readonly TestResult[],
  { exitCode, lastOutput }: ComposeFacts,
): TestResult[] {
  if (exitCode === null || exitCode === 0 || results.some(({ status }) => status === 'failed')) return [];
  const output = plainText(lastOutput);
  const fact = `no test failed, but the runner exited with ${exitCode}`;
  return [createFailure(`exit code ${exitCode}`, output === '' ? fact : `${fact}:\n${output}`)];
}

function reproOf({ repro }: TestResult, { command, folder }: ComposeFacts): string {
  const line = oneLine(repro ?? formatCommand(command));
  return folder === '' ? line : `cd ${quoteWord(folder)} && ${line}`;
}

function observationsOf({ observations }: TestResult, limit: number, checkouts: readonly string[]): string[] {
  return observations
    .slice(0, OBSERVATIONS_OF_A_CASE)
    .map((text) => withoutForeignFrames(plainText(shortened(text, 4 * limit))))
    .map((text) => shortened(relativeToCheckout(text, checkouts), limit))
    .filter((text) => text !== '');
}

/** Assigns ids in report order; a duplicate gets a number. */
function createIdSource(): (wanted: string) => string {
  const used = new Set<string>();
  const numbers = new Map<string, number>();
  return (wanted) => {
    const base = oneLine(wanted).slice(0, ID_LIMIT) || 'unnamed test';
    let id = base;
    for (let number = numbers.get(base) ?? 1; used.has(id); ) {
      number += 1;
      numbers.set(base, number);
      id = `${base} (${number})`;
    }
    used.add(id);
    return id;
  };
}

function sumDurations(results: readonly TestResult[]): number | null {
  const known = results.flatMap(({ durationMs }) => durationMs ?? []);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

/** Smaller digits are noise of the clock and of floating-point arithmetic. */
function toMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
