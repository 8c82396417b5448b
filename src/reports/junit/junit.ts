import type { CaseStatus } from '../../contracts/run/harness-report.ts';
import { createFailure, type Invoked, type Reading, type TestResult } from '../test-results.ts';
import { type Dialect, detectDialect, identify } from './junit-dialect.ts';
import {
  FAILURE_TAGS,
  type JunitCase,
  type OutcomeElement,
  parseJunitXml,
  RERUN_TAGS,
  SKIP_TAGS,
} from './junit-xml.ts';

/** Reads a JUnit report. JUnit is not a single format, so this relies only on what all dialects have in common. */
export function readJunit(text: string, invoked: Invoked): Reading {
  const parsed = parseJunitXml(text);
  if (!parsed.ok) return parsed;
  const { document } = parsed;
  const dialect = detectDialect(document, invoked);
  const results = document.cases.map((item) => toResult(item, dialect, invoked));
  for (const { name, suites, observation } of document.brokenSuites)
    results.push(
      createFailure([...suites, name].filter((part) => part !== '').join(' > ') || 'suite', observation),
    );
  return {
    ok: true,
    kind: dialect === 'playwright' ? 'web' : 'unit',
    results,
    durationMs: document.durationMs ?? parseMilliseconds(document.root.time) ?? sumSeconds(document.seconds),
    // Test names are unique in a Go package. Other runners allow duplicates and list attempts in the same way, such
    // as Gradle and pytest's plugins.
    repeats: dialect === 'go' ? 'reruns' : 'perhaps-reruns',
  };
}

function toResult(item: JunitCase, dialect: Dialect, invoked: Invoked): TestResult {
  const status = toStatus(item);
  return {
    ...identify(item, dialect, invoked),
    status,
    observations: item.outcomeElements
      .filter(({ tag }) => !SKIP_TAGS.includes(tag) || status === 'skipped')
      .flatMap(observationOf),
    attachments: findAttachments(item.output),
    durationMs: parseMilliseconds(item.seconds),
  };
}

/** A failure overrides a skip, such as a failed teardown of a skipped test; a test marked as to-do may fail. */
function toStatus({ outcomeElements: ends, outcome }: JunitCase): CaseStatus {
  const skipped = ends.find(({ tag }) => SKIP_TAGS.includes(tag));
  if (skipped?.type === 'todo') return 'skipped';
  if (ends.some(({ tag }) => FAILURE_TAGS.includes(tag))) return 'failed';
  if (ends.some(({ tag }) => RERUN_TAGS.includes(tag))) return 'flaky';
  return skipped === undefined ? (outcome ?? 'passed') : 'skipped';
}

function observationOf({ tag, type, message, text }: OutcomeElement): string[] {
  // Node writes `true` if a test was skipped without a message.
  const reason = tag === 'skipped' && message === 'true' ? '' : message.trim();
  const body = text.trim();
  const whole = body.includes(reason) ? text : [reason, body].filter((part) => part !== '').join('\n');
  if (whole.trim() !== '') return [whole];
  return type === '' || type === tag ? [] : [type];
}

/** Jenkins's convention, which several runners follow. */
function findAttachments(output: string): string[] {
  return [...output.matchAll(/\[\[ATTACHMENT\|([^\]\n]+)\]\]/g)].flatMap(([, path]) =>
    path === undefined ? [] : [path.trim()],
  );
}

function sumSeconds(seconds: readonly (string | null)[]): number | null {
  const known = seconds.map(parseMilliseconds).filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

/** Accepts seconds with a point or a comma; a comma alongside a point separates thousands. */
function parseMilliseconds(seconds: string | null | undefined): number | null {
  const text = (seconds ?? '').trim();
  const commas = text.split(',').length - 1;
  const plain = text.includes('.') || commas > 1 ? text.replaceAll(',', '') : text.replace(',', '.');
  if (!/^\d*\.?\d+(?:e[+-]?\d+)?$/i.test(plain)) return null;
  const value = Number(plain) * 1000;
  return Number.isFinite(value) ? value : null;
}
