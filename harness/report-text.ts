import { composeResult, type HarnessReport, type TriedCase } from './report.ts';
import { countText } from './text-match.ts';

const MARKS = { passed: 'ok', failed: 'not ok', skipped: 'skipped', flaky: 'flaky' } as const;

/** One line for the case, with its observations below. */
export function linesOfCase(tried: TriedCase): string {
  const result = composeResult(tried);
  const seen = result.observations.map((text) => `  ${text.replaceAll('\n', '\n  ')}\n`).join('');
  return `${MARKS[result.status]} ${result.id}\n${seen}`;
}

export function summaryLine(
  { suite_id, summary, proposed_goldens, ux_flags }: HarnessReport,
  path: string,
): string {
  const counts = (['passed', 'failed', 'flaky', 'skipped'] as const)
    .filter((word) => summary[word] > 0)
    .map((word) => `${summary[word]} ${word}`);
  const more = [
    ...(proposed_goldens.length === 0 ? [] : [`${countText(proposed_goldens.length, 'golden')} proposed`]),
    ...(ux_flags.length === 0 ? [] : [countText(ux_flags.length, 'accessibility finding')]),
  ];
  return `${suite_id}: ${[...counts, ...more].join(', ') || 'no cases'}; report in ${path}\n`;
}
