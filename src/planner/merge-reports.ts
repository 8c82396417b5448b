import { isSupportedVersion } from '../contracts/run/harness-report.ts';
import { asList } from '../text/json.ts';

type Report = Readonly<Record<string, unknown>>;

/**
 * Merges the reports of several validators, so that all of them are evaluated. An unreadable version wins, because
 * it blocks; cases, flags and proposals are concatenated and counts are summed.
 */
export function mergeReports(reports: readonly Report[]): Report | null {
  const [first, ...others] = reports;
  if (first === undefined) return null;
  if (others.length === 0) return first;
  const unreadable = reports.find(({ version }) => !isSupportedVersion(version));
  return {
    ...first,
    suite_id: reports.map(({ suite_id }) => suite_id).join(' + '),
    version: unreadable === undefined ? first.version : unreadable.version,
    cases: reports.flatMap(({ cases }) => asList(cases)),
    ux_flags: concatLists(reports.map(({ ux_flags }) => ux_flags)),
    proposed_goldens: concatLists(reports.map(({ proposed_goldens }) => proposed_goldens)),
    summary: sumCounts(reports.map(({ summary }) => summary)),
  };
}

/** Returns a value that isn't a list unchanged: merging must not turn invalid evidence into valid evidence. */
function concatLists(values: readonly unknown[]): unknown {
  const invalid = values.find((value) => value !== undefined && value !== null && !Array.isArray(value));
  return invalid === undefined ? values.flatMap(asList) : invalid;
}

function sumCounts(summaries: readonly unknown[]): Record<string, number> {
  const total: Record<string, number> = { passed: 0, failed: 0, flaky: 0 };
  for (const summary of summaries) {
    if (typeof summary !== 'object' || summary === null) continue;
    for (const [name, count] of Object.entries(summary))
      if (typeof count === 'number') total[name] = (total[name] ?? 0) + count;
  }
  return total;
}
