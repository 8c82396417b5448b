import { isReadableVersion } from '../contracts/harness-report.ts';

type Report = Readonly<Record<string, unknown>>;

/**
 * The reports of several validators as one, so that none goes unjudged. A version that can't be read wins, since
 * it blocks; cases, flags and proposals are put together and counts are added up.
 */
export function mergeReports(reports: readonly Report[]): Report | null {
  const [first, ...others] = reports;
  if (first === undefined) return null;
  if (others.length === 0) return first;
  const unreadable = reports.find(({ version }) => !isReadableVersion(version));
  return {
    ...first,
    suite_id: reports.map(({ suite_id }) => suite_id).join(' + '),
    version: unreadable === undefined ? first.version : unreadable.version,
    cases: reports.flatMap(({ cases }) => listOf(cases)),
    ux_flags: joined(reports.map(({ ux_flags }) => ux_flags)),
    proposed_goldens: joined(reports.map(({ proposed_goldens }) => proposed_goldens)),
    summary: sumOf(reports.map(({ summary }) => summary)),
  };
}

/** What is no list stays as it is: evidence that does not fit must not come to fit by being put together. */
function joined(values: readonly unknown[]): unknown {
  const unfit = values.find((value) => value !== undefined && value !== null && !Array.isArray(value));
  return unfit === undefined ? values.flatMap(listOf) : unfit;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function sumOf(summaries: readonly unknown[]): Record<string, number> {
  const total: Record<string, number> = { passed: 0, failed: 0, flaky: 0 };
  for (const summary of summaries) {
    if (typeof summary !== 'object' || summary === null) continue;
    for (const [name, count] of Object.entries(summary))
      if (typeof count === 'number') total[name] = (total[name] ?? 0) + count;
  }
  return total;
}
