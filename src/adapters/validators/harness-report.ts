import { boundsProblem, type JsonBounds } from '../../reports/json-bounds.ts';
import { isJsonObject } from '../../text/json.ts';
import { readReportText } from './report-text.ts';

/** Real reports stay far below these limits. */
const REPORT_BOUNDS: JsonBounds = { levels: 64, values: 250_000 };

export type ReportReading =
  | {
      readonly ok: true;
      readonly value: Readonly<Record<string, unknown>>;
      readonly proposals: number;
    }
  | { readonly ok: false; readonly why: string };

/** Checks only the structure; the planner evaluates the content. */
export async function readHarnessReport(path: string): Promise<ReportReading> {
  const read = await readReportText(path);
  return read.ok ? parseHarnessReport(read.text) : read;
}

export function parseHarnessReport(text: string): ReportReading {
  const problem = boundsProblem(text, REPORT_BOUNDS);
  if (problem !== null) return { ok: false, why: problem };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, why: 'is not JSON' };
  }
  if (!isJsonObject(value)) return { ok: false, why: 'is not a JSON object' };
  for (const key of ['suite_id', 'cases', 'summary']) {
    if (!Object.hasOwn(value, key)) return { ok: false, why: `has no \`${key}\`` };
  }
  if (!Array.isArray(value.cases)) return { ok: false, why: 'has `cases` that is not a list' };
  if (!isJsonObject(value.summary)) return { ok: false, why: 'has `summary` that is not an object' };
  return { ok: true, value, proposals: countProposals(value.proposed_goldens) };
}

/** Anything but an empty value counts as a proposal, so that a user reviews it before it passes. */
function countProposals(proposed: unknown): number {
  if (Array.isArray(proposed)) return proposed.length;
  if (isJsonObject(proposed)) return Object.keys(proposed).length;
  return proposed === undefined || proposed === null || proposed === '' || proposed === false ? 0 : 1;
}
