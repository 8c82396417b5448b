import { expect } from 'vitest';
import { readTestReport } from '../../../src/reports/convert.ts';
import type { ReportForm } from '../../../src/reports/report-source.ts';
import type { TestResults } from '../../../src/reports/test-results.ts';

export const FOLDER = '/place/worktree';

/** Reads a report that must be readable, as if the command had left it. */
export function read(
  form: ReportForm,
  text: string,
  command: readonly string[] = ['npm', 'test'],
): TestResults {
  const reading = readTestReport(form, text, { command, folders: [FOLDER] });
  expect(reading).toMatchObject({ ok: true });
  return reading as TestResults;
}

/** Why a text is not readable. */
export function refusal(form: ReportForm, text: string): string {
  const reading = readTestReport(form, text, { command: ['npm', 'test'], folders: [FOLDER] });
  return reading.ok ? 'it was read' : reading.why;
}

/** Id and status, for tables. */
export function ends(results: TestResults): string[] {
  return results.results.map(({ id, status }) => `${status} ${id}`);
}
